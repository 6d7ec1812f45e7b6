import { type Periods, periodsOf } from './periods.ts';
import {
  frequencyOf,
  intervalOf,
  hasConstantStep,
  type RuleParts,
  periodLengthMsOf,
  maxLocalTime,
} from './rule.ts';
import { lowerBound, type SortedNumbers } from './calendar-days.ts';

/** Sorted, distinct local starts, as the epoch milliseconds that they would have in UTC. */
export interface LocalStarts {
  /** Returns about `wantedCount` starts in `[from, before)`: all before `upTo`, which is at least `before` if no more follow. */
  readStarts(from: number, before: number, wantedCount: number): LocalChunk;
  /** Last start up to a local time; if not found within the limits, a time between that start and `localUpTo`. */
  findLastUpTo(localUpTo: number): number | undefined;
}

/** Part of a source's starts, in local times. */
interface LocalChunk {
  readonly starts: readonly number[];
  readonly upTo: number;
  /** Periods that were visited, which cost work. */
  readonly steps: number;
}

/** Creates starts from a list of local times, such as the dates of RDATE lines. */
export function createListedStarts(localTimes: readonly number[]): LocalStarts {
  const sortedTimes = [...new Set(localTimes)].sort((a, b) => a - b);
  return {
    readStarts(from, before, wantedCount) {
      const index = lowerBound(sortedTimes, from);
      const starts = sortedTimes.slice(index, Math.min(index + wantedCount, lowerBound(sortedTimes, before)));
      return { starts, upTo: Math.min(before, sortedTimes[index + wantedCount] ?? Infinity), steps: 0 };
    },
    findLastUpTo: (localUpTo) => sortedTimes[lowerBound(sortedTimes, localUpTo + 1) - 1],
  };
}

/** Limits on the work for one rule. */
export interface PeriodLimits {
  /** Periods in a row without a start after which the rule ends. */
  readonly maxEmptyPeriods: number;
  /** Periods through which COUNT is counted, unless the step of the rule is constant. */
  readonly maxCountedPeriods: number;
}

/**
 * Expands a rule; undefined without any start. `countsStart`: COUNT includes the start of the series, even if the rule does not
 * give it.
 */
export function expandRule(
  parts: RuleParts,
  start: number,
  limits: PeriodLimits,
  countsStart: boolean,
): LocalStarts | undefined {
  const { maxEmptyPeriods, maxCountedPeriods } = adaptLimits(parts, limits);
  const periods = periodsOf(parts, start);
  const starts = createPeriodStarts(periods, start, maxLocalTime, maxEmptyPeriods);
  const firstStart = starts.readStarts(start, Infinity, 1).starts[0];
  if (firstStart === undefined) return undefined;
  if (!parts.has('COUNT')) return starts;
  const count = Number(parts.get('COUNT')) - (countsStart && firstStart !== start ? 1 : 0);
  // Also true for a COUNT that is not a number.
  if (!(count >= 1)) return undefined;
  const lastStart = hasConstantStep(parts)
    ? start + (count - 1) * intervalOf(parts) * (periodLengthMsOf(parts) ?? 0)
    : findNthStart(periods, start, count, maxCountedPeriods);
  return createPeriodStarts(periods, start, Math.min(lastStart, maxLocalTime), maxEmptyPeriods);
}

/** Number of years after which the calendar repeats, so that a longer search finds nothing new. */
const calendarCycleYears = 400;

/** Lowers the limits of a yearly rule, since a year costs as much work as twelve months. */
const adaptLimits = (parts: RuleParts, limits: PeriodLimits): PeriodLimits =>
  frequencyOf(parts) === 'YEARLY'
    ? {
        maxEmptyPeriods: Math.min(calendarCycleYears, limits.maxEmptyPeriods),
        maxCountedPeriods: Math.floor(limits.maxCountedPeriods / 12),
      }
    : limits;

/** Creates the starts in the periods of a rule, from `start` to `end` (local times). */
function createPeriodStarts(
  periods: Periods,
  start: number,
  end: number,
  maxEmptyPeriods: number,
): LocalStarts {
  return {
    readStarts(from, before, wantedCount) {
      const [begin, stop] = [Math.max(from, start), Math.min(before, end + 1)];
      const starts: number[] = [];
      for (let [periodNumber, steps, emptyCount] = [periods.firstNumberFrom(begin), 0, 0]; ; steps += 1) {
        const upTo = periods.beginOf(periodNumber);
        if (upTo >= stop || emptyCount >= maxEmptyPeriods) return { starts, upTo: before, steps };
        // Returns the starts found so far before the search takes long.
        if (starts.length >= wantedCount || (starts.length > 0 && steps >= maxEmptyPeriods))
          return { starts, upTo, steps };
        const periodStarts = periods.startsOf(periodNumber, begin, stop);
        let index = lowerBound(periodStarts, begin);
        emptyCount = index < periodStarts.length ? 0 : emptyCount + 1;
        for (; index < periodStarts.length; index += 1) {
          const local = periodStarts.at(index) as number;
          if (local >= stop) return { starts, upTo: before, steps };
          if (starts.length >= wantedCount) return { starts, upTo: local, steps };
          starts.push(local);
        }
        periodNumber = periodStarts.length > 0 ? periodNumber + 1 : periods.nextCandidate(periodNumber);
      }
    },
    findLastUpTo(localUpTo) {
      const stop = Math.min(localUpTo, end);
      for (
        let [periodNumber, remainingPeriods] = [periods.lastNumberUntil(stop), maxEmptyPeriods];
        periodNumber >= 0;
        remainingPeriods -= 1
      ) {
        if (remainingPeriods === 0) return stop;
        const periodStarts = periods.startsOf(periodNumber, start, stop + 1);
        const index = lowerBound(periodStarts, stop + 1) - 1;
        if (index >= 0)
          return (periodStarts.at(index) as number) < start ? undefined : periodStarts.at(index);
        periodNumber = periodStarts.length > 0 ? periodNumber - 1 : periods.previousCandidate(periodNumber);
      }
      return undefined;
    },
  };
}

/** Whether a rule gives a start at a local time. */
export const givesStart = (starts: LocalStarts, local: number): boolean =>
  starts.readStarts(local, local + 1, 1).starts[0] === local;

export const withoutCount = (parts: RuleParts): RuleParts =>
  new Map([...parts].filter(([name]) => name !== 'COUNT'));

/** Counts the starts of a rule before a local time, ignoring COUNT but within its limits. */
export function countStartsBefore(
  parts: RuleParts,
  start: number,
  local: number,
  limits: PeriodLimits,
): number {
  if (hasConstantStep(parts))
    return Math.max(0, Math.ceil((local - start) / (intervalOf(parts) * (periodLengthMsOf(parts) ?? 1))));
  const { maxCountedPeriods } = adaptLimits(parts, limits);
  let total = 0;
  for (const periodStarts of visitPeriods(periodsOf(parts, start), start, local, maxCountedPeriods))
    total += Math.max(0, lowerBound(periodStarts, local) - lowerBound(periodStarts, start));
  return total;
}

/** Finds the n-th start, counted from 1, or the last one within the limits. */
function findNthStart(periods: Periods, start: number, ordinal: number, maxSteps: number): number {
  let [remainingCount, latestStart] = [ordinal, start];
  for (const periodStarts of visitPeriods(periods, start, maxLocalTime + 1, maxSteps)) {
    const skippedCount = lowerBound(periodStarts, start);
    const startCount = periodStarts.length - skippedCount;
    if (startCount > 0)
      latestStart = periodStarts.at(skippedCount + Math.min(remainingCount, startCount) - 1) as number;
    if (startCount >= remainingCount) break;
    remainingCount -= startCount;
  }
  return latestStart;
}

/** Yields the starts of the first periods that begin before a local time. Those of the first may precede `start`. */
function* visitPeriods(
  periods: Periods,
  start: number,
  before: number,
  maxSteps: number,
): Generator<SortedNumbers> {
  for (
    let [periodNumber, steps] = [0, 0];
    steps < maxSteps && periods.beginOf(periodNumber) < before;
    steps += 1
  ) {
    const periodStarts = periods.startsOf(periodNumber, start, Infinity);
    yield periodStarts;
    periodNumber = periodStarts.length > 0 ? periodNumber + 1 : periods.nextCandidate(periodNumber);
  }
}
