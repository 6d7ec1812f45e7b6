import { type Row, sql, type Statement } from './database.ts';
import { hash } from 'node:crypto';
import { countsAt, earlierSum, hourOf, leftOfDay, type HourCounts } from '../../core/quota.ts';
import { mostMailsADay } from '../../event/event.store.ts';

/** Who causes mails, and how many had been counted for them when the change was loaded. */
export interface Mailer {
  readonly caller: string;
  readonly counts: HourCounts | undefined;
}

/** A caller by whom mails are counted: no name of anybody is stored. */
const mailerKey = (caller: string): string => hash('sha256', caller, 'base64url');

/** Reads the counts of a caller. */
export const mailedStatement = (caller: string): Statement =>
  sql`/* mailed */ SELECT 'mailed' AS kind, to_jsonb(m) - 'caller' AS body FROM mailed m WHERE caller = ${mailerKey(caller)}`;

export const countsFrom = (row: Row | undefined): HourCounts | undefined =>
  row && (JSON.parse(row.body as string) as HourCounts);

/** How many more mails a caller may cause. */
export const mailsLeft = (counts: HourCounts | undefined, now: number): number =>
  leftOfDay(mostMailsADay, countsAt(counts, now));

/** Counts mails that are stored. It fails where others counted so many meanwhile that it is too much, or began another hour. */
export function countMails({ caller, counts: known }: Mailer, mails: number, now: number): Statement {
  const counts = countsAt(known, now);
  const { hour, earlier } = counts;
  // Counts of earlier hours are as they were loaded as long as the hour is the same.
  const [min, max] =
    known?.hour === hour
      ? [0, mostMailsADay - earlierSum(counts) - mails]
      : [known?.count ?? 0, known?.count ?? 0];
  return sql`/* count mails */ INSERT INTO mailed AS m (caller, hour, count, earlier)
    VALUES (${mailerKey(caller)}, ${hour}::integer, ${mails}::integer, ${JSON.stringify(earlier)}::jsonb)
    ON CONFLICT (caller) DO UPDATE SET hour = excluded.hour, earlier = excluded.earlier,
      count = (CASE WHEN m.hour = excluded.hour THEN m.count + excluded.count ELSE excluded.count END)
        / (CASE WHEN m.hour = ${known?.hour ?? null}::integer AND m.count BETWEEN ${min}::integer AND ${max}::integer THEN 1 ELSE 0 END)`;
}

const keptHours = 26;

/** Forgets what counts no more. */
export const trimMailed = (now: number): Statement =>
  sql`/* delete old counts of mails */ DELETE FROM mailed WHERE hour < ${hourOf(now) - keptHours}`;
