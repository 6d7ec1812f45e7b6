import type { Issue, Path } from './errors.ts';

/** How many of one kind of resource a caller may make on one day, those deleted since included. */
export const madePerDay = 100;

/** Who makes something (`addressKey`), and on which day of UTC (`yyyy-mm-dd`): by these a store counts what a caller has made. */
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
