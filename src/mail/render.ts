import type { Mail, MailSnapshot } from './mail.ts';

export interface MailAddress {
  readonly address: string;
  readonly name?: string;
}

/** A mail as it is sent. */
export interface RenderedMail {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly replyTo: MailAddress;
  readonly subject: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
  readonly calendar: { readonly method: string; readonly content: string };
}

/** A stub: it is replaced by the one that tells of the change. */
export function renderMail({ id, attributes, data }: Mail, from: MailAddress): RenderedMail {
  const { iCalUID, at, organizer, event } = JSON.parse(data) as MailSnapshot;
  const summary = event.summary ?? '';
  return {
    envelope: { from: from.address, to: attributes.to },
    from,
    to: { address: attributes.to },
    replyTo: { address: organizer.email, ...(organizer.displayName !== undefined && { name: organizer.displayName }) },
    subject: `Updated: ${summary}`,
    messageId: `<${id}@${from.address.split('@').at(-1)}>`,
    date: new Date(at),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: `Updated: ${summary}\n`,
    html: `<p>Updated</p>\n`,
    calendar: {
      method: attributes.method,
      content: ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//stub', `METHOD:${attributes.method}`, 'BEGIN:VEVENT', `UID:${iCalUID}`, `DTSTAMP:20261123T100000Z`, `SUMMARY:${summary}`, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n'),
    },
  };
}
