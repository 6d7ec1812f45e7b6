import { type Row, sql, type Statement } from './database.ts';
import { hash } from 'node:crypto';
import { advanceCounts, earlierSum, hourOf, remainingDailyQuota, type HourCounts } from '../../core/quota.ts';
import { maxMailsPerDay } from '../../event/event.store.ts';

export interface MailCaller {
  readonly caller: string;
  readonly counts: HourCounts | undefined;
}

/** Digest of a caller, so that no identity is stored with the counts. */
const callerDigest = (caller: string): string => hash('sha256', caller, 'base64url');

export const findMailCounts = (caller: string): Statement =>
  sql`/* mailed */ SELECT 'mailed' AS kind, to_jsonb(m) - 'caller' AS body FROM mailed m WHERE caller = ${callerDigest(caller)}`;

export const parseMailCounts = (row: Row | undefined): HourCounts | undefined =>
  row && (JSON.parse(row.body as string) as HourCounts);

export const remainingMails = (counts: HourCounts | undefined, now: number): number =>
  remainingDailyQuota(maxMailsPerDay, advanceCounts(counts, now));

/** Counts stored mails. Fails where concurrent changes exceeded the limit or began another hour. */
export function countMails({ caller, counts: loaded }: MailCaller, mails: number, now: number): Statement {
  const counts = advanceCounts(loaded, now);
  const { hour, earlier } = counts;
  // While the hour is unchanged, so are the counts of earlier hours.
  const [min, max] =
    loaded?.hour === hour
      ? [0, maxMailsPerDay - earlierSum(counts) - mails]
      : [loaded?.count ?? 0, loaded?.count ?? 0];
  return sql`/* count mails */ INSERT INTO mailed AS m (caller, hour, count, earlier)
    VALUES (${callerDigest(caller)}, ${hour}::integer, ${mails}::integer, ${JSON.stringify(earlier)}::jsonb)
    ON CONFLICT (caller) DO UPDATE SET hour = excluded.hour, earlier = excluded.earlier,
      count = (CASE WHEN m.hour = excluded.hour THEN m.count + excluded.count ELSE excluded.count END)
        / (CASE WHEN m.hour = ${loaded?.hour ?? null}::integer AND m.count BETWEEN ${min}::integer AND ${max}::integer THEN 1 ELSE 0 END)`;
}

const keptHours = 26;

export const trimMailCounts = (now: number): Statement =>
  sql`/* delete old counts of mails */ DELETE FROM mailed WHERE hour < ${hourOf(now) - keptHours}`;
