import type { SmtpConnection } from './connection.ts';

/** The connections to a server: those that carry mails, and those that were kept for the next ones. */
export interface Connections {
  /** One that was kept and is open still; it is the caller's until it is kept again. */
  take(): SmtpConnection | undefined;
  /** A new one, which is the caller's. */
  add(connection: SmtpConnection): void;
  keep(connection: SmtpConnection): void;
  /** Whether any is open. */
  some(): boolean;
  /** Ends all that are kept, and each of the others once it is to be kept. */
  close(): void;
}

/** A connection is kept for so many milliseconds. */
export function createConnections(idleMs: number): Connections {
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
    take() {
      some();
      // The one that was used last: others are then idle for long enough to be ended.
      const [connection] = [...kept.keys()].slice(-1);
      if (connection) {
        clearTimeout(kept.get(connection));
        kept.delete(connection);
      }
      return connection;
    },
    add: (connection) => void all.add(connection),
    keep(connection) {
      if (isClosed) end(connection);
      else if (connection.isOpen()) kept.set(connection, setTimeout(() => end(connection), idleMs).unref());
    },
    some,
    close() {
      isClosed = true;
      for (const connection of [...kept.keys()]) end(connection);
    },
  };
}
