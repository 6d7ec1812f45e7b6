import type { Issue, Path } from './errors.ts';

/** How many of one kind of resource a caller may make on one day, those deleted since included. */
const madePerDay = 100;

/** The caller who makes something (`addressKey`), and the day of UTC (`yyyy-mm-dd`): a store counts by these. */
export interface Maker {
  readonly identity: string;
  readonly day: string;
}

export const makerOf = ({ identity }: { readonly identity: string }, now: number): Maker => ({
  identity,
  day: new Date(now).toISOString().slice(0, 10),
});

/** The refusal of one more on this day, for an error with the code RATE_LIMITED. `plural` names the resource. */
export function dailyLimitIssues(madeToday: number, plural: string, path: Path): Issue[] {
  if (madeToday < madePerDay) return [];
  const message = `A caller makes at most ${madePerDay} ${plural} a day (UTC), deleted ones included. Make this one tomorrow.`;
  return [{ path, reason: 'rateLimitExceeded', message, params: { max: madePerDay, actual: madeToday } }];
}

/** How much somebody did in one hour and in those before it. */
export interface HourCounts {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly count: number;
  /** The last one first. */
  readonly earlier: readonly number[];
}

const hourMs = 3_600_000;
/** Of the 24 hours up to now parts lie in this hour and in so many before it. */
const earlierHours = 24;

export const hourOf = (now: number): number => Math.floor(now / hourMs);

/** The same counts at a later time; never of an hour before theirs. */
export function countsAt(counts: HourCounts | undefined, now: number): HourCounts {
  const hour = hourOf(now);
  if (!counts) return { hour, count: 0, earlier: [] };
  const passed = hour - counts.hour;
  if (passed <= 0) return counts;
  const idle = Array.from({ length: Math.min(passed - 1, earlierHours) }, () => 0);
  return { hour, count: 0, earlier: [...idle, counts.count, ...counts.earlier].slice(0, earlierHours) };
}

export const earlierSum = ({ earlier }: HourCounts): number => earlier.reduce((sum, count) => sum + count, 0);

/** What is left of the most for a day: the last 24 hours, and the first of them wholly. */
export const leftOfDay = (most: number, counts: HourCounts): number =>
  Math.max(0, most - counts.count - earlierSum(counts));
