import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { formOf, isRule, numberOf, partsOf } from './lines.ts';
import { type Bounds, listedStarts, type LocalStarts, ruleStarts } from './rule-starts.ts';
import { readRule } from './rule.ts';
import { lowerBound } from './calendar-days.ts';

/** Some instants at which a source has starts: in order, none twice, all of those from `from` on and before `upTo`. */
interface Chunk {
  readonly from: number;
  readonly upTo: number;
  readonly starts: readonly number[];
}

/** The work that one call may still spend on looking for starts; a unit is some tenth of a millisecond at most. */
export interface Work {
  left: number;
}

const stepsInUnit = 32;

/** Reads a source forward, from one chunk to the next. */
export interface Stream {
  /** The starts around an instant: those from it on are wanted. */
  at(instant: number, before: number, wanted: number): Chunk;
  /** Whether the source has a start at this very instant. */
  has(instant: number, before: number): boolean;
}

/** Chunks for single questions are small, so that a rare question costs little. */
const wantedToAsk = 32;

export function streamOf(source: Source, work: Work): Stream {
  let chunk: Chunk = { from: 0, upTo: 0, starts: [] };
  const at = (instant: number, before: number, wanted: number): Chunk => {
    if (instant < chunk.from || instant >= chunk.upTo) chunk = chunkOf(source, instant, before, wanted, work);
    return chunk;
  };
  return {
    at,
    has(instant, before) {
      const { starts } = at(instant, before, wantedToAsk);
      return starts[lowerBound(starts, instant)] === instant;
    },
  };
}

/** The starts of a source from `from` on and before `before`: about as many as are wanted, or all where there are fewer. */
function chunkOf(
  { starts, clock, until }: Source,
  from: number,
  before: number,
  wanted: number,
  work?: Work,
): Chunk {
  const stop = Math.min(before, until + 1);
  if (stop <= from) return { from, upTo: before, starts: [] };
  const found = new Set<number>();
  /** Adds what some local times name; gives the instant from which on to search further. */
  const read = (begin: number, end: number, instantOf: (local: number) => number): number => {
    const { starts: local, upTo, steps } = starts.take(begin, end, wanted);
    if (work) work.left -= 1 + steps / stepsInUnit;
    for (const start of local) found.add(clock.toInstant(start));
    return upTo >= end ? before : instantOf(upTo);
  };
  // Skipped local times name the same instants as those behind them.
  const skipped = clock.skippedBefore(from);
  const complete = Math.min(
    before,
    read(clock.firstLocal(from), clock.firstLocal(stop), (local) => clock.earliest(local)),
    skipped ? read(skipped.begin, skipped.end, (local) => clock.toInstant(local)) : before,
  );
  const within = [...found].filter((start) => start >= from && start < complete && start <= until);
  return { from, upTo: complete, starts: within.sort((one, other) => one - other) };
}

/** The last start of a source before an instant; an instant that may be later where it was not found. */
export function lastOf(source: Source, before: number): number | undefined {
  const stop = Math.min(before, source.until + 1);
  return lastUpTo(source, source.clock.firstLocal(stop) - 1, stop);
}

/** The last start in local time up to `upTo`, and before an instant. */
function lastUpTo(source: Source, upTo: number, stop: number): number | undefined {
  const { starts, clock } = source;
  const local = starts.last(upTo);
  if (local === undefined) return undefined;
  const instant = clock.toInstant(local);
  const skipped = clock.skippedBefore(instant);
  if (!skipped) return instant;
  // Skipped local times before it may name later instants.
  let latest: number | undefined;
  for (let from = skipped.at; from < stop;) {
    const chunk = chunkOf(source, from, stop, wantedAround);
    latest = chunk.starts.at(-1) ?? latest;
    from = chunk.upTo;
  }
  // Or it is before the gap, whose local times all name instants behind it.
  return latest ?? lastUpTo(source, clock.toLocal(skipped.at - 1), skipped.at);
}

const wantedAround = 500;

/** One part of a recurrence set: a rule, or the dates of one zone. */
interface Source {
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

/** Sources of a series' occurrences, in its start's zone and whole seconds; null without a usable start. Passes over other lines. */
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
  const rules = lines.filter(isRule);
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
