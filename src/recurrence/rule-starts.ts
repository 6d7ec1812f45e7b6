import { type Periods, periodsOf } from './periods.ts';
import { frequencyOf, intervalOf, hasConstantStep, type RuleParts, periodLengthOf } from './rule.ts';
import { lowerBound } from './calendar-days.ts';
import { maxLocalTime } from './lines.ts';

/** Sorted, distinct local starts, as the epoch milliseconds that they would have in UTC. */
export interface LocalStarts {
  /** Returns about `wanted` starts in `[from, before)`: all before `upTo`, which is at least `before` if no more follow. */
  take(from: number, before: number, wanted: number): LocalChunk;
  /** Last start at or before `at`; if not found within the limits, a time between that start and `at`. */
  last(at: number): number | undefined;
}

interface LocalChunk {
  readonly starts: readonly number[];
  readonly upTo: number;
  readonly steps: number;
}

export function listedStarts(values: readonly number[]): LocalStarts {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  return {
    take(from, before, wanted) {
      const index = lowerBound(sorted, from);
      const starts = sorted.slice(index, Math.min(index + wanted, lowerBound(sorted, before)));
      return { starts, upTo: Math.min(before, sorted[index + wanted] ?? Infinity), steps: 0 };
    },
    last: (at) => sorted[lowerBound(sorted, at + 1) - 1],
  };
}

export interface Bounds {
  /** Periods in a row without a start after which the rule ends. */
  readonly maxEmptyPeriods: number;
  /** Periods through which COUNT is counted, unless the step of the rule is constant. */
  readonly maxCountedPeriods: number;
}

/** Expands a rule; undefined without any start. `countsStart`: COUNT includes the start of the series, even if the rule does not give it. */
export function ruleStarts(
  parts: RuleParts,
  start: number,
  bounds: Bounds,
  countsStart: boolean,
): LocalStarts | undefined {
  const { maxEmptyPeriods, maxCountedPeriods } = adaptBounds(parts, bounds);
  const periods = periodsOf(parts, start);
  const starts = startsIn(periods, start, maxLocalTime, maxEmptyPeriods);
  const first = starts.take(start, Infinity, 1).starts[0];
  if (first === undefined) return undefined;
  if (!parts.has('COUNT')) return starts;
  const count = Number(parts.get('COUNT')) - (countsStart && first !== start ? 1 : 0);
  if (!(count >= 1)) return undefined;
  const last = hasConstantStep(parts)
    ? start + (count - 1) * intervalOf(parts) * (periodLengthOf(parts) ?? 0)
    : findNth(periods, start, count, maxCountedPeriods);
  return startsIn(periods, start, Math.min(last, maxLocalTime), maxEmptyPeriods);
}

/** Adapts limits to years, which cost as much as twelve months; the calendar repeats after 400 years. */
const adaptBounds = (parts: RuleParts, bounds: Bounds): Bounds =>
  frequencyOf(parts) === 'YEARLY'
    ? {
        maxEmptyPeriods: Math.min(400, bounds.maxEmptyPeriods),
        maxCountedPeriods: Math.floor(bounds.maxCountedPeriods / 12),
      }
    : bounds;

function startsIn(periods: Periods, start: number, end: number, maxEmpty: number): LocalStarts {
  return {
    take(from, before, wanted) {
      const [begin, stop] = [Math.max(from, start), Math.min(before, end + 1)];
      const starts: number[] = [];
      for (let [number, steps, empty] = [periods.from(begin), 0, 0]; ; steps += 1) {
        const upTo = periods.beginOf(number);
        if (upTo >= stop || empty >= maxEmpty) return { starts, upTo: before, steps };
        // Returns the starts found so far before the search takes long.
        if (starts.length >= wanted || (starts.length > 0 && steps >= maxEmpty))
          return { starts, upTo, steps };
        const periodStarts = periods.startsOf(number, begin, stop);
        let index = lowerBound(periodStarts, begin);
        empty = index < periodStarts.length ? 0 : empty + 1;
        for (; index < periodStarts.length; index += 1) {
          const local = periodStarts.at(index) as number;
          if (local >= stop) return { starts, upTo: before, steps };
          if (starts.length >= wanted) return { starts, upTo: local, steps };
          starts.push(local);
        }
        number = periodStarts.length > 0 ? number + 1 : periods.next(number);
      }
    },
    last(at) {
      const stop = Math.min(at, end);
      for (let [number, left] = [periods.until(stop), maxEmpty]; number >= 0; left -= 1) {
        if (left === 0) return stop;
        const periodStarts = periods.startsOf(number, start, stop + 1);
        const index = lowerBound(periodStarts, stop + 1) - 1;
        if (index >= 0)
          return (periodStarts.at(index) as number) < start ? undefined : periodStarts.at(index);
        number = periodStarts.length > 0 ? number - 1 : periods.previous(number);
      }
      return undefined;
    },
  };
}

/** Counts the starts of a rule before a local time, ignoring COUNT but within its limits. */
export function countStartsBefore(parts: RuleParts, start: number, local: number, bounds: Bounds): number {
  if (hasConstantStep(parts))
    return Math.max(0, Math.ceil((local - start) / (intervalOf(parts) * (periodLengthOf(parts) ?? 1))));
  const periods = periodsOf(parts, start);
  const { maxCountedPeriods } = adaptBounds(parts, bounds);
  let total = 0;
  for (
    let [number, steps] = [0, 0];
    steps < maxCountedPeriods && periods.beginOf(number) < local;
    steps += 1
  ) {
    const periodStarts = periods.startsOf(number, start, Infinity);
    total += Math.max(0, lowerBound(periodStarts, local) - lowerBound(periodStarts, start));
    number = periodStarts.length > 0 ? number + 1 : periods.next(number);
  }
  return total;
}

/** Finds the n-th start, counted from 1, or the last one within the limits. */
function findNth(periods: Periods, start: number, n: number, maxSteps: number): number {
  let [left, last] = [n, start];
  for (
    let [number, steps] = [0, 0];
    steps < maxSteps && periods.beginOf(number) <= maxLocalTime;
    steps += 1
  ) {
    const periodStarts = periods.startsOf(number, start, Infinity);
    const skipped = lowerBound(periodStarts, start);
    const size = periodStarts.length - skipped;
    if (size > 0) last = periodStarts.at(skipped + Math.min(left, size) - 1) as number;
    if (size >= left) return last;
    left -= size;
    number = periodStarts.length > 0 ? number + 1 : periods.next(number);
  }
  return last;
}
