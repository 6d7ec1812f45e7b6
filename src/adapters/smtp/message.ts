import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { RenderedMail } from '../../mail/render.ts';

/** A mail in the bytes that a server gets. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** The same bytes for the same mail and id, in every attempt. */
export async function messageOf(
  { envelope, calendar, from, to, replyTo, subject, messageId, date, headers, text, html }: RenderedMail,
  id: string,
): Promise<Message> {
  const mail = new MailComposer({
    from: nameable(from),
    to: nameable(to),
    replyTo: isAscii(replyTo.address) ? nameable(replyTo) : undefined,
    subject: encodable(subject),
    messageId,
    date,
    headers: { ...headers },
    text,
    html,
    // As an alternative alone: what the library calls an event is attached as well.
    alternatives: [
      {
        contentType: `text/calendar; charset=utf-8; method=${calendar.method}`,
        content: calendar.content,
        contentTransferEncoding: 'base64',
      },
    ],
    baseBoundary: createHash('sha256').update(id).digest('hex').slice(0, 32),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return { from: inAscii(envelope.from), to: inAscii(envelope.to), bytes: await mail.build() };
}

/** The domain aside, which can be written in ASCII. A header with any other address is one that few servers take. */
const isAscii = (address: string): boolean =>
  /^[\x20-\x7e]*$/.test(address.slice(0, address.lastIndexOf('@')));

/** An address whose domain every server reads; a local part that is not in ASCII needs a server that takes such addresses. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

const nameable = ({ address, name = '' }: { readonly address: string; readonly name?: string }) => ({
  address,
  name: encodable(name),
});

/**
 * The library leaves ASCII as it is: also what only looks encoded (RFC 2047), and words that are longer than a line of a
 * header. A blank of no width makes it encode them.
 */
const encodable = (text: string): string => (/=\?|\S{200}/.test(text) ? `${text}\u200b` : text);
