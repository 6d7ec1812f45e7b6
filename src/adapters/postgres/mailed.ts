import { hash } from 'node:crypto';
import { countsAt, earlierSum, hourOf, leftOfDay, type HourCounts } from '../../core/quota.ts';
import { mostMailsADay } from '../../event/event.store.ts';
import type { Row, Statement } from './database.ts';

/** Who causes mails, and how many had been counted for them when the change was loaded. */
export interface Mailer {
  readonly caller: string;
  readonly counts: HourCounts | undefined;
}

/** A caller by whom mails are counted: no name of anybody is stored. */
const mailerKey = (caller: string): string => hash('sha256', caller, 'base64url');

/** Reads the counts of a caller. */
export const mailedStatement = (caller: string): Statement => ({
  name: 'mailed',
  text: `SELECT 'mailed' AS kind, to_jsonb(m) - 'caller' AS body FROM mailed m WHERE caller = $1`,
  values: [mailerKey(caller)],
});

export const countsFrom = (row: Row | undefined): HourCounts | undefined =>
  row && (JSON.parse(row.body as string) as HourCounts);

/** How many more mails a caller may cause. */
export const mailsLeft = (counts: HourCounts | undefined, now: number): number =>
  leftOfDay(mostMailsADay, countsAt(counts, now));

/** Counts mails that are stored. It fails where others counted so many meanwhile that it is too much, or began another hour. */
export const countMails = (mailer: Mailer, mails: number, now: number): Statement => ({
  name: 'count mails',
  text: `INSERT INTO mailed AS m (caller, hour, count, earlier) VALUES ($1, $2::integer, $7::integer, $3::jsonb)
    ON CONFLICT (caller) DO UPDATE SET hour = excluded.hour, earlier = excluded.earlier, count = (CASE WHEN m.hour = excluded.hour THEN m.count + excluded.count ELSE excluded.count END)
      / (CASE WHEN m.hour = $4::integer AND m.count BETWEEN $5::integer AND $6::integer THEN 1 ELSE 0 END)`,
  values: [...mailerValues(mailer, mails, now), mails],
});

/** What comes earlier than this hour is as it was loaded as long as the hour is the same. */
function mailerValues({ caller, counts: known }: Mailer, mails: number, now: number): readonly unknown[] {
  const counts = countsAt(known, now);
  const isSameHour = known?.hour === counts.hour;
  const [least, most] = isSameHour
    ? [0, mostMailsADay - earlierSum(counts) - mails]
    : [known?.count ?? 0, known?.count ?? 0];
  return [mailerKey(caller), counts.hour, JSON.stringify(counts.earlier), known?.hour ?? null, least, most];
}

const keptHours = 26;

/** Forgets what counts no more. */
export const trimMailed = (now: number): Statement => ({
  name: 'delete old counts of mails',
  text: 'DELETE FROM mailed WHERE hour < $1',
  values: [hourOf(now) - keptHours],
});
