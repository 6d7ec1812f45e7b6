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

/** How long announcements are gathered at least, and how long where others were sent just before (ms): a follower is told every 200 ms at most. */
const [gatherMs, pauseMs] = [20, 100];

/**
 * Sends announcements after the changes are stored, many at once: inside of a transaction, NOTIFY holds a lock over the
 * whole database until the commit is on disk.
 */
export function createAnnouncer(database: Database): Announcer {
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  let sentAt = -Infinity;

  async function send(): Promise<void> {
    await pause(Math.max(gatherMs, sentAt + pauseMs - performance.now()));
    sentAt = performance.now();
    const ids = [...waiting];
    waiting = new Set();
    const statement = {
      name: 'notify of change',
      text: 'SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id',
      values: [changeChannel, ids],
    };
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
