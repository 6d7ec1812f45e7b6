/** The milliseconds of a Retry-After header, which has seconds or a date in one of the forms of HTTP; 0 for anything else. */
export function retryAfterMs(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Z][a-z]+,? /.test(value)) return 0;
  // The one form without a zone (asctime) is in UTC like the others.
  const until = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(until) ? 0 : until - now;
}
