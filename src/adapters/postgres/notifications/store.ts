import { type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { changeInTransaction, checked, lookupKey, queryByKeys } from '../transaction.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import { deepFreeze, grouped } from '../../../core/patch.ts';
import type { RequestRecordLimits } from '../../../core/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type {
  LoggedMessage,
  MessageLog,
  NotificationChange,
  NotificationState,
  NotificationStore,
  NotificationTarget,
  StoredNotification,
} from '../../../notification/notification.store.ts';
import { defaultOutboxRules, type Dropped, type OutboxRules } from '../../../outbox/outbox.store.ts';
import { type Listener, topicChannel } from '../listen.ts';
import { addToOutbox, type OutboxAddition, type OutboxRoom, waitingBytesOf } from '../outbox/store.ts';
import { earlierFrom, findRequest, rememberRequest } from '../request-records.ts';
import { fromStored, toStored } from '../stored-json.ts';

/** Limits of each topic's log: older messages are deleted. */
const ageMs = 24 * 60 * 60 * 1000;
const messagesPerTopic = 1000;
const bytesPerTopic = 8 * 1024 * 1024;

/** The newest messages of each topic, whichever gateway published them. The outbox adds them in the transaction that forgets their first delivery. */
export function createPostgresMessageLog(database: Database, listener: Listener, clock: Clock): MessageLog {
  return {
    watch: (onChange) => listener.watch(topicChannel, onChange),

    async read(topic) {
      const rows =
        await database.query(sql`/* published messages */ SELECT seq, id, topic, ordering_key, attributes, data, published_at FROM (
            SELECT *, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM published
    WHERE topic = ${topic} ORDER BY seq DESC LIMIT ${messagesPerTopic}
          ) AS newest WHERE total <= ${bytesPerTopic} ORDER BY seq`);
      const oldest = clock() - ageMs;
      return {
        messages: rows.filter(({ published_at: at }) => (at as number) > oldest).map(messageFrom),
        end: endOf(rows) ?? 0,
      };
    },

    async readBehind(topic, position, limit) {
      const rows =
        await database.query(sql`/* messages behind */ SELECT seq, previous, id, topic, ordering_key, attributes, data FROM published
    WHERE topic = ${topic} AND seq > ${position} ORDER BY seq LIMIT ${limit}`);
      if (rows[0] && (rows[0].previous as number) > position) return undefined;
      return { messages: rows.map(messageFrom), end: endOf(rows) ?? position };
    },
  };
}

const messageFrom = ({ seq, id, topic, ordering_key: orderingKey, attributes, data }: Row): LoggedMessage =>
  deepFreeze({
    position: seq,
    id,
    topic,
    orderingKey,
    attributes: JSON.parse(attributes as string) as unknown,
    data,
  } as LoggedMessage);

const endOf = (rows: readonly Row[]): number | undefined => rows.at(-1)?.seq as number | undefined;

/** Deletes the messages that exceed the limits, of each topic the oldest: those that stay have no gaps. */
export const trimPublished = (now: number): Statement[] => [
  sql`/* delete old messages */ DELETE FROM published WHERE published_at <= ${now - ageMs}`,
  sql`/* delete messages beyond the limits */ DELETE FROM published p USING (
        SELECT topic, seq, row_number() OVER newest AS nth, sum(bytes) OVER newest AS total
    FROM published WINDOW newest AS (PARTITION BY topic ORDER BY seq DESC)
      ) AS r WHERE p.topic = r.topic AND p.seq = r.seq AND (r.nth > ${messagesPerTopic} OR r.total > ${bytesPerTopic})`,
];

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
      const rows = await queryByKeys(
        database,
        [...new Set(buckets.map(lookupKey))],
        (bucket) =>
          sql`/* notifications */ SELECT bucket, body FROM notifications WHERE bucket = ${bucket} ORDER BY position`,
      );
      const found = grouped(rows, ({ bucket }) => bucket as string);
      return buckets.map((bucket) => (found.get(bucket) ?? []).map(({ body }) => fromStored<N>(body)));
    },

    async bucketsWithTopic(topic) {
      const rows = await database.query(
        sql`/* buckets with topic */ SELECT bucket FROM topics WHERE topic = ${lookupKey(topic)}`,
      );
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
          lock: () => [sql`/* lock bucket */ SELECT FROM buckets WHERE name = ${target.bucket} FOR UPDATE`],
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
    ...rememberRequest(request, { database, outcome, now: room.now, kind: 'notification', bytesPerCaller }),
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

const nextVersion = (bucket: string, version: number, id = '0'): Statement =>
  checked(sql`/* change bucket */ UPDATE buckets SET version = version + 1, last_id = greatest(last_id, ${id}::numeric)
    WHERE name = ${bucket} AND version = ${version} RETURNING 1`);

/** A shared lock: writers that only add messages do not wait for each other. */
const sameVersion = (bucket: string, version: number): Statement =>
  checked(
    sql`/* keep bucket */ SELECT 1 FROM buckets WHERE name = ${bucket} AND version = ${version} FOR SHARE`,
  );

// Topics stand on shards of their own: no statement is about both.

const insertion = (bucket: string, record: StoredNotification, position: number): Statement[] => [
  ...(record.topic === undefined
    ? []
    : [
        sql`/* add topic */ INSERT INTO topics (topic, bucket) VALUES (${record.topic}, ${bucket}) ON CONFLICT DO NOTHING`,
      ]),
  sql`/* insert notification */ INSERT INTO notifications (bucket, id, position, topic, body)
    VALUES (${bucket}, ${record.id}, ${position}, ${record.topic ?? null}, ${toStored(record)})`,
];

/** The topic goes with the last notification of the bucket that has it. */
function removal(bucket: string, id: string, existing: readonly StoredNotification[]): Statement[] {
  const topic = existing.find((one) => one.id === id)?.topic;
  const isLast = topic !== undefined && existing.every((one) => one.id === id || one.topic !== topic);
  return [
    sql`/* remove notification */ DELETE FROM notifications WHERE bucket = ${bucket} AND id = ${id}`,
    ...(isLast
      ? [sql`/* remove topic */ DELETE FROM topics WHERE topic = ${topic} AND bucket = ${bucket}`]
      : []),
  ];
}

/** The state that a change is decided on, and the values that are needed to store it. */
interface LoadedBucket<N extends StoredNotification> {
  readonly state: NotificationState<N> | undefined;
  /** Counts the changes of the bucket's notifications. */
  readonly version: number;
}

/** A bucket with its notifications. */
const bucketStatement = (name: string): Statement =>
  sql`/* load bucket */ SELECT 'bucket' AS kind, b.body, b.version AS n, (b.last_id + 1)::text AS a, NULL AS b FROM buckets b WHERE b.name = ${name}
UNION ALL SELECT * FROM (SELECT 'notification', body, position, id, NULL FROM notifications WHERE bucket = $1 ORDER BY position) AS n`;

/** Loads each row from its shard, in one round trip: a change that is stored then checks both. */
async function loadBucket<N extends StoredNotification>(
  read: Read,
  { bucket: name, request: asked }: NotificationTarget,
  now: number,
): Promise<LoadedBucket<N>> {
  const answers = await read([bucketStatement(lookupKey(name)), ...(asked ? [findRequest(asked, now)] : [])]);
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
