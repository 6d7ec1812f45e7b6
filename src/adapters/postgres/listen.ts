import type pg from 'pg';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { anyKey } from '../../core/runtime/streams.ts';
import { type ShardedDatabase, type ShardsStatementBuilder, queryShards } from './query-shards.ts';
import { catchUnavailable } from './failures.ts';
import { type Database, type Row, sql } from './database.ts';
import { keepConnection } from './kept-connection.ts';
import { lockInUse } from './transaction.ts';

/** A query for rows written between two times of the database's clock. */
interface ChangeQuery {
  readonly tables: readonly [string, ...string[]];
  readonly statement: (since: string, until: string) => ShardsStatementBuilder;
}

/** Ignores the last second, in which a notification may still arrive. */
const changedCalendarsQuery: ChangeQuery = {
  tables: ['calendars', 'removed_calendars'],
  statement: (since, until) => (table) => {
    const isBetween = (column: string): string =>
      `${column} >= ${since} AND ${column} <= ${until} - interval '1 second'`;
    return {
      title: 'changed calendars',
      text: `SELECT id, changes FROM ${table('calendars')} c WHERE ${isBetween('changed_at')} UNION ALL SELECT id, -1 FROM ${table('removed_calendars')} r WHERE ${isBetween('removed_at')}`,
    };
  },
};

export const publishedTopicsQuery: ChangeQuery = {
  tables: ['published'],
  statement: (since) => (table) => ({
    title: 'published topics',
    text: `SELECT DISTINCT topic FROM ${table('published')} p WHERE published_at >= extract(epoch FROM ${since}) * 1000`,
  }),
};

/** Milliseconds by which the timestamp of a transaction may precede the visibility of its rows. */
const baseLatenessMs = 10_000;
/** Milliseconds until the recovery workers of Citus run again after a restart. */
const restartMs = 5000;
const recoveryIntervalSql =
  "SELECT max(setting::integer) AS ms FROM pg_settings WHERE name = 'citus.recover_2pc_interval'";

/** Reads the maximum lateness. On a cluster, rows of an unconfirmed two-phase commit become visible after its recovery. */
export async function readMaxLatenessMs(database: ShardedDatabase): Promise<number> {
  const [row] = await database.query({ title: 'time of recovery', text: recoveryIntervalSql });
  const recoveryMs = (row?.ms ?? null) as number | null;
  return recoveryMs === null ? baseLatenessMs : baseLatenessMs + restartMs + Math.max(0, recoveryMs);
}

/** Polls for changes, including late ones of nodes that were unavailable. */
export function createChangePoller({ tables, statement }: ChangeQuery, maxLatenessMs: number) {
  /** Start of the first incomplete poll whose rows may be unseen. */
  let incompleteSince: Date | undefined;
  /** Time since which all nodes answer again. */
  let completeSince: Date | undefined;
  const subtractLateness = (time: Date): Date => new Date(time.getTime() - maxLatenessMs);

  return {
    /** Whether changes of an unavailable node may be unseen. */
    isIncomplete: (): boolean => incompleteSince !== undefined,
    /** Finds rows written since a time; may return older ones too. */
    async find(database: ShardedDatabase, since: Date, now: Date): Promise<readonly Row[]> {
      const firstTime = subtractLateness((completeSince && incompleteSince) ?? since);
      const [sinceLiteral, nowLiteral] = [firstTime, now].map(
        (time) => `'${time.toISOString()}'::timestamptz`,
      ) as [string, string];
      const { rows, isComplete } = await catchUnavailable(
        queryShards(database, tables, statement(sinceLiteral, nowLiteral)),
        { rows: [], isComplete: false },
      );
      if (!isComplete) {
        incompleteSince ??= since;
        completeSince = undefined;
      } else if (incompleteSince) {
        completeSince ??= now;
        // Transactions in progress when the node was lost are visible by now.
        if (completeSince < subtractLateness(now)) incompleteSince = completeSince = undefined;
      }
      return rows;
    },
  };
}

/** Channel of changed calendars: the payload is the id. */
export const changeChannel = 'calendar_changes';
/** Channel of topics with new messages, and of buckets that lost managers or were deleted: the payload is the name. */
export const topicChannel = 'published_topics';

/** Called with the payload of a notification, or `anyKey` if some may have been missed. */
type Watcher = (payload: string) => void;

/** Notifies watchers of changes by any gateway. */
export type Listener = Awaited<ReturnType<typeof startListener>>;

/** Interval of the connection check and of the poll for unannounced changes: a gateway may end between commit and NOTIFY. */
const pollIntervalMs = 2500;
const maxQueryMs = 5000;

/** Listens on a dedicated connection. Polls use the pool, where a query waiting for a silent node delays no notification. */
export async function startListener(url: string, log: Pick<Log, 'info' | 'error'>, database: Database) {
  const watchers = new Map([changeChannel, topicChannel].map((channel) => [channel, new Set<Watcher>()]));
  /** Database time of the last successful poll. */
  let lastPolledAt: Date | undefined;
  let notifiedChanges = new Map<string, unknown>();
  /** Notifications may have been missed while disconnected. */
  let hasGap = false;
  const maxLatenessMs = await readMaxLatenessMs(database);
  const [calendarPoller, topicPoller] = [
    createChangePoller(changedCalendarsQuery, maxLatenessMs),
    createChangePoller(publishedTopicsQuery, maxLatenessMs),
  ];

  const notifyWatchers = (channel: string, payload: string): void => {
    for (const watcher of watchers.get(channel) ?? []) watcher(payload);
  };

  /** Listens, and notifies of changes since the last poll. */
  async function startListening(client: pg.Client): Promise<void> {
    client.on('notification', ({ channel, payload = '' }) => notifyWatchers(channel, payload));
    const { rows } = await client.query<{ mine: boolean }>(lockInUse.text);
    if (!rows[0]?.mine)
      throw new StartError('DATABASE_URL: the database is being rebuilt. Start when that is done.');
    for (const channel of watchers.keys()) await client.query(`LISTEN ${channel}`);
    const isReconnected = lastPolledAt !== undefined;
    hasGap = isReconnected;
    await pollChanges(client);
    if (isReconnected) log.info({}, 'listening again for changes');
  }

  /** Notifies of changes since the last poll, even those that a notification announced; of topics only after a gap. */
  async function pollChanges(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ now: Date }>('SELECT now() AS now');
    const now = rows[0]?.now;
    if (lastPolledAt && now) await notifySince(lastPolledAt, now);
    lastPolledAt = now;
  }

  /** Notifies of the rows that changed between two times of the database. */
  async function notifySince(since: Date, now: Date): Promise<void> {
    const hadGap = hasGap;
    hasGap = false;
    // No table records when a bucket lost a manager.
    if (hadGap) notifyWatchers(topicChannel, anyKey);
    if (hadGap || topicPoller.isIncomplete())
      for (const { topic } of await topicPoller.find(database, since, now))
        notifyWatchers(topicChannel, topic as string);
    if (!watchers.get(changeChannel)?.size) return;
    const currentChanges = new Map(
      (await calendarPoller.find(database, since, now)).map(({ id, changes }) => [id as string, changes]),
    );
    for (const [id, changes] of currentChanges)
      if (notifiedChanges.get(id) !== changes) notifyWatchers(changeChannel, id);
    notifiedChanges = currentChanges;
  }

  const close = await keepConnection(url, log, {
    purpose: 'listens for changes',
    maxQueryMs,
    checkIntervalMs: pollIntervalMs,
    prepare: startListening,
    check: pollChanges,
  });
  return {
    watch(channel: string, watcher: Watcher): () => void {
      watchers.get(channel)?.add(watcher);
      return () => watchers.get(channel)?.delete(watcher);
    },
    close,
  };
}

/** Announces changed calendars to all gateways. */
export type Announcer = ReturnType<typeof createAnnouncer>;

/** Milliseconds to gather announcements, and between two batches: followers react every 200 ms at most anyway. */
const [minGatherMs, minIntervalMs] = [20, 100];

/** Announces changes in batches after their commit: inside of a transaction, NOTIFY holds a database-wide lock. */
export function createAnnouncer(database: Database) {
  let pendingIds = new Set<string>();
  let currentSend: Promise<void> | undefined;
  let lastSentAt = -Infinity;

  async function send(): Promise<void> {
    await pause(Math.max(minGatherMs, lastSentAt + minIntervalMs - performance.now()));
    lastSentAt = performance.now();
    const ids = [...pendingIds];
    pendingIds = new Set();
    const statement = sql`/* notify of change */ SELECT pg_notify(${changeChannel}, id) FROM unnest(${ids}::text[]) AS id`;
    await database.query(statement).catch(() => undefined);
    currentSend = pendingIds.size > 0 ? send() : undefined;
  }

  return {
    /** Returns at once. Listeners poll, so a failed announcement is only late. */
    announce: (calendarIds: Iterable<string>): void => {
      for (const id of calendarIds) pendingIds.add(id);
      if (pendingIds.size > 0) currentSend ??= send();
    },
    async close(): Promise<void> {
      while (currentSend) await currentSend;
    },
  };
}
