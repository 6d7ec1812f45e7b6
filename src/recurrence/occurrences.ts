import { type EventTime, comparableTimeOf } from '../core/time/time.ts';
import { clockOf, zoneSpelling } from '../core/time/zone-clock.ts';
import { formatOriginalStart } from './original-start.ts';
import {
  lastStartBefore,
  type RecurrenceSet,
  recurrenceSetOf,
  type SourceReader,
  createReader,
  type LookupBudget,
  recurrenceZoneOf,
} from './recurrence-set.ts';
import { maxLocalTime } from './rule.ts';
import { dayMs } from './calendar-days.ts';
import type { TimeTools } from './stored-lines.ts';

/** Parts of an event that determine its occurrences. */
interface RecurringEvent {
  readonly start?: EventTime;
  readonly end?: EventTime;
  readonly recurrence?: readonly string[];
}

/**
 * Occurrences of a series (RFC 5545, section 3.8.5): sorted, distinct starts in epoch milliseconds (whole seconds; days as in
 * UTC). The first is the start of the series, unless excluded; none is after the year 9999. A skipped local time moves forward
 * by the gap; a repeated one means the first. Nothing throws, and each call has bounded work: a rule ends after 1,500 empty
 * periods in a row, and COUNT after 10,000 periods unless the step is constant. The rules of a series share both limits.
 */
export interface Occurrences {
  /**
   * Returns up to `limit` starts in `[from, before)`. `hasMore`: the next page begins after the last of them. A page with rare or
   * mostly excluded starts may have fewer than `limit` although `hasMore` is true, but an empty page is always the last.
   * `work`: the units spent, at most `maxWork`.
   */
  between(
    from: number,
    before: number,
    limit: number,
  ): { readonly starts: readonly number[]; readonly hasMore: boolean; readonly work: number };
  /** Whether an occurrence starts at an instant. */
  has(start: number): boolean;
  /** Filters instants at which an occurrence starts; cheaper than a call of `has` for each. */
  filterStarts(instants: Iterable<number>): ReadonlySet<number>;
  /** Last start, or a later instant if work ran out; undefined for an endless or an empty series. */
  lastStart(): number | undefined;
}

/** Maximum work units of one call: 150 ms for the hundred most expensive rules; common rules take less than 1 ms. */
const maxWork = 400;
/** Maximum number of excluded starts that one page skips. */
const maxExcludedStarts = 5000;
/** Maximum number of excluded starts that the search for the last start skips. */
const maxSkippedLastStarts = 200;

const noOccurrences: Occurrences = {
  between: () => ({ starts: [], hasMore: false, work: 0 }),
  has: () => false,
  filterStarts: () => new Set(),
  lastStart: () => undefined,
};

/** Occurrences by the lines of a series. Series with the same lines may differ in their start. */
const cache = new WeakMap<object, { readonly start: string; readonly occurrences: Occurrences }>();

/** Returns the occurrences of a series. They are cached with frozen lines, for the latest start. */
export function occurrencesOf({ start, recurrence = [] }: RecurringEvent): Occurrences {
  const startKey = [start?.date, start?.dateTime, start?.timeZone].join(' ');
  const cachedEntry = cache.get(recurrence);
  if (cachedEntry?.start === startKey) return cachedEntry.occurrences;
  const occurrences = createOccurrences(start, recurrence);
  if (Object.isFrozen(recurrence)) cache.set(recurrence, { start: startKey, occurrences });
  return occurrences;
}

/** Returns the end of the last occurrence (epoch ms), or a later time if work ran out; undefined for an endless series. */
export function lastEndOf(series: RecurringEvent): number | undefined {
  const lastStart = occurrencesOf(series).lastStart();
  const [start, end] = [
    series.start && comparableTimeOf(series.start),
    series.end && comparableTimeOf(series.end),
  ];
  return lastStart === undefined ? undefined : lastStart + Math.max(0, (end ?? 0) - (start ?? 0));
}

function createOccurrences(start: EventTime | undefined, recurrence: readonly string[]): Occurrences {
  const set = recurrenceSetOf(start, recurrence);
  if (!set) return noOccurrences;
  let cachedLastStart: { readonly at: number | undefined } | undefined;
  return {
    between: (from, before, limit) =>
      readPage(set, Math.max(from, set.firstStart), Math.min(before, maxLocalTime + 1), limit),
    has: (instant) =>
      readPage(set, Math.max(instant, set.firstStart), Math.min(instant, maxLocalTime) + 1, 1).starts[0] ===
      instant,
    filterStarts: (instants) => findStarts(set, instants),
    lastStart: () => (cachedLastStart ??= { at: findLastStart(set) }).at,
  };
}

/** Reads a page of occurrences, as `between` returns it. */
function readPage(
  set: RecurrenceSet,
  from: number,
  before: number,
  limit: number,
): ReturnType<Occurrences['between']> {
  const budget: LookupBudget = { remainingUnits: maxWork };
  const createPage = (hasMore: boolean) => ({ starts, hasMore, work: maxWork - budget.remainingUnits });
  const [includedReaders, excludedReaders] = createReaders(set, budget);
  const starts: number[] = [];
  let [cursor, excludedCount] = [from, 0];
  while (cursor < before && budget.remainingUnits > 0 && excludedCount < maxExcludedStarts) {
    const wantedCount = limit + 1 - starts.length;
    const chunks = includedReaders.map((reader) => reader.chunkAt(cursor, before, wantedCount));
    const upTo = Math.min(before, ...chunks.map((chunk) => chunk.upTo));
    for (const start of mergeStarts(
      chunks.map((chunk) => chunk.starts),
      cursor,
      upTo,
    )) {
      if (excludedReaders.some((reader) => reader.has(start, before))) excludedCount += 1;
      else if (starts.length === limit) return createPage(true);
      else starts.push(start);
      // Starts left in the chunk belong to the next page.
      if (budget.remainingUnits <= 0) return createPage(starts.length > 0);
    }
    cursor = upTo;
  }
  return createPage(cursor < before && starts.length > 0);
}

const createReaders = ({ includedSources, excludedSources }: RecurrenceSet, budget: LookupBudget) =>
  [
    includedSources.map((source) => createReader(source, budget)),
    excludedSources.map((source) => createReader(source, budget)),
  ] as const;

function findStarts(set: RecurrenceSet, instants: Iterable<number>): Set<number> {
  const searchBudget: LookupBudget = { remainingUnits: maxWork };
  const sortedInstants = [...new Set(instants)]
    .filter((instant) => instant >= set.firstStart && instant <= maxLocalTime)
    .sort((a, b) => a - b);
  const before = (sortedInstants.at(-1) ?? 0) + 1;
  const [includedReaders, excludedReaders] = createReaders(set, searchBudget);
  const includesInstant = (readers: readonly SourceReader[], instant: number): boolean =>
    readers.some((reader) => reader.has(instant, before));
  return new Set(
    sortedInstants.filter(
      (instant) => includesInstant(includedReaders, instant) && !includesInstant(excludedReaders, instant),
    ),
  );
}

/** Merges sorted lists, without duplicates, to the starts in `[from, before)`. */
function mergeStarts(lists: readonly (readonly number[])[], from: number, before: number): number[] {
  const listsInRange = lists.map((list) => list.filter((start) => start >= from && start < before));
  const nonEmptyLists = listsInRange.filter((list) => list.length > 0);
  if (nonEmptyLists.length < 2) return nonEmptyLists[0] ?? [];
  return [...new Set(nonEmptyLists.flat())].sort((a, b) => a - b);
}

function findLastStart(set: RecurrenceSet): number | undefined {
  if (set.includedSources.some(({ isEndless }) => isEndless)) return undefined;
  const lookupBudget: LookupBudget = { remainingUnits: maxWork };
  let before = maxLocalTime + 1;
  for (let skippedLastStarts = 0; ; skippedLastStarts += 1) {
    const lastStarts = set.includedSources.flatMap((source) => lastStartBefore(source, before) ?? []);
    const lastCandidate = Math.max(...lastStarts);
    if (lastCandidate < set.firstStart) return undefined;
    const isExcluded = set.excludedSources.some((source) =>
      createReader(source, lookupBudget).has(lastCandidate, lastCandidate + 1),
    );
    if (!isExcluded || lookupBudget.remainingUnits <= 0 || skippedLastStarts >= maxSkippedLastStarts)
      return lastCandidate;
    before = lastCandidate;
  }
}

/** Maximum work units of one search for occurrences on single days. */
const maxDaySearchWork = 20_000;

/** Time tools of servers, with the clocks of all zones. */
export const timeTools: TimeTools = {
  canonicalZone: zoneSpelling,
  startsOn({ start, recurrence }, days, maxStarts) {
    const clock = clockOf(recurrenceZoneOf(start));
    const occurrences = occurrencesOf({ start, recurrence: Object.freeze([...recurrence]) });
    const starts: string[] = [];
    let work = 0;
    for (const day of [...days].sort()) {
      const midnight = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);
      const page = occurrences.between(
        clock.earliestInstant(midnight),
        clock.earliestInstant(midnight + dayMs),
        maxStarts - starts.length + 1,
      );
      for (const instant of page.starts) starts.push(formatOriginalStart(instant, false));
      work += page.work;
      if (starts.length > maxStarts || page.hasMore || work > maxDaySearchWork) return undefined;
    }
    return starts;
  },
};
