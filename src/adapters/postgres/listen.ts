import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions, defaultLimits } from './database.ts';

/** What writes tell of: the payload is the id of a calendar. */
export const changeChannel = 'calendar_changes';

/** Tells of changes that any gateway makes. */
export interface Listener {
  watch(onChange: (calendarId: string) => void): () => void;
  close(): Promise<void>;
}

const heartbeatMs = 5000;
const reconnectMs = 500;

/** Listens on one connection of its own. After a gap it tells of all calendars that may have changed meanwhile. */
export async function startListener(url: string): Promise<Listener> {
  const watchers = new Set<(calendarId: string) => void>();
  let client: pg.Client | undefined;
  let closed = false;
  /** The database's time at which the connection was last known to be alive. */
  let seenAt: Date | undefined;

  const tell = (calendarId: string): void => {
    for (const watcher of watchers) watcher(calendarId);
  };

  /** Gives the promise of the connection's end. */
  async function connect(): Promise<{ readonly ended: Promise<unknown> }> {
    const next = new pg.Client({ ...connectionOptions(url, defaultLimits), query_timeout: heartbeatMs });
    const ended = new Promise<void>((resolve) => {
      next.on('error', () => resolve());
      next.on('end', () => resolve());
    });
    next.on('notification', ({ payload }) => tell(payload ?? ''));
    try {
      await next.connect();
      await next.query(`LISTEN ${changeChannel}`);
      if (seenAt) {
        const { rows } = await next.query<{ id: string }>(`SELECT id FROM calendars WHERE changed_at >= $1::timestamptz - interval '10 seconds'`, [seenAt]);
        for (const { id } of rows) tell(id);
      }
      await beat(next);
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    return { ended };
  }

  async function beat(on: pg.Client): Promise<void> {
    const { rows } = await on.query<{ now: Date }>('SELECT now() AS now');
    seenAt = rows[0]?.now;
  }

  async function keep(first: { readonly ended: Promise<unknown> }): Promise<void> {
    let current: { readonly ended: Promise<unknown> } | undefined = first;
    while (!closed) {
      if (current) {
        const timer = setInterval(() => void (client && beat(client).catch(() => client?.end().catch(() => undefined))), heartbeatMs);
        timer.unref();
        await current.ended;
        clearInterval(timer);
      }
      if (closed) break;
      await pause(reconnectMs, undefined, { ref: false });
      current = await connect().catch(() => undefined);
    }
  }

  const keeping = keep(await connect());
  return {
    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
      await keeping;
    },
  };
}
