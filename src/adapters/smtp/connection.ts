import SmtpSession from 'nodemailer/lib/smtp-connection';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isLoopbackHost } from '../../core/text/address.ts';
import type { Message } from './message.ts';

/** A server that takes mails to send. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on. */
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

/** A connection that is signed in. */
export interface SmtpConnection {
  readonly isOpen: () => boolean;
  /** Resolves once the server has the mail. A failure that concerns that mail alone leaves the connection open. */
  send(message: Message, signal: AbortSignal): Promise<void>;
  /** Takes leave of the server, which may take a second. */
  quit(): void;
  /** Ends it at once. */
  close(): void;
}

const quitMs = 1000;

/**
 * Connects and signs in. Without TLS from the start it is used where it is offered, and required for a password, save on this
 * machine. Certificates are checked. `tls`: other options of TLS, in tests.
 */
export async function openConnection(
  { host, port, secure, user, password }: SmtpServer,
  signal: AbortSignal,
  tls?: ConnectionOptions,
): Promise<SmtpConnection> {
  const socket = connect({ host, port });
  // What happens to the socket is told by who uses it; an error that comes late is nobody's.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const session = new SmtpSession({
    connection: socket,
    host,
    port,
    secure,
    requireTLS: !secure && user !== undefined && !isLoopbackHost(host),
    socketCloseTimeout: 0,
    tls,
  });
  let isOpen = true;
  let isClean = true;
  let fail = (_: Error): void => undefined;
  session.on('error', (error) => fail(error as Error)).on('end', () => (isOpen = false));
  const close = (): void => session.close();
  /** One exchange with the server, which ends with the signal. */
  const step = async (
    until: AbortSignal,
    run: (end: (error?: Error | null) => void) => void,
  ): Promise<void> => {
    until.addEventListener('abort', close, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        run((error) => (error ? reject(error) : resolve()));
      });
    } finally {
      until.removeEventListener('abort', close);
    }
  };
  const fault = (error: unknown): never => {
    close();
    throw error;
  };
  await step(signal, (end) => session.connect(end)).catch(fault);
  if (user !== undefined)
    await step(signal, (end) => session.login({ user, pass: password }, end)).catch(fault);
  return {
    isOpen: () => isOpen,
    async send({ from, to, bytes }, until) {
      // What is left of a mail that was refused.
      if (!isClean) await step(until, (end) => session.reset(end)).catch(fault);
      isClean = false;
      await step(until, (end) => session.send({ from, to, size: bytes.length }, bytes, end));
      isClean = true;
    },
    quit() {
      session.quit();
      setTimeout(close, quitMs).unref();
    },
    close,
  };
}

/**
 * The connections to a server: those that carry mails, and those that are kept for the next ones, each for so many milliseconds.
 */
export function createConnections(idleMs: number) {
  const all = new Set<SmtpConnection>();
  const kept = new Map<SmtpConnection, NodeJS.Timeout>();
  let isClosed = false;

  function drop(connection: SmtpConnection): void {
    clearTimeout(kept.get(connection));
    kept.delete(connection);
    all.delete(connection);
  }
  function end(connection: SmtpConnection): void {
    drop(connection);
    connection.quit();
  }
  function some(): boolean {
    for (const one of all) if (!one.isOpen()) drop(one);
    return all.size > 0;
  }

  return {
    /** Takes a kept connection that is still open; it is the caller's until it is kept again. */
    take(): SmtpConnection | undefined {
      some();
      // The one that was used last: others are then idle for long enough to be ended.
      const [connection] = [...kept.keys()].slice(-1);
      if (connection) {
        clearTimeout(kept.get(connection));
        kept.delete(connection);
      }
      return connection;
    },
    /** Adds a new one, which is the caller's. */
    add: (connection: SmtpConnection): void => void all.add(connection),
    keep(connection: SmtpConnection): void {
      if (isClosed) end(connection);
      else if (connection.isOpen()) kept.set(connection, setTimeout(() => end(connection), idleMs).unref());
    },
    /** Whether any is open. */
    some,
    /** Ends all that are kept, and each of the others once it is to be kept. */
    close(): void {
      isClosed = true;
      for (const connection of [...kept.keys()]) end(connection);
    },
  };
}
