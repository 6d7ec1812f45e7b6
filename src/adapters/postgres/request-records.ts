import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type CreationQuotaKey,
  advanceCounts,
  sumOfEarlierHours,
  hourOf,
  remainingQuotaOf24Hours,
  type HourCounts,
} from '../../core/quota.ts';
import {
  type EarlierRequest,
  estimateRecordBytes,
  type RequestRecord,
  defaultRequestRecordLimits,
} from '../../core/request-record.ts';
import { maxMailsPerDay } from '../../event/event.store.ts';
import { type Database, type Row, sql, type Statement } from './database.ts';
import { queryShardRows } from './query-shards.ts';
import { parseRecord, serializeRecord } from './stored-json.ts';
import { lookupKey } from './transaction.ts';

/** Kinds of objects whose creation is limited per caller and day. */
type CreationKind = 'bucket' | 'calendar';

/** Finds the number of objects that a creator made on a day: a row of the kind `made`. */
export const findCreationCount = (kind: CreationKind, { identity, day }: CreationQuotaKey): Statement =>
  sql`/* made */ SELECT 'made' AS kind, count FROM made
    WHERE identity = ${lookupKey(identity)} AND kind = ${kind} AND day = ${day}::date`;

export const lockCreationCount = (kind: CreationKind, { identity, day }: CreationQuotaKey): Statement =>
  sql`/* lock made */ SELECT FROM made WHERE identity = ${lookupKey(identity)} AND kind = ${kind} AND day = ${day}::date FOR UPDATE`;

/**
 * Increments a count; fails by a division by zero unless it is `expectedCount`. Not by `assertRowCount`: Citus does not route an
 * INSERT within another statement to one shard.
 */
export const incrementCreationCount = (
  kind: CreationKind,
  { identity, day }: CreationQuotaKey,
  expectedCount: number,
): Statement =>
  sql`/* count made */ INSERT INTO made AS m (identity, kind, day, count) VALUES (${lookupKey(identity)}, ${kind}, ${day}::date, 1)
    ON CONFLICT (identity, kind, day) DO UPDATE SET count = (m.count + 1) / (CASE WHEN m.count = ${expectedCount} THEN 1 ELSE 0 END)`;

/** Days for which counts are stored: more than the one that the quota covers. */
const retentionDays = 2;

export const trimCreationCounts = (now: number): Statement =>
  sql`/* delete old counts */ DELETE FROM made WHERE day < ${new Date(now - retentionDays * 86_400_000).toISOString().slice(0, 10)}::date`;

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

/** Digest of a caller, so that no identity is stored with the counts. */
const callerDigest = (caller: string): string => hash('sha256', caller, 'base64url');

/** Statement that finds the counts of a caller: a row of the kind `mailed`. */
export const findMailCounts = (caller: string): Statement =>
  sql`/* mailed */ SELECT 'mailed' AS kind, to_jsonb(m) - 'caller' AS body FROM mailed m WHERE caller = ${callerDigest(caller)}`;

export const parseMailCounts = ({ body }: Row): HourCounts => JSON.parse(body as string) as HourCounts;

/** Mails that a caller may still send, by the counts of the last 24 hours. */
export const remainingMails = (counts: HourCounts | undefined, now: number): number =>
  remainingQuotaOf24Hours(maxMailsPerDay, advanceCounts(counts, now));

/** Counts stored mails. Fails if concurrent changes exceeded the limit or began another hour. */
export function countMails(
  caller: string,
  storedCounts: HourCounts | undefined,
  mailCount: number,
  now: number,
): Statement {
  const counts = advanceCounts(storedCounts, now);
  const { hour, earlier } = counts;
  // Counts of this hour with which the mails still fit, as those of earlier hours stay the same.
  const [minCount, maxCount] =
    storedCounts?.hour === hour
      ? [0, maxMailsPerDay - sumOfEarlierHours(counts) - mailCount]
      : [storedCounts?.count ?? 0, storedCounts?.count ?? 0];
  return sql`/* count mails */ INSERT INTO mailed AS m (caller, hour, count, earlier)
    VALUES (${callerDigest(caller)}, ${hour}::integer, ${mailCount}::integer, ${JSON.stringify(earlier)}::jsonb)
    ON CONFLICT (caller) DO UPDATE SET hour = excluded.hour, earlier = excluded.earlier,
      count = (CASE WHEN m.hour = excluded.hour THEN m.count + excluded.count ELSE excluded.count END)
        / (CASE WHEN m.hour = ${storedCounts?.hour ?? null}::integer AND m.count BETWEEN ${minCount}::integer AND ${maxCount}::integer THEN 1 ELSE 0 END)`;
}

/** Hours for which counts are stored: more than the day that the limit covers. */
const retentionHours = 26;

export const trimMailCounts = (now: number): Statement =>
  sql`/* delete old counts of mails */ DELETE FROM mailed WHERE hour < ${hourOf(now) - retentionHours}`;
