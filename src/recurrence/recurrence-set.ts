import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { valueFormOf, isRuleLine, parseLocal, parseLine } from './lines.ts';
import { type Bounds, listedStarts, type LocalStarts, ruleStarts } from './rule-starts.ts';
import { readRule } from './rule.ts';
import { lowerBound } from './calendar-days.ts';

/** Sorted, distinct starts of a source: all in `[from, upTo)`. */
interface Chunk {
  readonly from: number;
  readonly upTo: number;
  readonly starts: readonly number[];
}

/** Remaining work units of one call; a unit takes a few tenths of a millisecond at most. */
export interface WorkBudget {
  left: number;
}

const stepsPerUnit = 32;

export interface SourceReader {
  /** Returns the chunk that contains an instant, with about `wanted` starts from it on. */
  at(instant: number, before: number, wanted: number): Chunk;
  has(instant: number, before: number): boolean;
}

/** Small chunks keep single calls of `has` cheap. */
const hasChunkSize = 32;

export function createReader(source: Source, work: WorkBudget): SourceReader {
  let chunk: Chunk = { from: 0, upTo: 0, starts: [] };
  const at = (instant: number, before: number, wanted: number): Chunk => {
    if (instant < chunk.from || instant >= chunk.upTo)
      chunk = readChunk(source, instant, before, wanted, work);
    return chunk;
  };
  return {
    at,
    has(instant, before) {
      const { starts } = at(instant, before, hasChunkSize);
      return starts[lowerBound(starts, instant)] === instant;
    },
  };
}

function readChunk(
  { starts, clock, until }: Source,
  from: number,
  before: number,
  wanted: number,
  work?: WorkBudget,
): Chunk {
  const stop = Math.min(before, until + 1);
  if (stop <= from) return { from, upTo: before, starts: [] };
  const instants = new Set<number>();
  /** Adds the instants of local starts. Returns the instant at which to continue. */
  const read = (begin: number, end: number, instantOf: (local: number) => number): number => {
    const { starts: local, upTo, steps } = starts.take(begin, end, wanted);
    if (work) work.left -= 1 + steps / stepsPerUnit;
    for (const start of local) instants.add(clock.toInstant(start));
    return upTo >= end ? before : instantOf(upTo);
  };
  // Skipped local times name the same instants as the local times after the gap.
  const skipped = clock.skippedBefore(from);
  const complete = Math.min(
    before,
    read(clock.firstLocal(from), clock.firstLocal(stop), (local) => clock.earliest(local)),
    skipped ? read(skipped.begin, skipped.end, (local) => clock.toInstant(local)) : before,
  );
  const within = [...instants].filter((start) => start >= from && start < complete && start <= until);
  return { from, upTo: complete, starts: within.sort((a, b) => a - b) };
}

/** Last start of a source before an instant, or a later instant if it was not found within the limits. */
export function lastStartBefore(source: Source, before: number): number | undefined {
  const stop = Math.min(before, source.until + 1);
  return lastUpTo(source, source.clock.firstLocal(stop) - 1, stop);
}

/** Last start with a local time up to `upTo`, before the instant `stop`. */
function lastUpTo(source: Source, upTo: number, stop: number): number | undefined {
  const { starts, clock } = source;
  const local = starts.last(upTo);
  if (local === undefined) return undefined;
  const instant = clock.toInstant(local);
  const skipped = clock.skippedBefore(instant);
  if (!skipped) return instant;
  // Skipped local times before the start may name later instants.
  let latest: number | undefined;
  for (let from = skipped.at; from < stop;) {
    const chunk = readChunk(source, from, stop, gapChunkSize);
    latest = chunk.starts.at(-1) ?? latest;
    from = chunk.upTo;
  }
  // Otherwise the last start is before the gap.
  return latest ?? lastUpTo(source, clock.toLocal(skipped.at - 1), skipped.at);
}

const gapChunkSize = 500;

/** A source of starts in a recurrence set: a rule, or the dates of one zone. */
interface Source {
  readonly starts: LocalStarts;
  readonly clock: ZoneClock;
  readonly until: number;
  readonly isEndless: boolean;
}

export interface RecurrenceSet {
  readonly first: number;
  readonly included: readonly Source[];
  readonly excluded: readonly Source[];
}

/** Limits shared by all rules of a series (`counted` by those with COUNT), and the minimum for each rule. */
const sharedBounds: Bounds = { maxEmptyPeriods: 1500, maxCountedPeriods: 10_000 };
const minBounds: Bounds = { maxEmptyPeriods: 40, maxCountedPeriods: 1000 };

/** Builds the recurrence set from the start and lines of a series; null without a valid start. Ignores invalid lines. */
export function recurrenceSetOf(
  start: EventTime | undefined,
  lines: readonly string[],
): RecurrenceSet | null {
  const startInstant = start ? orderOf(start) : null;
  if (!start || startInstant === null) return null;
  const zone = recurrenceZoneOf(start);
  const first = Math.floor(startInstant / 1000) * 1000;
  const [included, excluded]: [Source[], Source[]] = [[dateSource('UTC', [first])], []];
  const listed = { RDATE: new Map<string, number[]>(), EXDATE: new Map<string, number[]>() };
  const bounds = boundsOf(lines);
  for (const text of lines) {
    const { name, parameters, value } = parseLine(text);
    const kind = name.toUpperCase();
    if (kind === 'RDATE' || kind === 'EXDATE') addDates(listed[kind], parameters, value, zone);
    if (kind === 'RRULE') included.push(...ruleSources(value, clockOf(zone), first, bounds, true));
    if (kind === 'EXRULE') excluded.push(...ruleSources(value, clockOf(zone), first, bounds, false));
  }
  for (const [dateZone, values] of listed.RDATE) included.push(dateSource(dateZone, values));
  for (const [dateZone, values] of listed.EXDATE) excluded.push(dateSource(dateZone, values));
  return { first, included, excluded };
}

/** Zone in which a series recurs; UTC for all-day series. */
export const recurrenceZoneOf = ({ date, timeZone = '' }: EventTime): string =>
  date === undefined && isTimeZone(timeZone) ? timeZone : 'UTC';

export function boundsOf(lines: readonly string[]): Bounds {
  const rules = lines.filter(isRuleLine);
  const counting = rules.filter((text) => /[:;]COUNT=/i.test(text));
  const share = (name: keyof Bounds, { length }: readonly string[]): number =>
    Math.max(minBounds[name], Math.floor(sharedBounds[name] / Math.max(1, length)));
  const maxEmptyPeriods = share('maxEmptyPeriods', rules);
  return { maxEmptyPeriods, maxCountedPeriods: share('maxCountedPeriods', counting) };
}

const dateSource = (zone: string, values: readonly number[]): Source => ({
  starts: listedStarts(values),
  clock: clockOf(zone),
  until: Infinity,
  isEndless: false,
});

function addDates(listed: Map<string, number[]>, parameters: string, value: string, zone: string): void {
  for (const { local, zone: key } of parseDates(parameters, value, zone)) {
    const values = listed.get(key) ?? [];
    if (values.length === 0) listed.set(key, values);
    values.push(local);
  }
}

export function parseDates(
  parameters: string,
  value: string,
  zone: string,
): { readonly written: string; readonly local: number; readonly zone: string }[] {
  const tzid = /(?:^|;)TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const lineZone = tzid !== undefined && isTimeZone(tzid) ? tzid : zone;
  return value.split(',').flatMap((written) => {
    const text = written.replace(/\/.*/s, '');
    const form = valueFormOf(text);
    return form === null
      ? []
      : [{ written, local: parseLocal(text), zone: form === 'utc' ? 'UTC' : lineZone }];
  });
}

function ruleSources(
  value: string,
  clock: ZoneClock,
  first: number,
  bounds: Bounds,
  countsStart: boolean,
): Source[] {
  const parts = readRule(value);
  const starts = parts && ruleStarts(parts, clock.toLocal(first), bounds, countsStart);
  if (!starts) return [];
  return [
    {
      starts,
      clock,
      until: parseUntil(parts.get('UNTIL') ?? '', clock),
      isEndless: !parts.has('COUNT') && !parts.has('UNTIL'),
    },
  ];
}

/** Parses UNTIL as an instant. A DATE in a timed series, which imports may have, includes its whole day. */
export function parseUntil(text: string, clock: ZoneClock): number {
  const form = valueFormOf(text);
  if (form === null) return Infinity;
  if (form === 'utc') return parseLocal(text);
  return clock.toInstant(parseLocal(text) + (form === 'date' ? 86_399_000 : 0));
}
