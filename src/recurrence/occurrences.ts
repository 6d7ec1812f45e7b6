import { type EventTime, orderOf } from '../core/time/time.ts';
import { clockOf, zoneSpelling } from '../core/time/zone-clock.ts';
import { originalAt } from './original-start.ts';
import {
  lastOf,
  type RecurrenceSet,
  recurrenceSetOf,
  type Stream,
  streamOf,
  type Work,
  zoneOf,
} from './recurrence-set.ts';
import { endOfTime } from './lines.ts';
import { dayMs } from './calendar-days.ts';
import type { TimeTools } from './stored-lines.ts';

interface Series {
  readonly start?: EventTime;
  readonly end?: EventTime;
  readonly recurrence?: readonly string[];
}

/**
 * The starts of a series' occurrences (RFC 5545, section 3.8.5), in epoch milliseconds, whole seconds, in order, none
 * twice. Those of an all-day series are days, counted as in UTC. The start of the series is the first occurrence, unless
 * it is excluded; nothing occurs before it, or after the year 9999. A local time that the clocks skip moves forward by
 * the gap, of two equal ones the first counts. Nothing here throws, and the work of each call is bounded: a rule ends
 * where 1,500 of its periods in a row give nothing, and COUNT where 10,000 periods have been counted, unless the rule
 * always takes the same step; the rules of a series share both.
 */
export interface Occurrences {
  /**
   * Those that start at or after `from` and before `before`, at most `limit`, and whether there are more: then the next
   * page begins right after the last of these. Where nearly all is excluded, or matches are very rare, a page may hold
   * fewer than `limit` though there are more; only when a whole call finds none it says that there are none. `work` is
   * what it took, some units for common rules and `mostWork` at most.
   */
  between(
    from: number,
    before: number,
    limit: number,
  ): { readonly starts: readonly number[]; readonly more: boolean; readonly work: number };
  /** Whether one starts at this very moment. */
  has(start: number): boolean;
  /** Moments of a list at which one starts. Its work grows with the list, and is less than that of as many calls of `has`. */
  among(moments: Iterable<number>): ReadonlySet<number>;
  /** The last one, or a later moment where work ran out; undefined for an endless series, and for one without any. */
  last(): number | undefined;
}

/** What one call may spend: 150 ms for the dearest hundred rules, where common rules take less than one. */
const mostWork = 400;
const mostExcluded = 5000;
const maxEndTries = 200;

const none: Occurrences = {
  between: () => ({ starts: [], more: false, work: 0 }),
  has: () => false,
  among: () => new Set(),
  last: () => undefined,
};

/** What is remembered with the lines of a series; series with the same lines may have other starts. */
interface Known {
  readonly start: string;
  readonly occurrences: Occurrences;
}

const known = new WeakMap<object, Known>();

/** The occurrences of a series. Those of frozen lines are remembered as long as the lines, for the start last asked for. */
export function occurrencesOf({ start, recurrence = [] }: Series): Occurrences {
  const key = keyOf(start);
  const before = known.get(recurrence);
  if (before?.start === key) return before.occurrences;
  const occurrences = createOccurrences(start, recurrence);
  if (Object.isFrozen(recurrence)) known.set(recurrence, { start: key, occurrences });
  return occurrences;
}

const keyOf = ({ date, dateTime, timeZone }: EventTime = {}): string => [date, dateTime, timeZone].join(' ');

/** When the last occurrence of a series ends; undefined for a series that never ends. Never earlier than the truth. */
export function lastEnd(series: Series): number | undefined {
  const last = occurrencesOf(series).last();
  const [start, end] = [series.start && orderOf(series.start), series.end && orderOf(series.end)];
  return last === undefined ? undefined : last + Math.max(0, (end ?? 0) - (start ?? 0));
}

function createOccurrences(start: EventTime | undefined, recurrence: readonly string[]): Occurrences {
  const set = recurrenceSetOf(start, recurrence);
  if (!set) return none;
  let last: { readonly at: number | undefined } | undefined;
  return {
    between: (from, before, limit) =>
      pageOf(set, Math.max(from, set.first), Math.min(before, endOfTime + 1), limit),
    has: (moment) =>
      pageOf(set, Math.max(moment, set.first), Math.min(moment, endOfTime) + 1, 1).starts[0] === moment,
    among: (moments) => startsAmong(set, moments),
    last: () => (last ??= { at: lastStart(set) }).at,
  };
}

function pageOf(
  set: RecurrenceSet,
  from: number,
  before: number,
  limit: number,
): ReturnType<Occurrences['between']> {
  const work: Work = { left: mostWork };
  const page = (more: boolean) => ({ starts, more, work: mostWork - work.left });
  const included = set.included.map((source) => streamOf(source, work));
  const excluded = set.excluded.map((source) => streamOf(source, work));
  const starts: number[] = [];
  let [cursor, refused] = [from, 0];
  while (cursor < before && work.left > 0 && refused < mostExcluded) {
    const wanted = limit + 1 - starts.length;
    const chunks = included.map((stream) => stream.at(cursor, before, wanted));
    const upTo = Math.min(before, ...chunks.map((chunk) => chunk.upTo));
    for (const start of merged(
      chunks.map((chunk) => chunk.starts),
      cursor,
      upTo,
    )) {
      if (excluded.some((stream) => stream.has(start, before))) refused += 1;
      else if (starts.length === limit) return page(true);
      else starts.push(start);
      // The rest of the chunk belongs to the next page.
      if (work.left <= 0) return page(starts.length > 0);
    }
    cursor = upTo;
  }
  return page(cursor < before && starts.length > 0);
}

function startsAmong(set: RecurrenceSet, moments: Iterable<number>): Set<number> {
  const work: Work = { left: mostWork };
  const sorted = [...new Set(moments)]
    .filter((moment) => moment >= set.first && moment <= endOfTime)
    .sort((one, other) => one - other);
  const before = (sorted.at(-1) ?? 0) + 1;
  const included = set.included.map((source) => streamOf(source, work));
  const excluded = set.excluded.map((source) => streamOf(source, work));
  const isIn = (streams: readonly Stream[], moment: number): boolean =>
    streams.some((stream) => stream.has(moment, before));
  return new Set(sorted.filter((moment) => isIn(included, moment) && !isIn(excluded, moment)));
}

function merged(lists: readonly (readonly number[])[], from: number, before: number): number[] {
  const within = lists.map((list) => list.filter((start) => start >= from && start < before));
  const filled = within.filter((list) => list.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  return [...new Set(filled.flat())].sort((one, other) => one - other);
}

function lastStart(set: RecurrenceSet): number | undefined {
  if (set.included.some(({ endless }) => endless)) return undefined;
  const work: Work = { left: mostWork };
  let before = endOfTime + 1;
  for (let tries = 0; ; tries += 1) {
    const lasts = set.included.map((source) => lastOf(source, before)).filter((start) => start !== undefined);
    const last = Math.max(...lasts);
    if (last < set.first) return undefined;
    const isExcluded = set.excluded.some((source) => streamOf(source, work).has(last, last + 1));
    if (!isExcluded || work.left <= 0 || tries >= maxEndTries) return last;
    before = last;
  }
}

/** Work of a look for occurrences on single days, at most in all. */
const maxWorkUnits = 20_000;

export const timeTools: TimeTools = {
  spelled: zoneSpelling,
  startsOn({ start, recurrence }, days, most) {
    const clock = clockOf(zoneOf(start));
    const occurrences = occurrencesOf({ start, recurrence: Object.freeze([...recurrence]) });
    const starts: string[] = [];
    let work = 0;
    for (const day of [...days].sort()) {
      const midnight = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);
      const found = occurrences.between(
        clock.earliest(midnight),
        clock.earliest(midnight + dayMs),
        most - starts.length + 1,
      );
      for (const instant of found.starts) starts.push(originalAt(instant, false));
      work += found.work;
      if (starts.length > most || found.more || work > maxWorkUnits) return undefined;
    }
    return starts;
  },
};
