import type { RequestRecordLimits } from '../../../core/kernel/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Dropped, OutboxRules } from '../../../outbox/outbox.store.ts';
import type { NotificationChange, NotificationTarget, NotificationStore, StoredNotification } from '../../../notification/notification.store.ts';
import { loadBucket, readBucket, type LoadedBucket } from './bucket-load.ts';
import type { Database, Statement } from '../database.ts';
import { grouped } from '../grouped.ts';
import { lookupKey } from '../lookup.ts';
import { addToOutbox, type OutboxAddition } from '../outbox/outbox-write.ts';
import { rememberRequest } from '../request-records.ts';
import { fromStored, toStored } from '../stored-json.ts';
import { changeInTransaction, counting } from '../transaction.ts';

/** Rules other than the usual ones. */
export interface NotificationStoreRules {
  readonly outbox?: Partial<OutboxRules>;
  readonly requests?: RequestRecordLimits;
}

/** The notifications of buckets and the messages these cause in PostgreSQL, shared by all gateways on one database. */
export function createPostgresNotificationStore<N extends StoredNotification>(database: Database, clock: Clock, rules: NotificationStoreRules = {}): NotificationStore<N> {
  return {
    async notifications(buckets) {
      const rows = await database.query({
        name: 'notifications', text: 'SELECT bucket, body FROM notifications WHERE bucket = ANY ($1::text[]) ORDER BY position', values: [buckets.map(lookupKey)],
      });
      const found = grouped(rows, ({ bucket }) => bucket as string);
      return buckets.map((bucket) => (found.get(bucket) ?? []).map(({ body }) => fromStored<N>(body)));
    },

    async bucketsWithTopic(topic) {
      const rows = await database.query({ name: 'buckets with topic', text: 'SELECT bucket FROM topics WHERE topic = $1', values: [lookupKey(topic)] });
      return rows.map(({ bucket }) => bucket as string);
    },

    async changeNotifications<T>(target: NotificationTarget, decide: Parameters<NotificationStore<N>['changeNotifications']>[1]) {
      const now = clock();
      const { result, dropped } = await changeInTransaction<LoadedBucket<N>, Stored<T>>(database, {
        load: () => loadBucket(target, now),
        read: (rows) => readBucket<N>(rows),
        lock: () => [{ name: 'lock bucket', text: 'SELECT FROM buckets WHERE name = $1 FOR UPDATE', values: [target.bucket] }],
        decide(loaded) {
          if (!loaded.state) return { statements: [], result: { result: undefined, dropped: [] } };
          const change = decide(loaded.state) as NotificationChange<N, T>;
          const { statements, dropped } = writeBucket(target, change, loaded, { now, rules });
          return { statements, result: { result: change.result, dropped } };
        },
      });
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

/** Statements that store a change; they fail where the bucket's notifications were changed meanwhile. */
function writeBucket<N extends StoredNotification, T>(
  { bucket, request }: NotificationTarget,
  { insert, remove, messages = [], outcome }: NotificationChange<N, T>,
  { version, waiting }: LoadedBucket<N>,
  { now, rules }: { readonly now: number; readonly rules: NotificationStoreRules },
): OutboxAddition {
  const added = addToOutbox(bucket, messages, { waiting, rules: rules.outbox, now });
  const changes = [
    ...(remove === undefined ? [] : [removal(bucket, remove)]),
    ...(insert ? [insertion(bucket, insert, version + 1)] : []),
    ...(outcome !== undefined && request ? rememberRequest(request, { outcome, now, kind: 'notification', bytesPerCaller: rules.requests?.bytesPerCaller }) : []),
    ...added.statements,
  ];
  const { dropped } = added;
  if (changes.length === 0) return { statements: [], dropped };
  return { statements: [insert || remove !== undefined ? nextVersion(bucket, version, insert?.id) : sameVersion(bucket, version), ...changes], dropped };
}

const nextVersion = (bucket: string, version: number, id = '0'): Statement => ({
  name: 'change bucket',
  text: counting('UPDATE buckets SET version = version + 1, last_id = greatest(last_id, $3::numeric) WHERE name = $1 AND version = $2 RETURNING 1', '1'),
  values: [bucket, version, id],
});

/** A shared lock: writers that only add messages do not wait for each other. */
const sameVersion = (bucket: string, version: number): Statement => ({
  name: 'keep bucket',
  text: counting('SELECT 1 FROM buckets WHERE name = $1 AND version = $2 FOR SHARE', '1'),
  values: [bucket, version],
});

const insertion = (bucket: string, record: StoredNotification, position: number): Statement => ({
  name: 'insert notification',
  text: `WITH topic AS (INSERT INTO topics SELECT $4, $1 WHERE $4::text IS NOT NULL ON CONFLICT DO NOTHING)
    INSERT INTO notifications (bucket, id, position, topic, body) VALUES ($1, $2, $3, $4, $5)`,
  values: [bucket, record.id, position, record.topic ?? null, toStored(record)],
});

const removal = (bucket: string, id: string): Statement => ({
  name: 'remove notification',
  text: `WITH gone AS (DELETE FROM notifications WHERE bucket = $1 AND id = $2 RETURNING topic)
    DELETE FROM topics t USING gone g WHERE t.topic = g.topic AND t.bucket = $1
    AND NOT EXISTS (SELECT FROM notifications n WHERE n.bucket = $1 AND n.topic = g.topic AND n.id <> $2)`,
  values: [bucket, id],
});
