/**
 * Parses a Retry-After header (seconds, or a date in one of the forms of HTTP) to milliseconds from now: 0 if
 * invalid, negative for a past date.
 */
export function parseRetryAfter(value: string, now: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Z][a-z]+,? /.test(value)) return 0;
  // The asctime form has no zone; all forms are in UTC.
  const retryAt = Date.parse(value.endsWith(' GMT') ? value : `${value} GMT`);
  return Number.isNaN(retryAt) ? 0 : retryAt - now;
}
