const dayMs = 86_400_000;

/** The date (`yyyy-mm-dd`) so many days after Monday of the week that contains an instant, in a time zone. */
export function dayOfWeek(instant: number, timeZone: string, afterMonday: number): string {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const parts = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const today = Date.UTC(parts.year as number, (parts.month as number) - 1, parts.day);
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  return new Date(today + (afterMonday - sinceMonday) * dayMs).toISOString().slice(0, 10);
}
