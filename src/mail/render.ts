import { domainToASCII } from 'node:url';
import { mebibyte } from '../core/kernel/size.ts';
import { calendarObject } from './calendar-object.ts';
import { printHtml } from './html.ts';
import type { Mail, MailMethod, MailSnapshot } from './mail.ts';
import { onOneLine, plainAddress } from './plain-text.ts';
import { viewOf, type ReceiverView, type Shorter } from './receiver-view.ts';
import { sizeAsSent } from './size.ts';
import { printText } from './text.ts';
import { wordingOf } from './wording.ts';

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

function addressOf({
  email,
  displayName = '',
}: {
  readonly email: string;
  readonly displayName?: string;
}): MailAddress {
  const name = onOneLine(displayName);
  return { address: plainAddress(email), ...(name === '' ? {} : { name }) };
}

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}
