import { domainToASCII } from 'node:url';
import { mebibyte } from '../core/json.ts';
import { countUtf8Bytes, escapeHtml } from '../core/text/characters.ts';
import { writeCalendarObject } from './calendar-object.ts';
import { toSingleLine, toHeaderAddress, cleanText } from '../icalendar/content-lines.ts';
import type { Mail, MailGuest, MailSnapshot } from './mail.ts';
import { type RecipientView, type Omissions, recipientViewOf } from './recipient-view.ts';
import { writeWording, type Wording } from './wording.ts';

/** Maximum bytes of MIME boundaries and of headers whose length is bounded. */
const maxFrameBytes = 4096;

/**
 * Computes an upper bound of the bytes of an encoded mail: headers as encoded words, texts in quoted-printable or
 * base64, the calendar in base64.
 */
export const maxEncodedBytesOf = ({ subject, replyTo, text, html, calendar }: RenderedMail): number =>
  maxFrameBytes +
  4 * countUtf8Bytes(subject + (replyTo.name ?? '')) +
  maxTextBytesOf(text) +
  maxTextBytesOf(html) +
  computeBase64Bytes(calendar.content);

const maxTextBytesOf = (text: string): number =>
  Math.max(computeQuotedPrintableBytes(text), computeBase64Bytes(text));

/** Computes the size in base64: each 57 bytes become a line of 76 characters and CRLF. Line breaks of the text become CRLF, too. */
const computeBase64Bytes = (text: string): number =>
  Math.ceil((countUtf8Bytes(text) + countMatches(text, /\n/g)) / 57) * 78;

/** Computes the size in quoted-printable: lines have at least 73 characters, a soft break takes three bytes, a line break two. */
function computeQuotedPrintableBytes(text: string): number {
  const [plainCharacterCount, lineBreakCount] = [countMatches(text, /[ -<>-~]/g), countMatches(text, /\n/g)];
  return Math.ceil(
    (plainCharacterCount +
      3 * (countUtf8Bytes(text) - plainCharacterCount - lineBreakCount) +
      2 * lineBreakCount) *
      (76 / 73),
  );
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Address in a header, with the name that mail programs display. */
export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

/** Mail that is ready to be encoded and sent. */
export type RenderedMail = Readonly<ReturnType<typeof renderView>>;

/** Omissions tried in order until the mail is small enough. */
const omissionSteps: readonly Omissions[] = [{}, { instances: true }, { instances: true, guests: true }];
const maxOmissions: Omissions = { instances: true, guests: true, description: true };
/** Mails with more entries in guest lists are too large in any case. */
const maxGuestEntries = 9000;

/** Renders a mail for its recipient. Deterministic, so that retries send the same mail. */
export function renderMail(mail: Mail, from: MailAddress): RenderedMail {
  const snapshot = JSON.parse(mail.data) as MailSnapshot;
  for (const omissions of omissionSteps) {
    const view = recipientViewOf(mail, snapshot, omissions);
    const guestEntries = [view, ...view.changedInstances].flatMap(({ event }) => event.attendees);
    if (guestEntries.length > maxGuestEntries) continue;
    const renderedMail = renderView(view, mail.id, from);
    if (maxEncodedBytesOf(renderedMail) <= mebibyte) return renderedMail;
  }
  return renderView(recipientViewOf(mail, snapshot, maxOmissions), mail.id, from);
}

function renderView(view: RecipientView, id: string, from: MailAddress) {
  const {
    attributes: { to, method },
    guest,
    organizer,
  } = view;
  const wording = writeWording(view);
  const recipient = toHeaderAddress(to);
  return {
    envelope: { from: from.address, to: recipient },
    from,
    to: { address: recipient },
    replyTo: toMailAddress(guest ?? organizer),
    subject: wording.subject,
    messageId: `<${id}@${domainOf(from.address)}>`,
    date: view.changedAt,
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: formatText(wording),
    html: formatHtml(wording),
    calendar: { method, content: writeCalendarObject(view) },
  };
}

/** Returns a person's address and name, as a header may hold them. */
function toMailAddress({ email, displayName = '' }: Pick<MailGuest, 'email' | 'displayName'>): MailAddress {
  const name = toSingleLine(displayName);
  return { address: toHeaderAddress(email), ...(name === '' ? {} : { name }) };
}

/** Returns the domain of an address in ASCII, for the Message-ID. */
function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domainToASCII(domain) || domain;
}

/** Writes a mail as plain text. */
function formatText({ title, lead, details, changes, notes, link }: Wording): string {
  const paragraphs = [
    lead,
    [title, ...details.map(({ label, text }) => `${label}: ${indent(text)}`)].join('\n'),
    ...(changes.length > 0
      ? [
          [
            'What changed:',
            ...changes.map(
              ({ label, before, now }) => `${label}\n  before: ${indent(before)}\n  now: ${indent(now)}`,
            ),
          ].join('\n'),
        ]
      : []),
    ...notes,
    ...(link === '' ? [] : [`The event in your calendar: ${cleanText(link)}`]),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

/** Indents user text, so that none of its lines can imitate a line of the mail. */
const indent = (text: string): string => cleanText(text).trim().replaceAll('\n', '\n    ');

/** Cleans and escapes user text, and keeps its line breaks. */
const toHtml = (text: string): string => escapeHtml(cleanText(text).trim()).replaceAll('\n', '<br>\n');

/** Writes a mail as HTML that loads no remote content. */
function formatHtml({ title, lead, details, changes, notes, link }: Wording): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<title>${toHtml(title)}</title>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${toHtml(title)}</h1>`,
    `<p>${toHtml(lead)}</p>`,
    '<dl>',
    ...details.map(({ label, text }) => `<dt>${label}</dt>\n<dd>${toHtml(text)}</dd>`),
    '</dl>',
    ...formatChangesTable(changes),
    ...notes.map((note) => `<p>${note}</p>`),
    ...formatEventLink(link),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function formatChangesTable(changes: Wording['changes']): string[] {
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ label, before, now }) =>
      `<tr><th scope="row">${label}</th><td>${toHtml(before)}</td><td>${toHtml(now)}</td></tr>`,
  );
  return [
    '<h2>What changed</h2>',
    '<table>',
    '<thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">Now</th></tr></thead>',
    '<tbody>',
    ...rows,
    '</tbody>',
    '</table>',
  ];
}

/** Formats the link to the event, unless it is no web address. */
const formatEventLink = (link: string): string[] =>
  /^https?:\/\//i.test(link) ? [`<p><a href="${toHtml(link)}">The event in your calendar</a></p>`] : [];
