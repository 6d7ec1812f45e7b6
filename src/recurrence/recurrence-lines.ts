import { isDate } from '../core/time/local-time.ts';

/** Form of a value in a recurrence line: DATE, or DATE-TIME without or with the Z of UTC. */
export type ValueForm = 'date' | 'local' | 'utc';

const valuePattern = /^(\d{4})(\d{2})(\d{2})(T(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(Z)?)?$/i;

/** Returns the form of a DATE or DATE-TIME (RFC 5545, sections 3.3.4 and 3.3.5; no leap seconds); null for other text. */
export function valueFormOf(text: string): ValueForm | null {
  const match = valuePattern.exec(text);
  if (!match || !isDate(`${match[1]}-${match[2]}-${match[3]}`)) return null;
  if (match[4] === undefined) return 'date';
  return match[5] === undefined ? 'local' : 'utc';
}

/** Parses a DATE or DATE-TIME as if in UTC; returns epoch milliseconds. */
export function parseLocal(text: string): number {
  const numberIn = (begin: number, end: number): number => Number(text.slice(begin, end));
  const date = new Date(0);
  // `Date.UTC` would map the years 1 to 99 to the last century.
  date.setUTCFullYear(numberIn(0, 4), numberIn(4, 6) - 1, numberIn(6, 8));
  return date.setUTCHours(numberIn(9, 11), numberIn(11, 13), numberIn(13, 15));
}

/** Limits of local times (ms as if in UTC), whose years have four digits. */
const minLocalTime = Date.parse('0001-01-01T00:00:00Z');
export const maxLocalTime = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Formats a local time (ms as if in UTC) as `yyyymmddThhmmss`, without the Z of UTC. */
export const formatCompact = (local: number): string =>
  new Date(Math.min(Math.max(local, minLocalTime), maxLocalTime))
    .toISOString()
    .slice(0, 19)
    .replace(/[-:]/g, '');

/** Syntax of a recurrence line: name, parameters and value. */
export const recurrenceLinePattern = /^(RRULE|EXRULE|RDATE|EXDATE)(?:;([^:]*))?:(.*)$/i;
export const isRuleLine = (line: string): boolean => /^(?:EX|R)RULE[:;]/i.test(line);

/** Splits a recurrence line into name, parameters and value; other lines give empty texts. */
export function parseLine(line: string): {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
} {
  const [, name = '', parameters = '', value = ''] = recurrenceLinePattern.exec(line) ?? [];
  return { name, parameters, value };
}

/** Splits a rule into its parts by name, in upper case, without any check. */
export const parseRuleParts = (value: string): Map<string, string> =>
  new Map(
    value
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );

/** Replaces parts of a rule line, and appends those it lacks; undefined removes a part. */
export function replaceRuleParts(
  line: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const colonIndex = line.indexOf(':');
  const addedChanges = new Map(Object.entries(changes));
  const formatPart = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${name}=${value}`];
  const existingParts = line
    .slice(colonIndex + 1)
    .split(';')
    .flatMap((part) => {
      const name = part.slice(0, part.indexOf('=')).toUpperCase();
      if (!Object.hasOwn(changes, name)) return [part];
      addedChanges.delete(name);
      return formatPart(name, changes[name]);
    });
  const addedParts = [...addedChanges].flatMap(([name, value]) => formatPart(name, value));
  return `${line.slice(0, colonIndex)}:${[...existingParts, ...addedParts].join(';')}`;
}
