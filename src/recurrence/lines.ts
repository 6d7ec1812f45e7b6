import { isDate } from '../core/time/local-time.ts';

/** Forms of a date or a time in a recurrence line: a day, a time without zone, a time in UTC. */
export type ValueForm = 'date' | 'local' | 'utc';

const VALUE = /^(\d{4})(\d{2})(\d{2})(T(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(Z)?)?$/i;

/** Reads a DATE or DATE-TIME (RFC 5545, sections 3.3.4 and 3.3.5; no leap second); null when it is neither. */
export function formOf(text: string): ValueForm | null {
  const match = VALUE.exec(text);
  if (!match || !isDate(`${match[1]}-${match[2]}-${match[3]}`)) return null;
  if (match[4] === undefined) return 'date';
  return match[5] === undefined ? 'local' : 'utc';
}

/** A day or a time of a line as the epoch milliseconds it has in UTC. */
export function numberOf(text: string): number {
  const part = (from: number, to: number): number => Number(text.slice(from, to));
  const moment = new Date(0);
  // Not Date.UTC, which takes the years 1 to 99 for those of the last century.
  moment.setUTCFullYear(part(0, 4), part(4, 6) - 1, part(6, 8));
  return moment.setUTCHours(part(9, 11), part(11, 13), part(13, 15));
}

/** The last local time that the calendar's four digits can write. */
export const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Writes a moment as lines do, without the Z of UTC. */
export const compact = (local: number): string =>
  new Date(Math.min(local, endOfTime)).toISOString().slice(0, 19).replace(/[-:]/g, '');

/** A line of a recurrence: its name, its parameters and its value. */
export const recurrenceLine = /^(RRULE|EXRULE|RDATE|EXDATE)(?:;([^:]*))?:(.*)$/i;
export const isRule = (line: string): boolean => /^(?:EX|R)RULE[:;]/i.test(line);

/** The name, the parameters and the value of a line of a recurrence; empty texts of what is none. */
export function partsOf(line: string): {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
} {
  const [, name = '', parameters = '', value = ''] = recurrenceLine.exec(line) ?? [];
  return { name, parameters, value };
}

/** Parts of the value of a rule by name, all in upper case. */
export const ruleParts = (value: string): Map<string, string> =>
  new Map(
    value
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );

/** Replaces parts of a rule's line; undefined takes one away. */
export function withParts(line: string, changes: Readonly<Record<string, string | undefined>>): string {
  const colon = line.indexOf(':');
  const left = new Map(Object.entries(changes));
  const written = (name: string, text: string | undefined): string[] =>
    text === undefined ? [] : [`${name}=${text}`];
  const kept = line
    .slice(colon + 1)
    .split(';')
    .flatMap((part) => {
      const name = part.slice(0, part.indexOf('=')).toUpperCase();
      if (!Object.hasOwn(changes, name)) return [part];
      left.delete(name);
      return written(name, changes[name]);
    });
  const added = [...left].flatMap(([name, text]) => written(name, text));
  return `${line.slice(0, colon)}:${[...kept, ...added].join(';')}`;
}
