import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import type {
  NotificationState,
  NotificationTarget,
  StoredNotification,
} from '../../../notification/notification.store.ts';
import { lookupKey } from '../lookup.ts';
import { earlierFrom, findRequest } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';
import type { Read } from '../transaction.ts';

/** The state that a change is decided on, and the values that are needed to store it. */
export interface LoadedBucket<N extends StoredNotification> {
  readonly state: NotificationState<N> | undefined;
  /** Counts the changes of the bucket's notifications. */
  readonly version: number;
}

/** A bucket with its notifications. $1 bucket. */
const text = `
SELECT 'bucket' AS kind, b.body, b.version AS n, (b.last_id + 1)::text AS a, NULL AS b FROM buckets b WHERE b.name = $1
UNION ALL SELECT * FROM (SELECT 'notification', body, position, id, NULL FROM notifications WHERE bucket = $1 ORDER BY position) AS n`;

/** Loads each row from its shard, in one round trip: a change that is stored then checks both. */
export async function loadBucket<N extends StoredNotification>(
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
