import { mebibyte } from '../../core/kernel/size.ts';
import type { Mail } from '../../mail/mail.ts';
import type { Destination } from '../../outbox/destination.ts';
import { mail } from '../../outbox/outbox.store.ts';
import { createSmtpPublisher, type SmtpParts } from './publisher.ts';

/** A server that takes mails to send. A change finds room for them, or is stored without them. */
export const smtpDestination = (parts: SmtpParts): Destination<Mail> => ({
  name: mail,
  kind: 'mail',
  place: { host: `${parts.server.host}:${parts.server.port}` },
  publisher: createSmtpPublisher(parts),
  takes: () => true,
  room: { bytes: 64 * mebibyte, bytesPerOwner: 16 * mebibyte, whenFull: 'drop' },
  pauses: { first: 2000, longest: 10 * 60 * 1000 },
  // The most connections.
  mostAtOnce: 10,
});
