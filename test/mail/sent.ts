import MailComposer from 'nodemailer/lib/mail-composer';
import type { RenderedMail } from '../../src/mail/render.ts';

/** A mail as it leaves for the mail server. */
export async function sent({ calendar, ...mail }: RenderedMail): Promise<Buffer> {
  const contentType = `text/calendar; charset=utf-8; method=${calendar.method}`;
  return new MailComposer({
    ...mail,
    to: [mail.to],
    from: { name: '', ...mail.from },
    replyTo: { name: '', ...mail.replyTo },
    alternatives: [{ contentType, content: calendar.content, contentTransferEncoding: 'base64' }],
  })
    .compile()
    .build();
}
