import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { RenderedMail } from '../../mail/render.ts';

/** A mail as it is sent: addresses of the envelope, and the MIME message. */
export interface EncodedMail {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

/** Encodes a mail; the same mail and id give the same bytes in every attempt. */
export async function encodeMail(
  { envelope, calendar, from, to, replyTo, subject, messageId, date, headers, text, html }: RenderedMail,
  id: string,
): Promise<EncodedMail> {
  const mail = new MailComposer({
    from: toComposerAddress(from),
    to: toComposerAddress(to),
    replyTo: hasAsciiLocalPart(replyTo.address) ? toComposerAddress(replyTo) : undefined,
    subject: encodableText(subject),
    messageId,
    date,
    headers: { ...headers },
    text,
    html,
    // Not `icalEvent`, which the library would attach as well.
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
  return { from: encodeDomain(envelope.from), to: encodeDomain(envelope.to), bytes: await mail.build() };
}

/** Whether the local part is ASCII: few servers accept headers with other addresses. The domain can be encoded. */
const hasAsciiLocalPart = (address: string): boolean =>
  /^[\x20-\x7e]*$/.test(address.slice(0, address.lastIndexOf('@')));

/** Encodes the domain (IDNA). A non-ASCII local part still needs a server with SMTPUTF8. */
function encodeDomain(address: string): string {
  const atIndex = address.lastIndexOf('@');
  return `${address.slice(0, atIndex)}@${domainToASCII(address.slice(atIndex + 1))}`;
}

const toComposerAddress = ({ address, name = '' }: { readonly address: string; readonly name?: string }) => ({
  address,
  name: encodableText(name),
});

/** Appends a zero-width space to ASCII that must be encoded: text that looks encoded (RFC 2047), and words longer than a header line. */
const encodableText = (text: string): string => (/=\?|\S{200}/.test(text) ? `${text}\u200b` : text);
