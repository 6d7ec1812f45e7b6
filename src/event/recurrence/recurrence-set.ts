import type { EventTime } from '../time/time.ts';
import { clockOf, type ZoneClock } from '../time/zone-clock.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { orderOf } from '../time/time.ts';
import { listedStarts, type LocalStarts } from './local-starts.ts';
import { readRule } from './rule.ts';
import { ruleStarts, type Bounds } from './rule-starts.ts';
import { formOf } from './value.ts';

/** One part of a recurrence set: a rule, or the dates of one zone. */
export interface Source {
  readonly starts: LocalStarts;
  readonly clock: ZoneClock;
  /** The instant of UNTIL; Infinity without one. */
  readonly until: number;
  /** True for a rule with neither COUNT nor UNTIL. */
  readonly endless: boolean;
}

export interface RecurrenceSet {
  /** The first start of the series; nothing occurs before it. */
  readonly first: number;
  readonly included: readonly Source[];
  readonly excluded: readonly Source[];
}

/** Periods that all rules of a series share, those with COUNT the counted ones, and what each has at least. */
const mostBounds: Bounds = { empty: 1500, counted: 10_000 };
const fewestBounds: Bounds = { empty: 40, counted: 1000 };

const recurrenceLine = /^(RRULE|EXRULE|RDATE|EXDATE)(?:;([^:]*))?:(.*)$/i;

/** The name, the parameters and the value of a line of a recurrence; empty texts of what is none. */
export function partsOf(line: string): {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
} {
  const [, name = '', parameters = '', value = ''] = recurrenceLine.exec(line) ?? [];
  return { name, parameters, value };
}

/**
 * The sources of a series' occurrences; null for one without a usable start. Its time zone is that of its start; days
 * count as in UTC. Times are whole seconds. Lines that are none are passed over.
 */
export function recurrenceSetOf(
  start: EventTime | undefined,
  lines: readonly string[],
): RecurrenceSet | null {
  const moment = start ? orderOf(start) : null;
  if (!start || moment === null) return null;
  const zone = zoneOf(start);
  const first = Math.floor(moment / 1000) * 1000;
  const [included, excluded]: [Source[], Source[]] = [[dates('UTC', [first])], []];
  const listed = { RDATE: new Map<string, number[]>(), EXDATE: new Map<string, number[]>() };
  const bounds = boundsOf(lines);
  for (const text of lines) {
    const { name, parameters, value } = partsOf(text);
    const kind = name.toUpperCase();
    if (kind === 'RDATE' || kind === 'EXDATE') addDates(listed[kind], parameters, value, zone);
    if (kind === 'RRULE') included.push(...rule(value, clockOf(zone), first, bounds, true));
    if (kind === 'EXRULE') excluded.push(...rule(value, clockOf(zone), first, bounds, false));
  }
  for (const [of, values] of listed.RDATE) included.push(dates(of, values));
  for (const [of, values] of listed.EXDATE) excluded.push(dates(of, values));
  return { first, included, excluded };
}

/** The zone in which a series recurs; days count as in UTC. */
export const zoneOf = ({ date, timeZone = '' }: EventTime): string =>
  date === undefined && isTimeZone(timeZone) ? timeZone : 'UTC';

/** What may be spent on each rule of a series. */
export function boundsOf(lines: readonly string[]): Bounds {
  const rules = lines.filter((text) => /^(?:EX|R)RULE/i.test(text));
  const counting = rules.filter((text) => /[:;]COUNT=/i.test(text));
  const share = (name: keyof Bounds, { length }: readonly string[]): number =>
    Math.max(fewestBounds[name], Math.floor(mostBounds[name] / Math.max(1, length)));
  return { empty: share('empty', rules), counted: share('counted', counting) };
}

const dates = (zone: string, values: readonly number[]): Source => ({
  starts: listedStarts(values),
  clock: clockOf(zone),
  until: Infinity,
  endless: false,
});

/** The values of a line by their zone. */
function addDates(listed: Map<string, number[]>, parameters: string, value: string, zone: string): void {
  for (const { local, zone: key } of datesOf(parameters, value, zone)) {
    const values = listed.get(key) ?? [];
    if (values.length === 0) listed.set(key, values);
    values.push(local);
  }
}

/** The dates that a line lists, each as it is written, with its local time, of a period its start, and its zone. */
export function datesOf(
  parameters: string,
  value: string,
  zone: string,
): { readonly written: string; readonly local: number; readonly zone: string }[] {
  const named = /(?:^|;)TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const own = named !== undefined && isTimeZone(named) ? named : zone;
  return value.split(',').flatMap((written) => {
    const text = written.replace(/\/.*/s, '');
    const form = formOf(text);
    return form === null ? [] : [{ written, local: numberOf(text), zone: form === 'utc' ? 'UTC' : own }];
  });
}

/** A day or a time as the epoch milliseconds it has in UTC. */
function numberOf(text: string): number {
  const part = (from: number, to: number): number => Number(text.slice(from, to));
  const moment = new Date(0);
  // Not Date.UTC, which takes the years 1 to 99 for those of the last century.
  moment.setUTCFullYear(part(0, 4), part(4, 6) - 1, part(6, 8));
  return moment.setUTCHours(part(9, 11), part(11, 13), part(13, 15));
}

/** A rule as a source; nothing for one that never gives a start. */
function rule(value: string, clock: ZoneClock, first: number, bounds: Bounds, counts: boolean): Source[] {
  const parts = readRule(value);
  const starts = parts && ruleStarts(parts, clock.toLocal(first), bounds, counts);
  if (!starts) return [];
  return [
    {
      starts,
      clock,
      until: untilOf(parts.get('UNTIL') ?? '', clock),
      endless: !parts.has('COUNT') && !parts.has('UNTIL'),
    },
  ];
}

/** A day as UNTIL of a series with times, which an import may bring, counts as a whole. */
export function untilOf(text: string, clock: ZoneClock): number {
  const form = formOf(text);
  if (form === null) return Infinity;
  if (form === 'utc') return numberOf(text);
  return clock.toInstant(numberOf(text) + (form === 'date' ? 86_399_000 : 0));
}
