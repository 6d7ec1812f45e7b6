const DAY = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const DATE = new RegExp(`^${DAY}$`);
// No leap second (60): neither JavaScript nor calendars can represent it.
const DATE_TIME = new RegExp(
  String.raw`^${DAY}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`,
);

/** An existing day, yyyy-mm-dd, in the years 0001 to 9999 (RFC 3339, section 5.6: full-date). */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && exists(match);
}

/** Whether a calendar has the year, month and day that were matched. */
function exists(match: RegExpExecArray): boolean {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Parses a date-time of RFC 3339, section 5.6, with an optional offset: years 0001 to 9999, seconds 00 to 59, at most nine
 * digits of fraction. Returns the offset as written, or null for another text.
 */
export function parseDateTime(text: string): { offset: string | null } | null {
  const match = DATE_TIME.exec(text);
  return match && exists(match) ? { offset: match[4] ?? null } : null;
}
