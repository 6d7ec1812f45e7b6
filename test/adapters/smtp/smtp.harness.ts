import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSmtpPublisher, type SmtpDependencies } from '../../../src/adapters/smtp/publisher.ts';
import type { Mail, MailSnapshot } from '../../../src/mail/mail.ts';
import type { DeliveryResult } from '../../../src/outbox/destination.ts';
import { mailOf } from '../../mail/mail.harness.ts';

export { neverAborted } from '../../contracts/publisher.contract.ts';

const snapshot: MailSnapshot = {
  iCalUID: 'uid@example.com',
  at: '2026-11-23T10:00:00Z',
  organizer: { email: 'alice@example.com', displayName: 'Alice "A." Müller' },
  zone: 'Europe/Berlin',
  hidesGuests: false,
  event: { sequence: 1, summary: 'Prüfung, die längste: 🎉 mit einer Zeile, die umbrochen werden muss' },
};

export const mailTo = (to: string, changes: Partial<MailSnapshot> = {}): Mail => ({
  ...mailOf({ ...snapshot, ...changes }, { to }),
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
  const settled = await delivery;
  return settled.outcome === 'done' ? 'done' : `${settled.outcome}: ${settled.cause.message}`;
};

/** Answers each SMTP line by its first word; `.` is the end of a mail. Other lines are answered with 250. */
export function answerLines(answers: Readonly<Record<string, string | ((socket: Socket) => unknown)>>) {
  return (socket: Socket): void => {
    let text = '';
    let isInData = false;
    const answer = (word: string, defaultReply: string): void => {
      const reply = answers[word] ?? defaultReply;
      if (typeof reply === 'string') socket.write(`${reply}\r\n`);
      else reply(socket);
    };
    answer('greeting', '220 test');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (isInData && line !== '.') continue;
        if (isInData) answer('.', '250 taken');
        else answer((line.split(' ')[0] ?? '').toUpperCase(), line === 'DATA' ? '354 go on' : '250 ok');
        isInData = !isInData && line === 'DATA' && (answers.DATA ?? '354').toString().startsWith('354');
      }
    });
  };
}
