import { type Periods, periodsOf } from './periods.ts';
import { frequencyOf, intervalOf, isEven, type Parts, periodOf } from './rule.ts';
import { lowerBound } from './calendar-days.ts';
import { endOfTime } from './lines.ts';

/** Starts in local time, written as the epoch milliseconds they would have in UTC: in order, none twice. */
export interface LocalStarts {
  /**
   * Some of the starts at or after `from` and before `before`, about as many as are `wanted`. All before `upTo` are among
   * them; `upTo` is `before` or later when these are all.
   */
  take(from: number, before: number, wanted: number): LocalChunk;
  /** The last start at or before `at`; a time at or before `at`, but not before the last start, where it was not found. */
  last(at: number): number | undefined;
}

interface LocalChunk {
  readonly starts: readonly number[];
  readonly upTo: number;
  /** How many periods of a rule were examined. */
  readonly steps: number;
}

/** The starts that a list names, in any order. */
export function listedStarts(values: readonly number[]): LocalStarts {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  return {
    take(from, before, wanted) {
      const index = lowerBound(sorted, from);
      const starts = sorted.slice(index, Math.min(index + wanted, lowerBound(sorted, before)));
      return { starts, upTo: Math.min(before, sorted[index + wanted] ?? Infinity), steps: 0 };
    },
    last: (at) => sorted[lowerBound(sorted, at + 1) - 1],
  };
}

/** What may be spent on one rule. */
export interface Bounds {
  /** After so many periods in a row without a start the rule ends. */
  readonly empty: number;
  /** COUNT is counted through so many periods, unless the rule always takes the same step. */
  readonly counted: number;
}

/**
 * The starts of one rule in local time. `counts` is true when the first start, which counts as an occurrence whether the
 * rule gives it or not, is part of its COUNT. Undefined for a rule that gives nothing.
 */
export function ruleStarts(
  parts: Parts,
  start: number,
  bounds: Bounds,
  counts: boolean,
): LocalStarts | undefined {
  const { empty, counted } = boundsOf(parts, bounds);
  const periods = periodsOf(parts, start);
  const starts = startsIn(periods, start, endOfTime, empty);
  const first = starts.take(start, Infinity, 1).starts[0];
  if (first === undefined) return undefined;
  if (!parts.has('COUNT')) return starts;
  const count = Number(parts.get('COUNT')) - (counts && first !== start ? 1 : 0);
  if (!(count >= 1)) return undefined;
  const last = isEven(parts)
    ? start + (count - 1) * intervalOf(parts) * (periodOf(parts) ?? 0)
    : nth(periods, start, count, counted);
  return startsIn(periods, start, Math.min(last, endOfTime), empty);
}

/** A year costs about as much as twelve months; after 400 of them the calendar is the same again. */
const boundsOf = (parts: Parts, { empty, counted }: Bounds): Bounds =>
  frequencyOf(parts) === 'YEARLY'
    ? { empty: Math.min(400, empty), counted: Math.floor(counted / 12) }
    : { empty, counted };

function startsIn(periods: Periods, start: number, end: number, most: number): LocalStarts {
  return {
    take(from, before, wanted) {
      const [begin, stop] = [Math.max(from, start), Math.min(before, end + 1)];
      const starts: number[] = [];
      for (let [number, steps, empty] = [periods.from(begin), 0, 0]; ; steps += 1) {
        const upTo = periods.beginOf(number);
        if (upTo >= stop || empty >= most) return { starts, upTo: before, steps };
        // What is found is given before the search for more takes long.
        if (starts.length >= wanted || (starts.length > 0 && steps >= most)) return { starts, upTo, steps };
        const found = periods.startsOf(number, begin, stop);
        let index = lowerBound(found, begin);
        empty = index < found.length ? 0 : empty + 1;
        for (; index < found.length; index += 1) {
          const local = found.at(index) as number;
          if (local >= stop) return { starts, upTo: before, steps };
          if (starts.length >= wanted) return { starts, upTo: local, steps };
          starts.push(local);
        }
        number = found.length > 0 ? number + 1 : periods.next(number);
      }
    },
    last(at) {
      const stop = Math.min(at, end);
      for (let [number, left] = [periods.until(stop), most]; number >= 0; left -= 1) {
        if (left === 0) return stop;
        const found = periods.startsOf(number, start, stop + 1);
        const index = lowerBound(found, stop + 1) - 1;
        if (index >= 0) return (found.at(index) as number) < start ? undefined : found.at(index);
        number = found.length > 0 ? number - 1 : periods.previous(number);
      }
      return undefined;
    },
  };
}

/** How many of a rule's starts, without COUNT, lie before a time: as far as COUNT is counted. */
export function startsBefore(parts: Parts, start: number, local: number, bounds: Bounds): number {
  if (isEven(parts))
    return Math.max(0, Math.ceil((local - start) / (intervalOf(parts) * (periodOf(parts) ?? 1))));
  const periods = periodsOf(parts, start);
  const { counted } = boundsOf(parts, bounds);
  let total = 0;
  for (let [number, steps] = [0, 0]; steps < counted && periods.beginOf(number) < local; steps += 1) {
    const found = periods.startsOf(number, start, Infinity);
    total += Math.max(0, lowerBound(found, local) - lowerBound(found, start));
    number = found.length > 0 ? number + 1 : periods.next(number);
  }
  return total;
}

/** The n-th start, counted from 1; the last that was counted where there are fewer. */
function nth(periods: Periods, start: number, n: number, most: number): number {
  let [left, last] = [n, start];
  for (let [number, steps] = [0, 0]; steps < most && periods.beginOf(number) <= endOfTime; steps += 1) {
    const found = periods.startsOf(number, start, Infinity);
    const before = lowerBound(found, start);
    const size = found.length - before;
    if (size > 0) last = found.at(before + Math.min(left, size) - 1) as number;
    if (size >= left) return last;
    left -= size;
    number = found.length > 0 ? number + 1 : periods.next(number);
  }
  return last;
}
