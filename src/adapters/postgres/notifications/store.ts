import type { Database, Read, Statement } from '../database.ts';
import { addToOutbox, type OutboxAddition, type OutboxRoom, waitingBytesOf } from '../outbox/store.ts';
import { earlierFrom, findRequest, rememberRequest } from '../request-records.ts';
import { lookupKey, queryByKeys } from '../statements.ts';
import { fromStored, toStored } from '../stored-json.ts';
import { changeInTransaction, counting } from '../transaction.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import { grouped } from '../../../core/kernel/plain-data.ts';
import type { RequestRecordLimits } from '../../../core/kernel/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type {
  NotificationChange,
  NotificationState,
  NotificationStore,
  NotificationTarget,
  StoredNotification,
} from '../../../notification/notification.store.ts';
import { defaultOutboxRules, type Dropped, type OutboxRules } from '../../../outbox/outbox.store.ts';

/** Rules other than the usual ones. */
interface NotificationStoreRules {
  readonly outbox?: Partial<OutboxRules>;
  readonly requests?: RequestRecordLimits;
}

/** The notifications of buckets and the messages these cause in PostgreSQL, shared by all gateways on one database. */
export function createPostgresNotificationStore<N extends StoredNotification>(
  database: Database,
  clock: Clock,
  rules: NotificationStoreRules = {},
): NotificationStore<N> {
  const { roomOf } = { ...defaultOutboxRules, ...rules.outbox };
  return {
    async notifications(buckets) {
      const rows = await queryByKeys(database, [...new Set(buckets.map(lookupKey))], (bucket) => ({
        name: 'notifications',
        text: 'SELECT bucket, body FROM notifications WHERE bucket = $1 ORDER BY position',
        values: [bucket],
      }));
      const found = grouped(rows, ({ bucket }) => bucket as string);
      return buckets.map((bucket) => (found.get(bucket) ?? []).map(({ body }) => fromStored<N>(body)));
    },

    async bucketsWithTopic(topic) {
      const rows = await database.query({
        name: 'buckets with topic',
        text: 'SELECT bucket FROM topics WHERE topic = $1',
        values: [lookupKey(topic)],
      });
      return rows.map(({ bucket }) => bucket as string);
    },

    async changeNotifications<T>(
      target: NotificationTarget,
      decide: Parameters<NotificationStore<N>['changeNotifications']>[1],
    ) {
      const now = clock();
      const { result, dropped } = await waitingBytesOf(database).change(roomOf, ({ free, reserve }) =>
        changeInTransaction<LoadedBucket<N>, Stored<T>>(database, {
          load: (read) => loadBucket<N>(read, target, now),
          waitsFor: () => target.bucket,
          lock: () => [
            {
              name: 'lock bucket',
              text: 'SELECT FROM buckets WHERE name = $1 FOR UPDATE',
              values: [target.bucket],
            },
          ],
          decide(loaded) {
            if (!loaded.state) return { statements: [], result: { result: undefined, dropped: [] } };
            const change = decide(loaded.state) as NotificationChange<N, T>;
            const room = { free, rules: rules.outbox, now };
            const { statements, dropped, bytes } = writeBucket(target, change, loaded, {
              database,
              room,
              bytesPerCaller: rules.requests?.bytesPerCaller,
            });
            reserve(bytes);
            return { statements, result: { result: change.result, dropped } };
          },
        }),
      );
      for (const one of dropped) rules.outbox?.onDropped?.(one);
      return result;
    },
  };
}

/** What came of a change that is stored. */
interface Stored<T> {
  readonly result: T | undefined;
  /** Messages that were not stored for a destination, which had no room for them. */
  readonly dropped: readonly Dropped[];
}

interface BucketWriting {
  readonly database: Database;
  readonly room: OutboxRoom;
  readonly bytesPerCaller: number | undefined;
}

/** Statements that store a change; they fail where the bucket's notifications were changed meanwhile. */
function writeBucket<N extends StoredNotification, T>(
  { bucket, request }: NotificationTarget,
  { insert, remove, messages = [], outcome }: NotificationChange<N, T>,
  { version, state }: LoadedBucket<N>,
  { database, room, bytesPerCaller }: BucketWriting,
): OutboxAddition {
  const added = addToOutbox(bucket, messages, room);
  const changes = [
    ...(remove === undefined ? [] : removal(bucket, remove, state?.existing ?? [])),
    ...(insert ? insertion(bucket, insert, version + 1) : []),
    ...(outcome !== undefined && request
      ? rememberRequest(request, {
          database,
          outcome,
          now: room.now,
          kind: 'notification',
          bytesPerCaller,
        })
      : []),
    ...added.statements,
  ];
  if (changes.length === 0) return added;
  return {
    ...added,
    statements: [
      insert || remove !== undefined
        ? nextVersion(bucket, version, insert?.id)
        : sameVersion(bucket, version),
      ...changes,
    ],
  };
}

const nextVersion = (bucket: string, version: number, id = '0'): Statement => ({
  name: 'change bucket',
  text: counting(
    'UPDATE buckets SET version = version + 1, last_id = greatest(last_id, $3::numeric) WHERE name = $1 AND version = $2 RETURNING 1',
  ),
  values: [bucket, version, id],
});

/** A shared lock: writers that only add messages do not wait for each other. */
const sameVersion = (bucket: string, version: number): Statement => ({
  name: 'keep bucket',
  text: counting('SELECT 1 FROM buckets WHERE name = $1 AND version = $2 FOR SHARE'),
  values: [bucket, version],
});

// Topics stand on shards of their own: no statement is about both.

const insertion = (bucket: string, record: StoredNotification, position: number): Statement[] => [
  ...(record.topic === undefined
    ? []
    : [
        {
          name: 'add topic',
          text: 'INSERT INTO topics (topic, bucket) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          values: [record.topic, bucket],
        },
      ]),
  {
    name: 'insert notification',
    text: 'INSERT INTO notifications (bucket, id, position, topic, body) VALUES ($1, $2, $3, $4, $5)',
    values: [bucket, record.id, position, record.topic ?? null, toStored(record)],
  },
];

/** The topic goes with the last notification of the bucket that has it. */
function removal(bucket: string, id: string, existing: readonly StoredNotification[]): Statement[] {
  const topic = existing.find((one) => one.id === id)?.topic;
  const isLast = topic !== undefined && existing.every((one) => one.id === id || one.topic !== topic);
  return [
    {
      name: 'remove notification',
      text: 'DELETE FROM notifications WHERE bucket = $1 AND id = $2',
      values: [bucket, id],
    },
    ...(isLast
      ? [
          {
            name: 'remove topic',
            text: 'DELETE FROM topics WHERE topic = $1 AND bucket = $2',
            values: [topic, bucket],
          },
        ]
      : []),
  ];
}

/** The state that a change is decided on, and the values that are needed to store it. */
interface LoadedBucket<N extends StoredNotification> {
  readonly state: NotificationState<N> | undefined;
  /** Counts the changes of the bucket's notifications. */
  readonly version: number;
}

/** A bucket with its notifications. $1 bucket. */
const text = `
SELECT 'bucket' AS kind, b.body, b.version AS n, (b.last_id + 1)::text AS a, NULL AS b FROM buckets b WHERE b.name = $1
UNION ALL SELECT * FROM (SELECT 'notification', body, position, id, NULL FROM notifications WHERE bucket = $1 ORDER BY position) AS n`;

/** Loads each row from its shard, in one round trip: a change that is stored then checks both. */
async function loadBucket<N extends StoredNotification>(
  read: Read,
  { bucket: name, request: asked }: NotificationTarget,
  now: number,
): Promise<LoadedBucket<N>> {
  const answers = await read([
    { name: 'load bucket', text, values: [lookupKey(name)] },
    ...(asked ? [findRequest(asked, now)] : []),
  ]);
  const rows = answers.flat();
  const bucket = rows.find(({ kind }) => kind === 'bucket');
  const request = rows.find(({ kind }) => kind === 'request');
  const existing = rows.filter(({ kind }) => kind === 'notification').map(({ body }) => fromStored<N>(body));
  return {
    state: bucket && {
      bucket: fromStored<BucketRecord>(bucket.body),
      existing: Object.freeze(existing),
      nextId: bucket.a as string,
      earlier: request && earlierFrom(request.a, request.body),
    },
    version: (bucket?.n as number | undefined) ?? 0,
  };
}
