import { connectionOptions, type Database, defaultLimits, type Row, sql } from './database.ts';
import pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { anyKey } from '../../core/runtime/watch.ts';
import {
  type AskedEverywhere,
  type Everywhere,
  type EverywhereStatement,
  lookEverywhere,
} from './everywhere.ts';
import { unlessAway } from './failures.ts';
import { lockInUse } from './transaction.ts';

/** A look for rows that were written since a moment and up to now, by the database's time. */
interface ChangeQuery {
  readonly tables: readonly [string, ...string[]];
  readonly statement: (since: string, until: string) => EverywhereStatement;
}

const literal = (time: Date): string => `'${time.toISOString()}'::timestamptz`;

/** A calendar's change has a second to be announced. */
const changedCalendars: ChangeQuery = {
  tables: ['calendars', 'removed_calendars'],
  statement: (since, until) => (table) => {
    const within = (column: string): string =>
      `${column} >= ${since} AND ${column} <= ${until} - interval '1 second'`;
    return {
      title: 'changed calendars',
      text: `SELECT id, changes FROM ${table('calendars')} c WHERE ${within('changed_at')} UNION ALL SELECT id, -1 FROM ${table('removed_calendars')} r WHERE ${within('removed_at')}`,
    };
  },
};

export const publishedTopics: ChangeQuery = {
  tables: ['published'],
  statement: (since) => (table) => ({
    title: 'published topics',
    text: `SELECT DISTINCT topic FROM ${table('published')} p WHERE published_at >= extract(epoch FROM ${since}) * 1000`,
  }),
};

/** How much older than the moment in which its rows are seen a transaction may be (ms). */
const latenessMs = 10_000;
/** How long it takes until those run again who bring to their end what a lost node had not confirmed (ms). */
const restartMs = 5000;
const recoveryTime =
  "SELECT max(setting::integer) AS ms FROM pg_settings WHERE name = 'citus.recover_2pc_interval'";

/** On a cluster what a node has not confirmed is seen when it was brought to its end. */
export async function latenessOn(database: AskedEverywhere): Promise<number> {
  const [row] = await database.query({ title: 'time of recovery', text: recoveryTime });
  const recoveryMs = (row?.ms ?? null) as number | null;
  return recoveryMs === null ? latenessMs : latenessMs + restartMs + Math.max(0, recoveryMs);
}

/** Looks, and goes on looking for what stands on a node that was away. */
interface ChangePoller {
  /** Finds what was written since a moment, and rather more. */
  find(asked: AskedEverywhere, since: Date, now: Date): Promise<readonly Row[]>;
  /** A node was away, and not all that it has was seen yet. */
  isBehind(): boolean;
}

const nothing: Everywhere = { rows: [], complete: false };

export function createSearch({ tables, statement }: ChangeQuery, lateness: number): ChangePoller {
  /** The last look that all nodes answered, where a later one had not all. */
  let missing: Date | undefined;
  /** Since then all nodes answer. */
  let whole: Date | undefined;
  const earlier = (time: Date): Date => new Date(time.getTime() - lateness);

  return {
    isBehind: () => missing !== undefined,
    async find(asked, since, now) {
      const begin = literal(earlier((whole && missing) ?? since));
      // While the database is away a look is incomplete, and is repeated.
      const { rows, complete } = await unlessAway(
        lookEverywhere(asked, tables, statement(begin, literal(now))),
        nothing,
      );
      if (!complete) {
        missing ??= since;
        whole = undefined;
      } else if (missing) {
        whole ??= now;
        // Changes that were on their way when the node went are seen by now.
        if (whole < earlier(now)) missing = whole = undefined;
      }
      return rows;
    },
  };
}

/** Of calendars that changed: the payload is the id. */
export const changeChannel = 'calendar_changes';
/** Channel of topics that were published to, and of buckets that lost managers or were deleted: the payload is the topic or the bucket's name. */
export const topicChannel = 'published_topics';

type Watcher = (payload: string) => void;

/** Tells of what any gateway does. */
export interface Listener {
  watch(channel: string, watcher: Watcher): () => void;
  close(): Promise<void>;
}

/** How often the connection is tried, and changes are looked for that nobody told of: a gateway that ends behind a commit tells nobody. */
const lookMs = 2500;
const silenceMs = 5000;
const reconnectMs = 500;

/**
 * Listens on one connection of its own. After a gap it tells of all that may have happened meanwhile. Tables are read through
 * the pool: a query that waits for a silent node would delay notifications.
 */
export async function startListener(
  url: string,
  log: Pick<Log, 'info' | 'error'>,
  database: Database,
): Promise<Listener> {
  const watchers = new Map([changeChannel, topicChannel].map((channel) => [channel, new Set<Watcher>()]));
  let client: pg.Client | undefined;
  let closed = false;
  /** The database's time at which the connection was last known to be alive. */
  let seenAt: Date | undefined;
  /** The numbers of the changes that the last look has found, by calendar. */
  let looked = new Map<string, unknown>();
  let looking = false;
  /** There was a time in which nothing was heard. */
  let gap = false;
  const lateness = await latenessOn(database);
  const [calendars, topics] = [
    createSearch(changedCalendars, lateness),
    createSearch(publishedTopics, lateness),
  ];

  const tell = (channel: string, payload: string): void => {
    for (const watcher of watchers.get(channel) ?? []) watcher(payload);
  };

  /** Gives the promise of the connection's end, with the error that ended it. */
  async function connect(): Promise<{ readonly ended: Promise<unknown> }> {
    const next = new pg.Client({ ...connectionOptions(url, defaultLimits), query_timeout: silenceMs });
    const ended = new Promise<unknown>((resolve) => {
      next.on('error', resolve);
      next.on('end', () => resolve(undefined));
    });
    next.on('notification', ({ channel, payload = '' }) => tell(channel, payload));
    try {
      await next.connect();
      const {
        rows: [lock],
      } = await next.query<{ mine: boolean }>(lockInUse.text);
      if (!lock?.mine)
        throw new StartError('DATABASE_URL: the database is being rebuilt. Start when that is done.');
      for (const channel of watchers.keys()) await next.query(`LISTEN ${channel}`);
      gap = seenAt !== undefined;
      if (!closed) await look(next);
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    client = next;
    return { ended };
  }

  /** Tells of changes since the last look, those too that a notification told of meanwhile; of topics after a gap alone. */
  async function look(on: pg.Client): Promise<void> {
    const {
      rows: [time],
    } = await on.query<{ now: Date }>('SELECT now() AS now');
    const [since, now] = [seenAt, time?.now];
    if (looking) return;
    looking = true;
    try {
      if (since && now) await tellSince(since, now);
      seenAt = now;
    } finally {
      looking = false;
    }
  }

  async function tellSince(since: Date, now: Date): Promise<void> {
    const hadGap = gap;
    gap = false;
    // No row says when a bucket lost a manager.
    if (hadGap) tell(topicChannel, anyKey);
    if (hadGap || topics.isBehind())
      for (const { topic } of await topics.find(database, since, now)) tell(topicChannel, topic as string);
    if (!watchers.get(changeChannel)?.size) return;
    const found = new Map(
      (await calendars.find(database, since, now)).map(({ id, changes }) => [id as string, changes]),
    );
    for (const [id, changes] of found) if (looked.get(id) !== changes) tell(changeChannel, id);
    looked = found;
  }

  /** Resolves when the connection has ended; one that does not answer any more is ended. */
  async function endOf({ ended }: { readonly ended: Promise<unknown> }): Promise<unknown> {
    let silence: unknown;
    const timer = setInterval(
      () =>
        void (
          client &&
          look(client).catch((error: unknown) => {
            silence = error;
            void client?.end().catch(() => undefined);
          })
        ),
      lookMs,
    );
    timer.unref();
    const error = await ended;
    clearInterval(timer);
    return error ?? silence;
  }

  /** Connects anew, however often that takes, and tells of the first failure only; undefined when it was closed meanwhile. */
  async function reconnect(): Promise<{ readonly ended: Promise<unknown> } | undefined> {
    for (let failures = 0; ; failures += 1) {
      await pause(reconnectMs, undefined, { ref: false });
      if (closed) return undefined;
      try {
        return await connect();
      } catch (err) {
        if (closed) return undefined;
        if (failures === 0)
          log.error({ err }, 'the connection that listens for changes cannot be made; it is tried again');
      }
    }
  }

  async function keep(first: { readonly ended: Promise<unknown> }): Promise<void> {
    let current: { readonly ended: Promise<unknown> } | undefined = first;
    while (current) {
      // The listener was closed while this connection was being made.
      if (closed) await client?.end().catch(() => undefined);
      const err = await endOf(current);
      if (closed) return;
      log.error({ err }, 'the connection that listens for changes was lost');
      current = await reconnect();
      if (current) log.info({}, 'listening again for changes');
    }
  }

  const keeping = keep(await connect());
  return {
    watch(channel, watcher) {
      watchers.get(channel)?.add(watcher);
      return () => watchers.get(channel)?.delete(watcher);
    },
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
      await keeping;
    },
  };
}

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
    const statement = sql`/* notify of change */ SELECT pg_notify(${changeChannel}, id) FROM unnest(${ids}::text[]) AS id`;
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
