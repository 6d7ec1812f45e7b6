import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import { mebibyte } from '../../core/json.ts';
import { type Clock, withTimeout } from '../../core/runtime/clock.ts';
import type { Mail } from '../../mail/mail.ts';
import { type MailAddress, renderMail } from '../../mail/render.ts';
import {
  type DeliveryResult,
  type Destination,
  doneResult,
  type Publisher,
} from '../../outbox/destination.ts';
import { mailServerName } from '../../outbox/outbox.store.ts';
import { describeFailure } from '../connection-failures.ts';
import { createConnectionPool, openConnection, type SmtpConnection, type SmtpServer } from './connection.ts';
import { type EncodedMail, encodeMail } from './message.ts';

/** A failure whose message may be logged: it contains no data of a mail and no words of the server. */
class SmtpFailure extends Error {
  override readonly name = 'SmtpFailure';
  /** True for a permanent failure of this mail. */
  readonly isFinal: boolean;
  readonly smtpCode: number | undefined;

  constructor(message: string, isFinal = false, smtpCode?: number) {
    super(message);
    this.isFinal = isFinal;
    this.smtpCode = smtpCode;
  }
}

/** Statuses that concern the session, not the mail: bad sequence, authentication or TLS required. */
const sessionStatuses: readonly number[] = [503, 530, 534, 535, 538];

/** Library codes for failures of sender, recipient or content. Without a reply, the library itself refused the mail. */
const mailErrorCodes: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

/** Failures by the library's codes, in words for operators. */
const smtpReasons: Readonly<Record<string, string>> = {
  EAUTH: 'the sign-in failed',
  ECONNECTION: 'the connection was closed before a response',
  EPROTOCOL: 'no SMTP response',
  ETIMEDOUT: 'no response in time',
  ETLS: 'no connection by TLS',
};

/** Converts an error of the library or of Node.js, whose message may contain addresses, into one that may be logged. */
function toSmtpFailure(error: unknown): SmtpFailure {
  const {
    code,
    originalCode,
    responseCode: smtpCode,
  } = error as { readonly code?: unknown; readonly originalCode?: unknown; readonly responseCode?: number };
  const concernsMail = mailErrorCodes.includes(code);
  if (smtpCode !== undefined) {
    const isFinal = concernsMail && smtpCode >= 500 && smtpCode < 600 && !sessionStatuses.includes(smtpCode);
    const signInHint = code === 'EAUTH' ? ': the sign-in failed' : '';
    return new SmtpFailure(`answered with ${smtpCode}${signInHint}`, isFinal, smtpCode);
  }
  if (concernsMail) return new SmtpFailure('the server cannot be sent this mail', true);
  return new SmtpFailure(
    describeFailure(typeof originalCode === 'string' ? originalCode : code, smtpReasons),
  );
}

/** Backoff for a server that cannot be used. */
function createOutage(clock: Clock, { firstMs, maxMs }: SmtpLimits['pauses']) {
  let pauseMs = 0;
  let pausedUntil = -Infinity;
  return {
    /** Returns the end of the pause (epoch ms). Failures of attempts begun before the pause do not extend it. */
    recordFailure(): number {
      if (clock() < pausedUntil) return pausedUntil;
      pauseMs = pauseMs === 0 ? firstMs : Math.min(pauseMs * 2, maxMs);
      return (pausedUntil = clock() + pauseMs);
    },
    /** Lets the next pause be a short one again. */
    resetPause: (): void => void (pauseMs = 0),
  };
}

/** Collaborators of the publisher. `from`: sender of all mails. */
export interface SmtpDependencies {
  readonly server: SmtpServer;
  readonly from: MailAddress;
  readonly clock?: Clock;
  readonly limits?: Partial<SmtpLimits>;
  readonly tls?: ConnectionOptions;
}

/** Limits in milliseconds. */
interface SmtpLimits {
  readonly maxAttemptMs: number;
  readonly maxIdleMs: number;
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
}

const defaultLimits: SmtpLimits = {
  maxAttemptMs: 30_000,
  maxIdleMs: 10_000,
  pauses: { firstMs: 1000, maxMs: 30_000 },
};

/** Sends mails through an SMTP server, each to one recipient. Each concurrent attempt uses its own connection. */
export function createSmtpPublisher({
  server,
  from,
  clock = Date.now,
  limits,
  tls,
}: SmtpDependencies): Publisher<Mail> {
  const { maxAttemptMs, maxIdleMs, pauses }: SmtpLimits = { ...defaultLimits, ...limits };
  const connections = createConnectionPool(maxIdleMs);
  const outage = createOutage(clock, pauses);
  const closingController = new AbortController();
  let lastYield: Promise<unknown> = Promise.resolve();
  /** Encoding a large mail takes time, so the event loop runs between two mails. */
  const yieldBetweenMails = (): Promise<unknown> => (lastYield = lastYield.then(() => yieldToEventLoop()));

  async function openPooledConnection(signal: AbortSignal): Promise<SmtpConnection> {
    const connection = await openConnection(server, signal, tls);
    outage.resetPause();
    connections.add(connection);
    return connection;
  }

  /** A server with open connections may just refuse more of them; without any, it is unavailable. */
  function toConnectFailureResult(cause: SmtpFailure, isEnding: boolean): DeliveryResult {
    return isEnding || connections.hasOpen()
      ? { outcome: 'again', cause }
      : { outcome: 'pause', isOutage: true, until: outage.recordFailure(), cause };
  }

  return {
    async publish(mail, abortSignal) {
      await yieldBetweenMails();
      const encodedMail = await renderAndEncode(mail, from);
      const signals = [abortSignal, closingController.signal];
      const isEnding = (): boolean => signals.some(({ aborted }) => aborted);
      const deadline = performance.now() + maxAttemptMs;
      const withDeadline = <T>(work: (workSignal: AbortSignal) => Promise<T>): Promise<T> =>
        withTimeout(deadline - performance.now(), signals, work);
      for (;;) {
        const idleConnection = connections.takeIdle();
        let connection = idleConnection;
        try {
          connection ??= await withDeadline(openPooledConnection);
        } catch (error) {
          return toConnectFailureResult(toSmtpFailure(error), isEnding());
        }
        const failure = await withDeadline((sendSignal) => connection.send(encodedMail, sendSignal)).then(
          () => undefined,
          toSmtpFailure,
        );
        connections.release(connection);
        if (!failure) return doneResult;
        if (failure.isFinal) return { outcome: 'never', cause: failure };
        // The server may have closed an idle connection, so another one is tried.
        if (!idleConnection || idleConnection.isOpen() || performance.now() >= deadline || isEnding())
          return { outcome: 'again', cause: failure };
      }
    },
    async close() {
      closingController.abort();
      connections.close();
    },
  };
}

/** Encodes a mail; hides the message of an error, which may contain data of the event. */
async function renderAndEncode(mail: Mail, from: MailAddress): Promise<EncodedMail> {
  try {
    return await encodeMail(renderMail(mail, from), mail.id);
  } catch (error) {
    throw new SmtpFailure(`the mail cannot be written (${(error as Error).name})`);
  }
}

/** The destination for mails. A change over its limits is stored without mails. */
export const createSmtpDestination = (dependencies: SmtpDependencies): Destination<Mail> => ({
  name: mailServerName,
  kind: 'mail',
  locationFields: { host: `${dependencies.server.host}:${dependencies.server.port}` },
  publisher: createSmtpPublisher(dependencies),
  accepts: () => true,
  capacity: { maxBytes: 64 * mebibyte, maxBytesPerOwner: 16 * mebibyte, whenFull: 'drop' },
  pauses: { firstMs: 2000, maxMs: 10 * 60 * 1000 },
  // Limits the connections to the server.
  maxConcurrentKeys: 10,
});
