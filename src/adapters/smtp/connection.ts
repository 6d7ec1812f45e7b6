import SmtpSession from 'nodemailer/lib/smtp-connection';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { isLoopbackHost } from '../../core/text/host.ts';
import type { EncodedMail } from './message.ts';

/** Address of a mail server, and the credentials for it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start of the connection, instead of STARTTLS. */
  readonly secure: boolean;
  readonly user?: string;
  readonly password?: string;
}

/** A session with a mail server, which sends one mail at a time. */
export interface SmtpConnection {
  readonly isOpen: () => boolean;
  /** Resolves once the server has accepted the mail. A failure of this mail alone leaves the connection open. */
  send(message: EncodedMail, signal: AbortSignal): Promise<void>;
  /** Closes after QUIT, within a second. */
  quit(): void;
  close(): void;
}

/** Milliseconds to wait for the response to QUIT. */
const maxQuitMs = 1000;

/** Connects and signs in. Unless `secure`, STARTTLS is used if offered, and required for a password except on loopback. */
export async function openConnection(
  { host, port, secure, user, password }: SmtpServer,
  abortSignal: AbortSignal,
  tls?: ConnectionOptions,
): Promise<SmtpConnection> {
  const socket = connect({ host, port });
  // Users of the socket report its errors; a late error must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal: abortSignal });
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
  /** False after a failed mail, whose remains RSET must clear before the next one. */
  let isSessionClean = true;
  let rejectExchange = (_: Error): void => undefined;
  session.on('error', (error) => rejectExchange(error as Error)).on('end', () => (isOpen = false));
  const close = (): void => session.close();
  /** Runs one exchange with the server; aborting closes the connection. */
  const exchange = async (
    exchangeSignal: AbortSignal,
    start: (end: (error?: Error | null) => void) => void,
  ): Promise<void> => {
    exchangeSignal.addEventListener('abort', close, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        rejectExchange = reject;
        start((error) => (error ? reject(error) : resolve()));
      });
    } finally {
      exchangeSignal.removeEventListener('abort', close);
    }
  };
  const closeAndThrow = (error: unknown): never => {
    close();
    throw error;
  };
  await exchange(abortSignal, (end) => session.connect(end)).catch(closeAndThrow);
  if (user !== undefined)
    await exchange(abortSignal, (end) => session.login({ user, pass: password }, end)).catch(closeAndThrow);
  return {
    isOpen: () => isOpen,
    async send({ from, to, bytes }, exchangeSignal) {
      if (!isSessionClean) await exchange(exchangeSignal, (end) => session.reset(end)).catch(closeAndThrow);
      isSessionClean = false;
      await exchange(exchangeSignal, (end) => session.send({ from, to, size: bytes.length }, bytes, end));
      isSessionClean = true;
    },
    quit() {
      session.quit();
      setTimeout(close, maxQuitMs).unref();
    },
    close,
  };
}

/** Connections to a server: those in use, and idle ones, which are kept for `idleMs`. */
export function createConnectionPool(idleMs: number) {
  const openConnections = new Set<SmtpConnection>();
  const idleConnections = new Map<SmtpConnection, NodeJS.Timeout>();
  let isClosed = false;

  function removeConnection(connection: SmtpConnection): void {
    clearTimeout(idleConnections.get(connection));
    idleConnections.delete(connection);
    openConnections.delete(connection);
  }
  function quitConnection(connection: SmtpConnection): void {
    removeConnection(connection);
    connection.quit();
  }
  /** Removes connections that the server has closed; true if others are left. */
  function hasOpen(): boolean {
    for (const connection of openConnections) if (!connection.isOpen()) removeConnection(connection);
    return openConnections.size > 0;
  }

  return {
    /** Takes an idle connection for use; undefined if there is none. */
    takeIdle(): SmtpConnection | undefined {
      hasOpen();
      // The last used one, so that surplus connections become idle long enough to be closed.
      const [connection] = [...idleConnections.keys()].slice(-1);
      if (connection) {
        clearTimeout(idleConnections.get(connection));
        idleConnections.delete(connection);
      }
      return connection;
    },
    add: (connection: SmtpConnection): void => void openConnections.add(connection),
    release(connection: SmtpConnection): void {
      if (isClosed) quitConnection(connection);
      else if (connection.isOpen())
        idleConnections.set(connection, setTimeout(() => quitConnection(connection), idleMs).unref());
    },
    hasOpen,
    /** Closes idle connections now, and others once they are released. */
    close(): void {
      isClosed = true;
      for (const connection of [...idleConnections.keys()]) quitConnection(connection);
    },
  };
}
