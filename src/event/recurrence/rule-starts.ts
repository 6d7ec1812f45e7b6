import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { dayTest } from './day-test.ts';
import type { LocalChunk, LocalStarts } from './local-starts.ts';
import { daysIn, isByDay, isEven, numbersOf, optionsOf, periodOf, timesIn, type ManualOptions, type Parts } from './rule.ts';

type Engine = RRuleTemporal<Temporal.ZonedDateTime>;

const second = 1000;
const day = 86_400_000;
/** The last local time that the calendar's four digits can write. */
export const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);
/** COUNT is worked out by the library where it can calculate, else by counting so many starts, or steps, at most. */
const mostCounted = 10_000;
/** Days looked at backwards for one that a rule allows, before the day is taken for the last. */
const mostTries = 1000;
/** Candidates in one period of a rule with BYSETPOS: all minutes of a week, but not all seconds of a day. Above: no starts. */
const mostCandidates = 20_000;
/** What some parts cost the library, in steps of a plain rule. */
const candidatesInStep = 12;
const stepsOfWeeks = 30;

/**
 * The starts of one rule in local time, which the library expands as if in UTC: it knows of no gaps then. A rule ends for
 * good where `steps` periods in a row give nothing. `counts` is true when the first start, which counts as an occurrence
 * whether the rule gives it or not, is part of its COUNT. Undefined for a rule that gives nothing.
 */
export function ruleStarts(parts: Parts, start: number, steps: number, counts: boolean): LocalStarts | undefined {
  const found = isByDay(parts) ? onTimes(parts, start, steps) : engineOf(parts, start, steps, true);
  const first = firstOf(found, start, steps);
  const count = parts.get('COUNT');
  if (first === undefined) return undefined;
  if (count === undefined) return upTo(found, endOfTime);
  const left = Number(count) - (counts && first !== start ? 1 : 0);
  return left < 1 ? undefined : upTo(found, Math.min(endOfTime, found.nth(left)));
}

/** The first start from a time on; none after so many periods without. */
function firstOf(starts: LocalStarts, from: number, steps: number): number | undefined {
  for (let [at, left] = [from, steps]; at <= endOfTime && left > 0; ) {
    const chunk = starts.take(at, endOfTime + 1, 1);
    if (chunk.starts[0] !== undefined) return chunk.starts[0];
    [at, left] = [chunk.upTo, left - Math.max(1, chunk.steps)];
  }
  return undefined;
}

interface Countable extends LocalStarts {
  /** The n-th start, counted from 1; the last one where there are fewer. */
  nth(n: number): number;
}

function upTo(starts: LocalStarts, end: number): LocalStarts {
  return {
    take(from, before, wanted) {
      if (before <= end + 1) return starts.take(from, before, wanted);
      if (from > end) return { starts: [], upTo: before, steps: 0 };
      const chunk = starts.take(from, end + 1, wanted);
      return chunk.upTo > end ? { ...chunk, upTo: before } : chunk;
    },
    last: (at) => starts.last(Math.min(at, end)),
  };
}

/** A rule as the library runs it. It throws at its bounds, which is the end of the rule. */
function engineOf(parts: Parts, start: number, steps: number, times: boolean): Countable {
  const dtstart = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO('UTC');
  const options: ManualOptions = { ...optionsOf(parts, times, start), dtstart, tzid: 'UTC', maxIterations: steps, cache: false };
  const most = daysIn(parts) * (times ? timesIn(parts) : 1);
  const positions = numbersOf(parts, 'BYSETPOS')?.length;
  const isTooMuch = positions !== undefined && most > mostCandidates;
  const engine = isTooMuch ? undefined : orUndefined(() => new RRuleTemporal<Temporal.ZonedDateTime>(options));
  const weight = Math.max(1, positions === undefined ? 1 : most / candidatesInStep, parts.has('BYWEEKNO') ? stepsOfWeeks : 1);
  const spacing = Math.max(second, periodOf(parts) / Math.min(most, positions ?? most));
  // Below a day the library passes over days without a match in one step, but where positions are counted.
  const pace = (positions === undefined ? Math.max(day, periodOf(parts)) : periodOf(parts)) / weight;
  const take = (from: number, before: number, wanted: number): LocalChunk => {
    const span = Math.ceil(Math.min(wanted, steps / weight / 4) * spacing);
    const begin = Math.max(from, start);
    const isWide = before - begin > span;
    const first = isWide ? (orUndefined(() => engine?.next(new Date(begin), true))?.epochMilliseconds ?? Infinity) : begin;
    const end = Math.min(before, first + span);
    const passed = Math.min(steps, (end - begin) / pace);
    if (first >= before) return { starts: [], upTo: before, steps: passed };
    const found = orUndefined(() => engine?.between(new Date(first), new Date(end - 1), true)) ?? [];
    return { starts: found.map(({ epochMilliseconds }) => epochMilliseconds), upTo: end, steps: passed };
  };
  const nth = (n: number): number => {
    if (isEven(parts)) return start + (n - 1) * periodOf(parts);
    const calculate = () => new RRuleTemporal<Temporal.ZonedDateTime>({ ...options, count: n }).previous(new Date(endOfTime), true);
    return (n * weight > steps ? undefined : orUndefined(calculate))?.epochMilliseconds ?? counted(take, start, n);
  };
  return { take, last: (at) => (at < start ? undefined : latest(engine, at)), nth };
}

function latest(engine: Engine | undefined, at: number): number | undefined {
  if (!engine) return undefined;
  try {
    return engine.previous(new Date(at), true)?.epochMilliseconds;
  } catch {
    return at;
  }
}

function orUndefined<T>(call: () => T): NonNullable<T> | undefined {
  try {
    return call() ?? undefined;
  } catch {
    return undefined;
  }
}

function counted(take: LocalStarts['take'], start: number, n: number): number {
  let [left, from, last, steps] = [Math.min(n, mostCounted), start, start, mostCounted];
  while (left > 0 && steps > 0 && from <= endOfTime) {
    const chunk = take(from, endOfTime + 1, left);
    last = chunk.starts[Math.min(left, chunk.starts.length) - 1] ?? last;
    [left, from, steps] = [left - chunk.starts.length, chunk.upTo, steps - Math.max(1, chunk.steps)];
  }
  return last;
}

function filtered(starts: LocalStarts, isAllowed: (start: number) => boolean, first: number): Countable {
  const take: LocalStarts['take'] = (from, before, wanted) => {
    const chunk = starts.take(from, before, wanted);
    return { ...chunk, starts: chunk.starts.filter(isAllowed) };
  };
  const last = (at: number): number | undefined => {
    let found = starts.last(at);
    for (let tries = mostTries; found !== undefined && tries > 0 && !isAllowed(found); tries -= 1) found = starts.last(found - 1);
    return found;
  };
  return { take, last, nth: (n) => counted(take, first, n) };
}

/** A rule of days, each with the same times: the library gives the days, so that a million times a day cost nothing. */
function onTimes(parts: Parts, start: number, steps: number): Countable {
  const isAllowed = dayTest(parts);
  const engine = engineOf(parts, floorDay(start), steps, false);
  const days = isAllowed ? filtered(engine, isAllowed, floorDay(start)) : engine;
  const clock = new Date(start);
  const hours = numbersOf(parts, 'BYHOUR') ?? [clock.getUTCHours()];
  const minutes = numbersOf(parts, 'BYMINUTE') ?? [clock.getUTCMinutes()];
  const seconds = numbersOf(parts, 'BYSECOND') ?? [clock.getUTCSeconds()];
  const size = hours.length * minutes.length * seconds.length;
  const at = (values: readonly number[], index: number): number => values[index % values.length] as number;
  const timeAt = (index: number): number => {
    const [minute, hour] = [Math.floor(index / seconds.length), Math.floor(index / seconds.length / minutes.length)];
    return ((at(hours, hour) * 60 + at(minutes, minute)) * 60 + at(seconds, index)) * second;
  };
  /** How many times of the day come before one. */
  const timesBefore = (time: number): number => {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (timeAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    take(from, before, wanted) {
      const begin = Math.max(from, start);
      const chunk = days.take(floorDay(begin), before, Math.ceil(wanted / size) + 1);
      const starts: number[] = [];
      for (const date of chunk.starts) {
        const end = timesBefore(before - date);
        for (let index = timesBefore(begin - date); index < end; index += 1) {
          if (starts.length >= wanted) return { ...chunk, starts, upTo: date + timeAt(index) };
          starts.push(date + timeAt(index));
        }
      }
      return { ...chunk, starts, upTo: chunk.upTo >= before ? before : Math.min(before, floorDay(chunk.upTo + day - 1)) };
    },
    last(until) {
      let date = days.last(floorDay(until));
      if (date !== undefined && timesBefore(until - date + 1) === 0) date = days.last(date - day);
      if (date === undefined) return undefined;
      const last = date + timeAt(Math.max(0, timesBefore(until - date + 1) - 1));
      return last < start ? undefined : last;
    },
    nth(n) {
      const first = firstOf(days, floorDay(start), steps) ?? start;
      const index = n - 1 + timesBefore(start - first);
      return days.nth(Math.floor(index / size) + 1) + timeAt(index % size);
    },
  };
}

const floorDay = (moment: number): number => Math.floor(moment / day) * day;
