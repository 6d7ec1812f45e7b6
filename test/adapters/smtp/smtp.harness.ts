import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSmtpPublisher, type SmtpDependencies } from '../../../src/adapters/smtp/publisher.ts';
import type { Mail, MailSnapshot } from '../../../src/mail/mail.ts';
import type { DeliveryResult } from '../../../src/outbox/destination.ts';
import { createMail } from '../../mail/mail.harness.ts';

export { neverAborted } from '../../contracts/publisher.contract.ts';

/** An invitation whose texts have to be encoded and folded. */
const snapshot: MailSnapshot = {
  iCalUID: 'uid@example.com',
  at: '2026-11-23T10:00:00Z',
  organizer: { email: 'alice@example.com', displayName: 'Alice "A." Müller' },
  zone: 'Europe/Berlin',
  hidesGuests: false,
  event: { sequence: 1, summary: 'Prüfung, die längste: 🎉 mit einer Zeile, die umbrochen werden muss' },
};

/** Creates an invitation to an address, with an id of its own. */
export const mailTo = (to: string, changes: Partial<MailSnapshot> = {}): Mail => ({
  ...createMail({ ...snapshot, ...changes }, { to }),
  id: randomUUID(),
});

type PublisherOptions = Partial<Omit<SmtpDependencies, 'server'>> & {
  readonly server?: Partial<SmtpDependencies['server']>;
};

/** Creates a publisher for an SMTP server on a local port. */
export const openPublisherTo = (port: number, { server, ...options }: PublisherOptions = {}) =>
  createSmtpPublisher({
    server: { host: '127.0.0.1', port, secure: false, ...server },
    from: { address: 'gateway@example.com', name: 'Gäteway' },
    ...options,
  });

/** Describes an outcome with the message of its cause. */
export const describeOutcome = async (delivery: Promise<DeliveryResult>): Promise<string> => {
  const deliveryResult = await delivery;
  return deliveryResult.outcome === 'done'
    ? 'done'
    : `${deliveryResult.outcome}: ${deliveryResult.cause.message}`;
};

/**
 * Creates a handler of sockets that speaks SMTP. `replies`: by the first word of a line; `greeting` is the
 * first reply, and `.` the one to the end of a mail. Other lines are accepted.
 */
export function replyToLines(replies: Readonly<Record<string, string | ((socket: Socket) => unknown)>>) {
  return (socket: Socket): void => {
    let text = '';
    let isInMailText = false;
    const sendReply = (word: string, defaultReply: string): void => {
      const reply = replies[word] ?? defaultReply;
      if (typeof reply === 'string') socket.write(`${reply}\r\n`);
      else reply(socket);
    };
    sendReply('greeting', '220 test');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (isInMailText && line !== '.') continue;
        if (isInMailText) sendReply('.', '250 taken');
        else sendReply((line.split(' ')[0] ?? '').toUpperCase(), line === 'DATA' ? '354 go on' : '250 ok');
        isInMailText =
          !isInMailText && line === 'DATA' && (replies.DATA ?? '354').toString().startsWith('354');
      }
    });
  };
}
