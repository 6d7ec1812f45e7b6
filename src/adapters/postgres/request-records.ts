import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type EarlierRequest,
  estimateRecordBytes,
  type RequestRecord,
  defaultRequestRecordLimits,
} from '../../core/request-record.ts';
import { type Database, type Row, sql, type Statement } from './database.ts';
import { queryShardRows } from './query-shards.ts';
import { parseRecord, serializeRecord } from './stored-json.ts';

/** Owners whose records are being checked, and whether to check them again. */
const scheduledOwners = new WeakMap<Database, Map<string, boolean>>();

/** Milliseconds to wait for concurrent records, which one check covers once they are stored. */
const gatherMs = 200;

/** Deletes a caller's oldest records beyond `maxBytes` in the background, since they are on all shards; failures are left to later calls. */
async function deleteOldestSoon(database: Database, owner: string, maxBytes: number): Promise<void> {
  const owners = scheduledOwners.get(database) ?? new Map<string, boolean>();
  scheduledOwners.set(database, owners);
  const isScheduled = owners.has(owner);
  owners.set(owner, true);
  while (!isScheduled && owners.get(owner)) {
    await pause(gatherMs, undefined, { ref: false });
    owners.set(owner, false);
    await deleteOldestRecords(database, owner, maxBytes).catch(() => undefined);
  }
  if (!isScheduled) owners.delete(owner);
}

/** Deletes the oldest records of an owner beyond `maxBytes`. */
async function deleteOldestRecords(database: Database, owner: string, maxBytes: number): Promise<void> {
  const rows = await queryShardRows(database, ['requests'], (table) => ({
    title: 'records of a caller',
    text: `SELECT key, until, bytes FROM ${table('requests')} WHERE owner = ${pg.escapeLiteral(owner)}`,
  }));
  let totalBytes = 0;
  const excessRows = rows
    .toSorted(compareNewestFirst)
    .filter(({ bytes }) => (totalBytes += bytes as number) > maxBytes);
  await database.read(
    excessRows.map(
      ({ key }) => sql`/* forget request */ DELETE FROM requests WHERE key = ${key} AND owner = ${owner}`,
    ),
  );
}

const compareNewestFirst = (a: Row, b: Row): number =>
  (b.until as number) - (a.until as number) || ((a.key as string) < (b.key as string) ? -1 : 1);

/** Reads a row of `findRequest`. */
export const toEarlierRequest = ({ fingerprint, body }: Row): EarlierRequest =>
  Object.freeze({ fingerprint: fingerprint as string, outcome: parseRecord(body) });

/** Finds an unexpired record: a row of the kind `request`. */
export const findRequest = ({ key }: Pick<RequestRecord, 'key'>, now: number): Statement =>
  sql`/* earlier request */ SELECT 'request' AS kind, outcome AS body, fingerprint FROM requests WHERE key = ${key} AND until > ${now}`;

/** Average number of size checks while a caller fills the share: a check after each record would cost too much. */
const checksPerShare = 64;

/** Stores the outcome of a request; fails if the same one was stored meanwhile. Callers over their share, by 1/64 on average, lose their oldest. */
export function storeRequest(
  database: Database,
  request: RequestRecord,
  kind: 'bucket' | 'calendar' | 'event' | 'notification',
  outcome: object,
  now: number,
  bytesPerCaller = defaultRequestRecordLimits.maxBytesPerCaller,
): Statement[] {
  const { caller, key, fingerprint, until } = request;
  // `owner`: digest of the caller and the kind, as each kind has its own share.
  const owner = hash('sha256', JSON.stringify([kind, caller]), 'base64url');
  const bytes = estimateRecordBytes(key, { fingerprint, until, outcome });
  if (Math.random() * bytesPerCaller < bytes * checksPerShare)
    void deleteOldestSoon(database, owner, bytesPerCaller);
  // Fails by a division by zero, as `failUnless` does: Citus does not route an INSERT within another statement to one shard.
  return [
    sql`/* remember request */ INSERT INTO requests AS r (key, fingerprint, until, outcome, owner, bytes)
      VALUES (${key}, ${fingerprint}, ${until}, ${serializeRecord(outcome)}, ${owner}, ${bytes})
      ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, until = excluded.until, outcome = excluded.outcome,
        owner = excluded.owner, bytes = excluded.bytes / (CASE WHEN r.until <= ${now} THEN 1 ELSE 0 END)`,
  ];
}

/** Deletes expired records, and the oldest ones beyond the total limit, by whole seconds. */
export const trimRequests = (now: number, maxBytes = defaultRequestRecordLimits.maxBytes): Statement[] => [
  sql`/* delete old requests */ DELETE FROM requests WHERE until <= ${now}`,
  // Grouped by second, so that shards aggregate: a row for each record would be too much for one node.
  sql`/* delete requests beyond the limit */ DELETE FROM requests WHERE until < (
    SELECT coalesce(max(second), 0) * 1000 + 1000 FROM (
      SELECT second, sum(bytes) OVER (ORDER BY second DESC) AS total
      FROM (SELECT floor(until / 1000) AS second, sum(bytes) AS bytes FROM requests GROUP BY 1) AS seconds
    ) AS sums WHERE total > ${maxBytes})`,
];
