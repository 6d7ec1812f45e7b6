import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import type {
  NotificationState,
  NotificationTarget,
  StoredNotification,
} from '../../../notification/notification.store.ts';
import type { Row, Statement } from '../database.ts';
import { ownWaitingBytes, readWaiting, waitingBytes, type Waiting } from '../outbox/outbox-bytes.ts';
import { lookupKey } from '../lookup.ts';
import { earlierFrom, findRequest } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';
import type { Loading } from '../transaction.ts';

/** The state that a change is decided on, and the values that are needed to store it. */
export interface LoadedBucket<N extends StoredNotification> {
  readonly state: NotificationState<N> | undefined;
  /** Counts the changes of the bucket's notifications. */
  readonly version: number;
  readonly waiting: Waiting;
}

/** A bucket with its notifications, and a query for what waits. $1 bucket. */
const bucketText = (waiting: string): string => `
SELECT 'bucket' AS kind, b.body, b.version AS n, (b.last_id + 1)::text AS a, NULL AS b FROM buckets b WHERE b.name = $1
UNION ALL SELECT * FROM (SELECT 'notification', body, position, id, NULL FROM notifications WHERE bucket = $1 ORDER BY position) AS n
UNION ALL SELECT 'waiting', NULL, bytes, owner, destination FROM (${waiting}) AS w`;

// One statement, so that all of it is read at one moment. $1 bucket, $2 request, $3 now.
const text = `${bucketText(waitingBytes('$1'))} UNION ALL SELECT 'request', outcome, 0, fingerprint, NULL FROM requests WHERE key = $2 AND until > $3`;
const ownText = bucketText(ownWaitingBytes('$1'));

export const loadBucket = ({ bucket, request }: NotificationTarget, now: number): Statement => ({
  name: 'load bucket',
  text,
  values: [lookupKey(bucket), request?.key ?? null, now],
});

/** Each from its shard, in one round trip: what is stored then checks both. */
export const loadBucketStepwise =
  ({ bucket, request }: NotificationTarget, now: number): Loading =>
  async ({ runAll }) =>
    (
      await runAll([
        { name: 'load bucket with notifications', text: ownText, values: [lookupKey(bucket)] },
        ...(request ? [findRequest(request, now)] : []),
      ])
    ).flat();

export function readBucket<N extends StoredNotification>(
  rows: readonly Row[],
  all?: ReadonlyMap<string, number>,
): LoadedBucket<N> {
  const bucket = rows.find(({ kind }) => kind === 'bucket');
  const request = rows.find(({ kind }) => kind === 'request');
  const waiting = rows
    .filter(({ kind }) => kind === 'waiting')
    .map(({ n, a, b }) => ({ destination: b, bytes: n, owner: a }));
  const existing = rows.filter(({ kind }) => kind === 'notification').map(({ body }) => fromStored<N>(body));
  return {
    state: bucket && {
      bucket: fromStored<BucketRecord>(bucket.body),
      existing: Object.freeze(existing),
      nextId: bucket.a as string,
      earlier: request && earlierFrom(request.a, request.body),
    },
    version: (bucket?.n as number | undefined) ?? 0,
    waiting: readWaiting(waiting, all),
  };
}
