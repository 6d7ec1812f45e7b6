import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from './database.ts';
import { changeChannel } from './listen.ts';

/** Tells all gateways which calendars have changed. */
export interface Announcer {
  /** Returns at once. What cannot be sent is found by the listeners, which look for changes themselves. */
  readonly announce: (calendarIds: Iterable<string>) => void;
  /** Resolves when all is sent. */
  close(): Promise<void>;
}

/** How long announcements are gathered (ms). */
const gatherMs = 20;

/**
 * Sends announcements after the changes are stored, many at once: inside of a transaction, NOTIFY holds a lock over the
 * whole database until the commit is on disk.
 */
export function createAnnouncer(database: Database): Announcer {
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    await pause(gatherMs);
    const ids = [...waiting];
    waiting = new Set();
    const statement = { name: 'notify of change', text: 'SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id', values: [changeChannel, ids] };
    await database.query(statement).catch(() => undefined);
    sending = waiting.size > 0 ? send() : undefined;
  }

  return {
    announce(calendarIds) {
      for (const id of calendarIds) waiting.add(id);
      if (waiting.size > 0) sending ??= send();
    },
    async close() {
      while (sending) await sending;
    },
  };
}
