import { hash } from 'node:crypto';
import {
  type CreationQuotaKey,
  advanceCounts,
  sumOfEarlierHours,
  hourOf,
  remainingQuotaOf24Hours,
  type HourCounts,
} from '../../core/quota.ts';
import { maxMailsPerDay } from '../../event/event.store.ts';
import { type Row, sql, type Statement } from './database.ts';
import { lookupKey } from './statements.ts';

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
