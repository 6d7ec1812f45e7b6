import { setImmediate as otherWork } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { Clock } from '../../core/runtime/clock.ts';
import { within } from '../../core/runtime/within.ts';
import type { Mail } from '../../mail/mail.ts';
import { renderMail, type MailAddress } from '../../mail/render.ts';
import { done, type Delivery, type Publisher } from '../../outbox/delivery.ts';
import { openConnection, type SmtpConnection, type SmtpServer } from './connection.ts';
import { createConnections } from './connections.ts';
import { failureOf, SmtpFailure } from './failure.ts';
import { messageOf, type Message } from './message.ts';
import { createOutage } from './outage.ts';

export interface SmtpParts {
  readonly server: SmtpServer;
  readonly from: MailAddress;
  readonly clock?: Clock;
  /** Other ones in tests. */
  readonly limits?: Partial<SmtpLimits>;
  readonly tls?: ConnectionOptions;
}

/** Milliseconds. */
export interface SmtpLimits {
  /** For a mail: connecting, signing in and sending together. */
  readonly attempt: number;
  /** For how long a connection is kept for the next mail. */
  readonly idle: number;
  /** The pauses while the server cannot be reached or signed in to. */
  readonly pauses: { readonly first: number; readonly longest: number };
}

const defaults: SmtpLimits = { attempt: 30_000, idle: 10_000, pauses: { first: 1000, longest: 30_000 } };

/** Sends mails through an SMTP server, each to one receiver. There are as many connections as there are attempts at the same time. */
export function createSmtpPublisher({
  server,
  from,
  clock = Date.now,
  limits,
  tls,
}: SmtpParts): Publisher<Mail> {
  const { attempt, idle, pauses }: SmtpLimits = { ...defaults, ...limits };
  const connections = createConnections(idle);
  const outage = createOutage(clock, pauses);
  const closing = new AbortController();
  let turn: Promise<unknown> = Promise.resolve();
  /** A large mail takes some time to write: between two of them there is other work. */
  const nextTurn = (): Promise<unknown> => (turn = turn.then(() => otherWork()));

  async function open(signal: AbortSignal): Promise<SmtpConnection> {
    const connection = await openConnection(server, signal, tls);
    outage.over();
    connections.add(connection);
    return connection;
  }

  /** The server may be away, or want fewer connections than there are. */
  function unopened(cause: SmtpFailure, isEnding: boolean): Delivery {
    return isEnding || connections.some()
      ? { outcome: 'again', cause }
      : { outcome: 'pause', isOutage: true, until: outage.failed(), cause };
  }

  return {
    async publish(mail, signal) {
      await nextTurn();
      const message = await write(mail, from);
      const signals = [signal, closing.signal];
      const isEnding = (): boolean => signals.some(({ aborted }) => aborted);
      const end = performance.now() + attempt;
      const inTime = <T>(work: (until: AbortSignal) => Promise<T>): Promise<T> =>
        within(end - performance.now(), signals, work);
      for (;;) {
        const kept = connections.take();
        let connection = kept;
        try {
          connection ??= await inTime(open);
        } catch (error) {
          return unopened(failureOf(error), isEnding());
        }
        const failure = await inTime((until) => connection.send(message, until)).then(
          () => undefined,
          failureOf,
        );
        connections.keep(connection);
        if (!failure) return done;
        if (failure.isFinal) return { outcome: 'never', cause: failure };
        // The server may have had enough of a connection that was kept.
        if (!kept || kept.isOpen() || performance.now() >= end || isEnding())
          return { outcome: 'again', cause: failure };
      }
    },
    async close() {
      closing.abort();
      connections.close();
    },
  };
}

/** What goes wrong here may tell of the event in its message. */
async function write(mail: Mail, from: MailAddress): Promise<Message> {
  try {
    return await messageOf(renderMail(mail, from), mail.id);
  } catch (error) {
    throw new SmtpFailure(`the mail cannot be written (${(error as Error).name})`);
  }
}
