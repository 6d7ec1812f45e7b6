import { setImmediate as otherWork } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { mebibyte } from '../../core/json.ts';
import { type Clock, within } from '../../core/runtime/clock.ts';
import type { Mail } from '../../mail/mail.ts';
import { type MailAddress, renderMail } from '../../mail/render.ts';
import { type Delivery, type Destination, done, type Publisher } from '../../outbox/destination.ts';
import { mail } from '../../outbox/outbox.store.ts';
import { describeFailure } from '../connection-failures.ts';
import { createConnections, openConnection, type SmtpConnection, type SmtpServer } from './connection.ts';
import { type Message, messageOf } from './message.ts';

/** A failure whose message may be logged: it tells nothing of a mail, and nothing in the server's own words. */
class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** True for a failure that concerns the mail alone, and would come again. */
  readonly isFinal: boolean;
  /** The status of the server's answer; absent without an answer. */
  readonly smtpCode: number | undefined;

  constructor(message: string, isFinal = false, smtpCode?: number) {
    super(message);
    this.isFinal = isFinal;
    this.smtpCode = smtpCode;
  }
}

/** Statuses that concern the session, whatever was asked: bad sequence, and those that ask for signing in or for TLS. */
const ofTheSession: readonly number[] = [503, 530, 534, 535, 538];

/**
 * How the library says that it is about sender, receiver or content; without an answer of the server it found so itself: an
 * address that no command can hold, a mail larger than the server takes.
 */
const ofTheMail: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

const words: Readonly<Record<string, string>> = {
  EAUTH: 'the sign-in failed',
  ECONNECTION: 'the connection was closed before an answer',
  EPROTOCOL: 'no answer of SMTP',
  ETIMEDOUT: 'no answer in time',
  ETLS: 'no connection by TLS',
};

/** An error of the library or of Node, whose message may hold addresses and a server's words, as one that may be logged. */
function failureOf(error: unknown): SmtpFailure {
  const {
    code,
    originalCode,
    responseCode: smtpCode,
  } = error as { readonly code?: unknown; readonly originalCode?: unknown; readonly responseCode?: number };
  const isOfMail = ofTheMail.includes(code);
  if (smtpCode !== undefined) {
    const isFinal = isOfMail && smtpCode >= 500 && smtpCode < 600 && !ofTheSession.includes(smtpCode);
    const signIn = code === 'EAUTH' ? ': the sign-in failed' : '';
    return new SmtpFailure(`answered with ${smtpCode}${signIn}`, isFinal, smtpCode);
  }
  if (isOfMail) return new SmtpFailure('the server cannot be sent this mail', true);
  return new SmtpFailure(describeFailure(typeof originalCode === 'string' ? originalCode : code, words));
}

/** How long nothing is tried at a server that cannot be used. */
function createOutage(clock: Clock, { first, longest }: SmtpLimits['pauses']) {
  let pause = 0;
  let until = -Infinity;
  return {
    /** Epoch milliseconds. Attempts that fail while nothing is to be tried began before that: they make no pause longer. */
    failed(): number {
      if (clock() < until) return until;
      pause = pause === 0 ? first : Math.min(pause * 2, longest);
      return (until = clock() + pause);
    },
    over: (): void => void (pause = 0),
  };
}

export interface SmtpParts {
  readonly server: SmtpServer;
  readonly from: MailAddress;
  readonly clock?: Clock;
  /** Other ones in tests. */
  readonly limits?: Partial<SmtpLimits>;
  readonly tls?: ConnectionOptions;
}

/** Milliseconds. */
interface SmtpLimits {
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
