import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSmtpPublisher, type SmtpParts } from '../../../src/adapters/smtp/publisher.ts';
import type { Mail, MailSnapshot } from '../../../src/mail/mail.ts';
import type { Delivery } from '../../../src/outbox/destination.ts';
import { mailOf } from '../../mail/mail.harness.ts';

export { noEnd } from '../../contracts/publisher.contract.ts';

const snapshot: MailSnapshot = {
  iCalUID: 'uid@example.com',
  at: '2026-11-23T10:00:00Z',
  organizer: { email: 'alice@example.com', displayName: 'Alice "A." Müller' },
  zone: 'Europe/Berlin',
  hidesGuests: false,
  event: { sequence: 1, summary: 'Prüfung, die längste: 🎉 mit einer Zeile, die umbrochen werden muss' },
};

/** A mail to a guest. */
export const mailTo = (to: string, more: Partial<MailSnapshot> = {}): Mail => ({
  ...mailOf({ ...snapshot, ...more }, { to }),
  id: randomUUID(),
});

type Given = Partial<Omit<SmtpParts, 'server'>> & { readonly server?: Partial<SmtpParts['server']> };

/** A publisher to a port of this machine. */
export const publisherTo = (port: number, { server, ...parts }: Given = {}) =>
  createSmtpPublisher({
    server: { host: '127.0.0.1', port, secure: false, ...server },
    from: { address: 'gateway@example.com', name: 'Gäteway' },
    ...parts,
  });

/** An outcome in words, with the cause. */
export const told = async (delivery: Promise<Delivery>): Promise<string> => {
  const found = await delivery;
  return found.outcome === 'done' ? 'done' : `${found.outcome}: ${found.cause.message}`;
};

/** Answers each line by its first word; `.` is the end of a mail. What has no answer is answered with 250. */
export function answering(answers: Readonly<Record<string, string | ((socket: Socket) => unknown)>>) {
  return (socket: Socket): void => {
    let text = '';
    let inData = false;
    const answer = (word: string, otherwise: string): void => {
      const given = answers[word] ?? otherwise;
      if (typeof given === 'string') socket.write(`${given}\r\n`);
      else given(socket);
    };
    answer('greeting', '220 test');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (inData && line !== '.') continue;
        if (inData) answer('.', '250 taken');
        else answer((line.split(' ')[0] ?? '').toUpperCase(), line === 'DATA' ? '354 go on' : '250 ok');
        inData = !inData && line === 'DATA' && (answers.DATA ?? '354').toString().startsWith('354');
      }
    });
  };
}
