import type { Issue, Path } from './errors.ts';

/** Resources of one kind that a caller may create per UTC day, including deleted ones. */
const maxCreatedPerDay = 100;

/** Key of a daily quota: the creator (`addressKey`) and the UTC day (`yyyy-mm-dd`). */
export interface CreationQuotaKey {
  readonly identity: string;
  readonly day: string;
}

/** Creates the key of a caller's quota today. */
export const createDailyQuotaKey = (
  { identity }: { readonly identity: string },
  now: number,
): CreationQuotaKey => ({ identity, day: new Date(now).toISOString().slice(0, 10) });

/** Lists the issues of an exhausted daily quota, for the error code RATE_LIMITED. `plural` names the resource. */
export function dailyLimitIssues(createdToday: number, plural: string, path: Path): Issue[] {
  if (createdToday < maxCreatedPerDay) return [];
  const message = `A caller may create at most ${maxCreatedPerDay} ${plural} a day (UTC), including deleted ones. Create this one tomorrow.`;
  const params = { max: maxCreatedPerDay, actual: createdToday };
  return [{ path, reason: 'rateLimitExceeded', message, params }];
}

/** Usage of a quota per hour. */
export interface HourCounts {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly count: number;
  /** Counts of the hours before, latest first. */
  readonly earlier: readonly number[];
}

const hourMs = 3_600_000;
/** Hours that overlap the last 24 hours, besides the current one. */
const earlierHourCount = 24;

/** Number of the hour since the epoch. */
export const hourOf = (now: number): number => Math.floor(now / hourMs);

/** Moves the counts on to the current hour. Counts of a later hour (clock skew) stay as they are. */
export function advanceCounts(counts: HourCounts | undefined, now: number): HourCounts {
  const hour = hourOf(now);
  if (!counts) return { hour, count: 0, earlier: [] };
  const passedHours = hour - counts.hour;
  if (passedHours <= 0) return counts;
  // Hours without any use between the last one and now.
  const skippedHourCounts = Array.from({ length: Math.min(passedHours - 1, earlierHourCount) }, () => 0);
  return {
    hour,
    count: 0,
    earlier: [...skippedHourCounts, counts.count, ...counts.earlier].slice(0, earlierHourCount),
  };
}

export const sumOfEarlierHours = ({ earlier }: HourCounts): number =>
  earlier.reduce((sum, count) => sum + count, 0);

/** Remaining quota for the last 24 hours. The oldest hour counts in full. */
export const remainingQuotaOf24Hours = (maxPerDay: number, counts: HourCounts): number =>
  Math.max(0, maxPerDay - counts.count - sumOfEarlierHours(counts));
