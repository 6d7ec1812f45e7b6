import { domainToASCII } from 'node:url';
import { mebibyte } from '../core/json.ts';
import { bytesIn } from '../core/text/characters.ts';
import { calendarObject } from './calendar-object.ts';
import { onOneLine, plainAddress } from './content-lines.ts';
import { printHtml, printText } from './html.ts';
import type { Mail, MailGuest, MailMethod, MailSnapshot } from './mail.ts';
import { type ReceiverView, type Shorter, viewOf } from './receiver-view.ts';
import { wordingOf } from './wording.ts';

/** For headers of bounded length, and the boundaries of parts. */
const frame = 4096;

interface Parts {
  /** Text that people wrote, for headers. */
  readonly headers: readonly string[];
  readonly texts: readonly string[];
  readonly calendar: string;
}

/** How many bytes a mail takes as it is sent, at most: texts in quoted-printable or base64, the calendar in base64. */
export const sizeAsSent = ({ headers, texts, calendar }: Parts): number =>
  frame +
  sum(headers.map((text) => 4 * bytesIn(text))) +
  sum(texts.map((text) => Math.max(inQuotedPrintable(text), inBase64(text)))) +
  inBase64(calendar);

/** Lines of 76 characters. */
const inBase64 = (text: string): number => Math.ceil((bytesIn(text) + count(text, /\n/g)) / 57) * 78;

/** Lines are folded behind 73 characters or more, by three; a line break is two bytes. */
function inQuotedPrintable(text: string): number {
  const [plain, breaks] = [count(text, /[ -<>-~]/g), count(text, /\n/g)];
  return Math.ceil((plain + 3 * (bytesIn(text) - plain - breaks) + 2 * breaks) * (76 / 73));
}

const count = (text: string, of: RegExp): number => text.match(of)?.length ?? 0;
const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

/** A mail as it is handed to a mail server. */
export interface RenderedMail {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly replyTo: MailAddress;
  readonly subject: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly html: string;
  readonly calendar: { readonly method: MailMethod; readonly content: string };
}

/** What is left out, one after the other, until a mail is short enough. */
const ways: readonly Shorter[] = [{}, { instances: true }, { instances: true, guests: true }];
const shortest: Shorter = { instances: true, guests: true, description: true };
/** With more entries of guest lists than these a mail is too long, however short they are. */
const mostEntries = 9000;

/** Writes a mail: the same each time, whoever asks. */
export function renderMail(mail: Mail, from: MailAddress): RenderedMail {
  const snapshot = JSON.parse(mail.data) as MailSnapshot;
  for (const shorter of ways) {
    const view = viewOf(mail, snapshot, shorter);
    if (
      [view, ...view.changed].reduce((entries, { event }) => entries + event.attendees.length, 0) >
      mostEntries
    )
      continue;
    const rendered = renderView(view, mail.id, from);
    const { subject, replyTo, text, html, calendar } = rendered;
    if (
      sizeAsSent({
        headers: [subject, replyTo.name ?? ''],
        texts: [text, html],
        calendar: calendar.content,
      }) <= mebibyte
    )
      return rendered;
  }
  return renderView(viewOf(mail, snapshot, shortest), mail.id, from);
}

function renderView(view: ReceiverView, id: string, from: MailAddress): RenderedMail {
  const {
    attributes: { to, method },
    guest,
    organizer,
  } = view;
  const wording = wordingOf(view);
  const receiver = plainAddress(to);
  return {
    envelope: { from: from.address, to: receiver },
    from,
    to: { address: receiver },
    replyTo: addressOf(guest ?? organizer),
    subject: wording.subject,
    messageId: `<${id}@${domainOf(from.address)}>`,
    date: view.at,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: printText(wording),
    html: printHtml(wording),
    calendar: { method, content: calendarObject(view) },
  };
}

function addressOf({ email, displayName = '' }: Pick<MailGuest, 'email' | 'displayName'>): MailAddress {
  const name = onOneLine(displayName);
  return { address: plainAddress(email), ...(name === '' ? {} : { name }) };
}

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}
