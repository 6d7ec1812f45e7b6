import { groupByKey } from '../core/json.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, comparableTimeOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { valueFormOf, isRuleLine, parseLocal, parseLine, readRule } from './rule.ts';
import { type PeriodLimits, createListedStarts, type LocalStarts, expandRule } from './rule-starts.ts';
import { lastSecondOfDayMs, lowerBound } from './calendar-days.ts';

/** Starts of a source, sorted and distinct: all those in `[from, upTo)`, as instants. */
interface Chunk {
  readonly from: number;
  readonly upTo: number;
  readonly starts: readonly number[];
}

/** Remaining work units of one call; a unit takes a few tenths of a millisecond at most. */
export interface LookupBudget {
  remainingUnits: number;
}

/** Number of periods of a rule that can be visited for one work unit. */
const periodsPerUnit = 32;

export type SourceReader = ReturnType<typeof createReader>;

/** Number of starts per chunk for calls of `has`: few, so that a single call is cheap. */
const lookupChunkSize = 32;

/** Creates a reader of one source, which keeps the chunk that it read last. Its work is taken from `budget`. */
export function createReader(source: StartSource, budget: LookupBudget) {
  let chunk: Chunk = { from: 0, upTo: 0, starts: [] };
  /** Returns the chunk that contains an instant, with about `wantedCount` starts from it on. */
  const chunkAt = (instant: number, before: number, wantedCount: number): Chunk => {
    if (instant < chunk.from || instant >= chunk.upTo)
      chunk = readChunk(source, instant, before, wantedCount, budget);
    return chunk;
  };
  return {
    chunkAt,
    has(instant: number, before: number): boolean {
      const { starts } = chunkAt(instant, before, lookupChunkSize);
      return starts[lowerBound(starts, instant)] === instant;
    },
  };
}

function readChunk(
  { starts, clock, until }: StartSource,
  from: number,
  before: number,
  wantedCount: number,
  readBudget?: LookupBudget,
): Chunk {
  const stop = Math.min(before, until + 1);
  if (stop <= from) return { from, upTo: before, starts: [] };
  const instants = new Set<number>();
  /** Adds the instants of local starts. Returns the instant at which to continue. */
  const collectStarts = (begin: number, end: number, instantOf: (local: number) => number): number => {
    const { starts: localStarts, upTo, steps } = starts.readStarts(begin, end, wantedCount);
    if (readBudget) readBudget.remainingUnits -= 1 + steps / periodsPerUnit;
    for (const start of localStarts) instants.add(clock.toInstant(start));
    return upTo >= end ? before : instantOf(upTo);
  };
  // Skipped local times name the same instants as the local times after the gap.
  const gap = clock.skippedTimesBefore(from);
  const completeUpTo = Math.min(
    before,
    collectStarts(clock.firstLocalTime(from), clock.firstLocalTime(stop), (local) =>
      clock.earliestInstant(local),
    ),
    gap ? collectStarts(gap.begin, gap.end, (local) => clock.toInstant(local)) : before,
  );
  const chunkStarts = [...instants].filter(
    (start) => start >= from && start < completeUpTo && start <= until,
  );
  return { from, upTo: completeUpTo, starts: chunkStarts.sort((a, b) => a - b) };
}

/** Returns the last start of a source before an instant, or a later instant if none was found within the limits. */
export function lastStartBefore(source: StartSource, before: number): number | undefined {
  const stopInstant = Math.min(before, source.until + 1);
  return lastStartUpTo(source, source.clock.firstLocalTime(stopInstant) - 1, stopInstant);
}

/** Returns the last start with a local time up to `localUpTo`, before `stopInstant`. */
function lastStartUpTo(source: StartSource, localUpTo: number, stopInstant: number): number | undefined {
  const { starts, clock } = source;
  const local = starts.findLastUpTo(localUpTo);
  if (local === undefined) return undefined;
  const instant = clock.toInstant(local);
  const clockGap = clock.skippedTimesBefore(instant);
  if (!clockGap) return instant;
  // Skipped local times before the start may name later instants.
  let latestStart: number | undefined;
  for (let from = clockGap.at; from < stopInstant;) {
    const chunk = readChunk(source, from, stopInstant, gapChunkSize);
    latestStart = chunk.starts.at(-1) ?? latestStart;
    from = chunk.upTo;
  }
  // Otherwise the last start is before the gap.
  return latestStart ?? lastStartUpTo(source, clock.toLocalTime(clockGap.at - 1), clockGap.at);
}

/** Number of starts that are read at once within a gap of the clock. */
const gapChunkSize = 500;

/** A source of starts in a recurrence set: a rule, or the dates of one zone. */
interface StartSource {
  readonly starts: LocalStarts;
  readonly clock: ZoneClock;
  /** Instant of UNTIL (epoch ms); Infinity without one. */
  readonly until: number;
  readonly isEndless: boolean;
}

/** Recurrence set (RFC 5545) as the sources of its starts, before they are merged. */
export interface RecurrenceSet {
  readonly firstStart: number;
  readonly includedSources: readonly StartSource[];
  readonly excludedSources: readonly StartSource[];
}

/** Limits shared by all rules of a series (`maxCountedPeriods` by those with COUNT), and the minimum for each rule. */
export const sharedLimits: PeriodLimits = { maxEmptyPeriods: 1500, maxCountedPeriods: 10_000 };
const minLimits: PeriodLimits = { maxEmptyPeriods: 40, maxCountedPeriods: 1000 };

/** Builds the recurrence set from the start and lines of a series; null without a valid start. Ignores invalid lines. */
export function recurrenceSetOf(
  start: EventTime | undefined,
  lines: readonly string[],
): RecurrenceSet | null {
  const startInstant = start ? comparableTimeOf(start) : null;
  if (!start || startInstant === null) return null;
  const zone = recurrenceZoneOf(start);
  const firstStart = Math.floor(startInstant / 1000) * 1000;
  const parsedLines = lines.map(parseLine);
  const limits = periodLimitsOf(lines);
  const ruleSourcesOf = (name: 'RRULE' | 'EXRULE'): StartSource[] =>
    parsedLines
      .filter((line) => line.name === name)
      .flatMap(({ value }) => createRuleSource(value, zone, firstStart, limits, name === 'RRULE') ?? []);
  const dateSourcesOf = (name: 'RDATE' | 'EXDATE'): StartSource[] => {
    const dates = parsedLines.filter((line) => line.name === name).flatMap((line) => parseDates(line, zone));
    return [...groupByKey(dates, (date) => date.zone)].map(([dateZone, zoneDates]) =>
      createDateSource(
        dateZone,
        zoneDates.map(({ local }) => local),
      ),
    );
  };
  return {
    firstStart,
    includedSources: [
      createDateSource('UTC', [firstStart]),
      ...ruleSourcesOf('RRULE'),
      ...dateSourcesOf('RDATE'),
    ],
    excludedSources: [...ruleSourcesOf('EXRULE'), ...dateSourcesOf('EXDATE')],
  };
}

/** Returns the zone in which a series recurs; UTC for all-day series. */
export const recurrenceZoneOf = ({ date, timeZone = '' }: EventTime): string =>
  date === undefined && isTimeZone(timeZone) ? timeZone : 'UTC';

/** Returns the limits for each rule of a series, which share `sharedLimits`. */
export function periodLimitsOf(lines: readonly string[]): PeriodLimits {
  const rules = lines.filter(isRuleLine);
  const countedRules = rules.filter((rule) => /[:;]COUNT=/i.test(rule));
  const limitPerRule = (name: keyof PeriodLimits, { length }: readonly string[]): number =>
    Math.max(minLimits[name], Math.floor(sharedLimits[name] / Math.max(1, length)));
  const maxEmptyPeriods = limitPerRule('maxEmptyPeriods', rules);
  return { maxEmptyPeriods, maxCountedPeriods: limitPerRule('maxCountedPeriods', countedRules) };
}

const createDateSource = (zone: string, localTimes: readonly number[]): StartSource => ({
  starts: createListedStarts(localTimes),
  clock: clockOf(zone),
  until: Infinity,
  isEndless: false,
});

/** Start that a date line lists. */
interface ListedDate {
  /** Value of the line, which has an end too if it is a PERIOD. */
  readonly text: string;
  /** Milliseconds as if in UTC. */
  readonly local: number;
  readonly zone: string;
}

/** Instant (epoch ms) of a listed date. Computed on demand: lines of an import may list dates of many thousand years. */
export const instantOfDate = ({ local, zone }: ListedDate): number => clockOf(zone).toInstant(local);

/** Parses the values of a date line; skips invalid ones. */
export function parseDates(
  { parameters, value }: Pick<ReturnType<typeof parseLine>, 'parameters' | 'value'>,
  startZone: string,
): ListedDate[] {
  const tzid = /(?:^|;)TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const lineZone = tzid !== undefined && isTimeZone(tzid) ? tzid : startZone;
  return value.split(',').flatMap((text) => {
    const start = text.replace(/\/.*/s, '');
    const form = valueFormOf(start);
    return form === null ? [] : { text, local: parseLocal(start), zone: form === 'utc' ? 'UTC' : lineZone };
  });
}

function createRuleSource(
  value: string,
  zone: string,
  startInstant: number,
  limits: PeriodLimits,
  countsStart: boolean,
): StartSource | undefined {
  const parts = readRule(value);
  const clock = clockOf(zone);
  const starts = parts && expandRule(parts, clock.toLocalTime(startInstant), limits, countsStart);
  return (
    starts && {
      starts,
      clock,
      until: parseUntil(parts.get('UNTIL') ?? '', clock),
      isEndless: !parts.has('COUNT') && !parts.has('UNTIL'),
    }
  );
}

/** Parses UNTIL as an instant. A DATE in a timed series, which imports may have, includes its whole day. */
export function parseUntil(text: string, clock: ZoneClock): number {
  const form = valueFormOf(text);
  if (form === null) return Infinity;
  if (form === 'utc') return parseLocal(text);
  return clock.toInstant(parseLocal(text) + (form === 'date' ? lastSecondOfDayMs : 0));
}
