import { type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { changeInTransaction, withRowCountCheck } from '../transaction.ts';
import { lookupKey, queryByKeys } from '../statements.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import { deepFreeze, groupByKey } from '../../../core/json.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type {
  LoggedMessage,
  MessageLog,
  NotificationChange,
  NotificationState,
  NotificationStore,
  NotificationTarget,
} from '../../../notification/notification.store.ts';
import type { NotificationRecord } from '../../../notification/notification.ts';
import { defaultOutboxRules, type DroppedItems, type OutboxRules } from '../../../outbox/outbox.store.ts';
import { lockBucket, removeTopic } from '../buckets/store.ts';
import { type Listener, topicChannel } from '../listen.ts';
import { addToOutbox } from '../outbox/add-items.ts';
import { waitingBytesOf } from '../outbox/waiting-bytes.ts';
import { toEarlierRequest, findRequest, storeRequest } from '../request-records.ts';
import { parseRecord, serializeRecord } from '../stored-json.ts';

/** Limits of each topic's log. */
const maxAgeMs = 24 * 60 * 60 * 1000;
const maxMessagesPerTopic = 1000;
const maxBytesPerTopic = 8 * 1024 * 1024;

/** The newest messages of each topic. The outbox adds a message in the transaction that settles its first delivery. */
export function createPostgresMessageLog(database: Database, listener: Listener, clock: Clock): MessageLog {
  return {
    watch: (onChange) => listener.watch(topicChannel, onChange),

    async read(topic) {
      const rows =
        await database.query(sql`/* published messages */ SELECT seq, id, topic, ordering_key, attributes, data, published_at FROM (
            SELECT *, sum(bytes) OVER (ORDER BY seq DESC) AS total FROM published
    WHERE topic = ${topic} ORDER BY seq DESC LIMIT ${maxMessagesPerTopic}
          ) AS newest WHERE total <= ${maxBytesPerTopic} ORDER BY seq`);
      const minPublishedAt = clock() - maxAgeMs;
      return {
        messages: rows.filter(({ published_at: at }) => (at as number) > minPublishedAt).map(toMessage),
        endPosition: lastPosition(rows) ?? 0,
      };
    },

    async readAfter(topic, position, limit) {
      const rows =
        await database.query(sql`/* messages behind */ SELECT seq, previous, id, topic, ordering_key, attributes, data FROM published
    WHERE topic = ${topic} AND seq > ${position} ORDER BY seq LIMIT ${limit}`);
      if (rows[0] && (rows[0].previous as number) > position) return undefined;
      return { messages: rows.map(toMessage), endPosition: lastPosition(rows) ?? position };
    },
  };
}

const toMessage = ({ seq, id, topic, ordering_key: orderingKey, attributes, data }: Row): LoggedMessage =>
  deepFreeze({
    position: seq,
    id,
    topic,
    orderingKey,
    attributes: JSON.parse(attributes as string) as unknown,
    data,
  } as LoggedMessage);

const lastPosition = (rows: readonly Row[]): number | undefined => rows.at(-1)?.seq as number | undefined;

/** Deletes the oldest messages of each topic beyond the limits. `nth`: rank of a message, from the newest. */
export const trimPublished = (now: number): Statement[] => [
  sql`/* delete old messages */ DELETE FROM published WHERE published_at <= ${now - maxAgeMs}`,
  sql`/* delete messages beyond the limits */ DELETE FROM published p USING (
        SELECT topic, seq, row_number() OVER newest AS nth, sum(bytes) OVER newest AS total
    FROM published WINDOW newest AS (PARTITION BY topic ORDER BY seq DESC)
      ) AS r WHERE p.topic = r.topic AND p.seq = r.seq AND (r.nth > ${maxMessagesPerTopic} OR r.total > ${maxBytesPerTopic})`,
];

/** The store of notifications in PostgreSQL; also stores the messages that changes of objects cause. */
export function createPostgresNotificationStore(
  database: Database,
  clock: Clock,
  outbox?: Partial<OutboxRules>,
): NotificationStore {
  const outboxRules: OutboxRules = { ...defaultOutboxRules, ...outbox };
  return {
    async notifications(buckets) {
      const rows = await queryByKeys(
        database,
        [...new Set(buckets.map(lookupKey))],
        (bucket) =>
          sql`/* notifications */ SELECT bucket, body FROM notifications WHERE bucket = ${bucket} ORDER BY position`,
      );
      const rowsByBucket = groupByKey(rows, ({ bucket }) => bucket as string);
      return buckets.map((bucket) =>
        (rowsByBucket.get(bucket) ?? []).map(({ body }) => parseRecord<NotificationRecord>(body)),
      );
    },

    async bucketsWithTopic(topic) {
      const rows = await database.query(
        sql`/* buckets with topic */ SELECT bucket FROM topics WHERE topic = ${lookupKey(topic)}`,
      );
      return rows.map(({ bucket }) => bucket as string);
    },

    async changeNotifications<T>(
      target: NotificationTarget,
      decide: Parameters<NotificationStore['changeNotifications']>[1],
    ) {
      const now = clock();
      const { result, dropped } = await waitingBytesOf(database).runChange(
        outboxRules.capacityOf,
        (reservation) =>
          changeInTransaction<LoadedBucket, StoredChange<T>>(database, {
            load: (read) => loadBucket(read, target, now),
            contentionKey: () => target.bucket,
            lock: () => [lockBucket(target.bucket)],
            decide(loadedBucket) {
              const { state } = loadedBucket;
              const change = state && (decide(state) as NotificationChange<T>);
              if (!change) return { statements: [], result: { result: undefined, dropped: [] } };
              const { statements, dropped } = addToOutbox(
                target.bucket,
                change.messages ?? [],
                reservation,
                outboxRules,
                now,
              );
              const { outcome, result } = change;
              const requestStatements =
                target.request && outcome ? [storeRequest(target.request, 'notification', outcome, now)] : [];
              return {
                statements: writeChange(target.bucket, change, loadedBucket, [
                  ...requestStatements,
                  ...statements,
                ]),
                result: { result, dropped },
              };
            },
          }),
      );
      dropped.forEach(outboxRules.onDropped);
      return result;
    },
  };
}

/** Result of a change once it is stored, and the messages that a full destination did not get. */
interface StoredChange<T> {
  readonly result: T | undefined;
  readonly dropped: readonly DroppedItems[];
}

/** Statements that store a change with `otherStatements`; they fail if the bucket's notifications changed meanwhile. */
function writeChange(
  bucket: string,
  { insert, remove }: NotificationChange<unknown>,
  { version, state }: LoadedBucket,
  otherStatements: readonly Statement[],
): Statement[] {
  const statements = [
    ...(remove === undefined ? [] : removeNotification(bucket, remove, state?.storedNotifications ?? [])),
    ...(insert ? insertNotification(bucket, insert, version + 1) : []),
    ...otherStatements,
  ];
  if (statements.length === 0) return [];
  const hasNotificationChange = insert !== undefined || remove !== undefined;
  return [
    hasNotificationChange ? incrementVersion(bucket, version, insert?.id) : lockVersion(bucket, version),
    ...statements,
  ];
}

/** Counts a change of the notifications; fails unless the version is as loaded. `id`: id of a new notification. */
const incrementVersion = (bucket: string, version: number, id = '0'): Statement =>
  withRowCountCheck(sql`/* change bucket */ UPDATE buckets SET version = version + 1, last_id = greatest(last_id, ${id}::numeric)
    WHERE name = ${bucket} AND version = ${version} RETURNING 1`);

/** Checks the version with a shared lock, so that changes that only add messages do not wait for each other. */
const lockVersion = (bucket: string, version: number): Statement =>
  withRowCountCheck(
    sql`/* keep bucket */ SELECT 1 FROM buckets WHERE name = ${bucket} AND version = ${version} FOR SHARE`,
  );

// Topics and notifications are on different shards, so they need separate statements.
const insertNotification = (bucket: string, record: NotificationRecord, position: number): Statement[] => [
  ...(record.topic === undefined
    ? []
    : [
        sql`/* add topic */ INSERT INTO topics (topic, bucket) VALUES (${record.topic}, ${bucket}) ON CONFLICT DO NOTHING`,
      ]),
  sql`/* insert notification */ INSERT INTO notifications (bucket, id, position, topic, body)
    VALUES (${bucket}, ${record.id}, ${position}, ${record.topic ?? null}, ${serializeRecord(record)})`,
];

/** Removes a notification, and the topic with the bucket's last notification for it. */
function removeNotification(
  bucket: string,
  id: string,
  storedNotifications: readonly NotificationRecord[],
): Statement[] {
  const topic = storedNotifications.find((notification) => notification.id === id)?.topic;
  const isLastWithTopic =
    topic !== undefined &&
    storedNotifications.every((notification) => notification.id === id || notification.topic !== topic);
  return [
    sql`/* remove notification */ DELETE FROM notifications WHERE bucket = ${bucket} AND id = ${id}`,
    ...(isLastWithTopic ? [removeTopic(topic, bucket)] : []),
  ];
}

/** A bucket with its notifications, as loaded for a decision; the state is undefined without a bucket. */
interface LoadedBucket {
  readonly state: NotificationState | undefined;
  /** Number of changes of the bucket and its notifications. */
  readonly version: number;
}

const bucketStateStatement = (name: string): Statement =>
  sql`/* load bucket */ SELECT 'bucket' AS kind, body, version, (last_id + 1)::text AS next_id FROM buckets WHERE name = ${name}
UNION ALL SELECT * FROM (SELECT 'notification', body, position, NULL FROM notifications WHERE bucket = $1 ORDER BY position) AS sorted`;

async function loadBucket(
  read: Read,
  { bucket: name, request }: NotificationTarget,
  now: number,
): Promise<LoadedBucket> {
  const results = await read([
    bucketStateStatement(lookupKey(name)),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = results.flat();
  const bucket = rows.find(({ kind }) => kind === 'bucket');
  const requestRow = rows.find(({ kind }) => kind === 'request');
  const storedNotificationList = rows
    .filter(({ kind }) => kind === 'notification')
    .map(({ body }) => parseRecord<NotificationRecord>(body));
  return {
    state: bucket && {
      bucket: parseRecord<BucketRecord>(bucket.body),
      storedNotifications: Object.freeze(storedNotificationList),
      nextId: bucket.next_id as string,
      earlierRequest: requestRow && toEarlierRequest(requestRow),
    },
    version: (bucket?.version as number | undefined) ?? 0,
  };
}
