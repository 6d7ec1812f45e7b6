import { type EventTime, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dateLines, formatOriginal } from './original-start.ts';
import { impliedParts, periodsOf } from './periods.ts';
import { maxLocalTime, isRuleLine, parseLine, withRuleParts } from './lines.ts';
import { boundsOf, parseDates, parseUntil, recurrenceZoneOf } from './recurrence-set.ts';
import { type Bounds, type LocalStarts, ruleStarts, countStartsBefore } from './rule-starts.ts';
import { type RuleParts, readRule } from './rule.ts';
import { dayMs } from './calendar-days.ts';

/** A rule of a series to divide. Local times are the epoch milliseconds that they would have in UTC. */
class DividedRule {
  /** True for an RRULE, false for an EXRULE. */
  readonly includes: boolean;
  readonly #line: string;
  readonly #clock: ZoneClock;
  readonly #bounds: Bounds;
  readonly #start: number;
  readonly #parts: RuleParts | undefined;
  /** Starts limited by COUNT; UNTIL is an instant and applied separately. */
  readonly #starts: LocalStarts | undefined;
  readonly #until: number;
  /** COUNT without the start of the series, if the rule does not give that start. */
  readonly #count: number;

  constructor(line: string, clock: ZoneClock, first: number, bounds: Bounds) {
    this.includes = /^R/i.test(line);
    this.#line = line;
    this.#clock = clock;
    this.#bounds = bounds;
    this.#start = clock.toLocal(first);
    this.#parts = readRule(line.slice(line.indexOf(':') + 1));
    this.#starts = this.#parts && ruleStarts(this.#parts, this.#start, bounds, this.includes);
    this.#until = parseUntil(this.#parts?.get('UNTIL') ?? '', clock);
    this.#count = Number(this.#parts?.get('COUNT') ?? Infinity) - this.#extraCountAt(this.#start);
  }

  /** Whether the rule keeps its periods (INTERVAL) if the series starts at `local`. */
  keepsPeriods(local: number): boolean {
    return !this.#parts || periodsOf(this.#parts, this.#start).includes(local);
  }

  lastStartUpTo(local: number): number | undefined {
    const last = this.#starts?.last(local);
    return last !== undefined && this.#hasStart(last) ? last : undefined;
  }

  /** Instants of the starts in a range of local times; undefined if there are more than `maxStarts`. */
  between(from: number, before: number, maxStarts: number): number[] | undefined {
    const instants = new Set<number>();
    for (let cursor = from; this.#starts && cursor < before;) {
      const { starts, upTo } = this.#starts.take(cursor, before, maxStarts + 1);
      for (const local of starts) instants.add(this.#clock.toInstant(local));
      if (instants.size > maxStarts) return undefined;
      cursor = upTo;
    }
    return [...instants].filter((instant) => instant <= this.#until);
  }

  /** Instants after `at` that only local times skipped before `start` name; undefined if there are more than `maxStarts`. */
  skippedStartsFrom(start: number, at: number, maxStarts: number): number[] | undefined {
    const skipped = this.#clock.skippedBefore(start);
    if (!skipped) return [];
    const instants = this.between(skipped.begin, Math.min(skipped.end, this.#clock.toLocal(start)), Infinity);
    const lost = instants?.filter(
      (instant) => instant >= at && instant > start && !this.#hasStart(this.#clock.toLocal(instant)),
    );
    return lost && lost.length <= maxStarts ? lost : undefined;
  }

  /** Ends the rule before `at`. `late`: starts that it gives from `at` on nevertheless. */
  endBefore(
    at: number,
    isAllDay: boolean,
    maxLate: number,
  ): { readonly text: string; readonly late: readonly number[] } {
    const parts = this.#parts;
    if (!parts || !this.includes || this.#until < at) return { text: this.#line, late: [] };
    const ended = {
      text: withRuleParts(this.#line, {
        COUNT: undefined,
        UNTIL: formatOriginal(at - (isAllDay ? dayMs : 1000), isAllDay),
      }),
      late: [],
    };
    if (!parts.has('COUNT')) return ended;
    const end = this.#clock.firstLocal(at);
    const count = countStartsBefore(parts, this.#start, end, this.#bounds);
    const skipped = this.#clock.skippedBefore(at);
    const late = skipped
      ? this.between(skipped.begin, Math.min(skipped.end, end), maxLate)?.filter((instant) => instant >= at)
      : [];
    if (!late) return ended;
    return {
      text:
        count >= this.#count
          ? this.#line
          : withRuleParts(this.#line, { COUNT: `${count + this.#extraCountAt(this.#start)}` }),
      late,
    };
  }

  /** Continues the rule in a series that starts at `local`; undefined if no start is left. Starts before `at` do not count. */
  continueFrom(local: number, at: number, isAllDay: boolean): string | undefined {
    const parts = this.#parts;
    if (!parts || !this.#starts || this.#until < at) return undefined;
    const [oldImplied, newImplied] = [impliedParts(parts, this.#start), impliedParts(parts, local)];
    const changedParts = (isClock: boolean): [string, string][] => {
      const names = [...oldImplied.keys()].filter((name) => /HOUR|MINUTE|SECOND/.test(name) === isClock);
      return names.some((name) => oldImplied.get(name) !== newImplied.get(name))
        ? names.map((name) => [name, oldImplied.get(name) as string])
        : [];
    };
    const changes = Object.fromEntries([...changedParts(false), ...changedParts(true)]);
    if (!parts.has('COUNT')) return withRuleParts(this.#line, changes);
    const remaining = this.#count - countStartsBefore(parts, this.#start, local, this.#bounds);
    const last = this.#starts.last(maxLocalTime);
    if (remaining < 1 || last === undefined || last < local) return undefined;
    const text = withRuleParts(this.#line, { ...changes, COUNT: `${remaining + this.#extraCountAt(local)}` });
    const reread = readRule(text.slice(text.indexOf(':') + 1));
    // Counting from another start may end the rule elsewhere, because of the limits on work.
    if (reread && ruleStarts(reread, local, this.#bounds, this.includes)?.last(maxLocalTime) === last)
      return text;
    const until = formatOriginal(this.#clock.toInstant(last), isAllDay);
    return withRuleParts(this.#line, { ...changes, COUNT: undefined, UNTIL: until });
  }

  /** Returns 1 if COUNT also counts a start of the series that the rule does not give. */
  #extraCountAt(local: number): number {
    if (!this.includes || !this.#parts) return 0;
    const uncounted = ruleStarts(
      new Map([...this.#parts].filter(([name]) => name !== 'COUNT')),
      this.#start,
      this.#bounds,
      false,
    );
    return uncounted?.take(local, local + 1, 1).starts[0] === local ? 0 : 1;
  }

  #hasStart(local: number): boolean {
    return this.#starts?.take(local, local + 1, 1).starts[0] === local;
  }
}

/** Lines of the two parts of a divided series; together they have exactly its occurrences. */
export interface Division {
  readonly before: readonly string[];
  readonly following: readonly string[];
  /** Start of the following part: the instance, or an earlier, excluded start from which its rules can count. */
  readonly start: number;
}

/** Limit on dates that are listed where a rule alone cannot express them. */
const maxDates = 100;

/** Lines of a series that ends before the occurrence at `at`, as in `divide`. */
export function endSeriesBefore(lines: readonly string[], start: EventTime, at: number): string[] {
  return beforeOf(seriesOf(lines, start, at));
}

interface Series {
  readonly lines: readonly string[];
  readonly rules: ReadonlyMap<string, DividedRule>;
  readonly clock: ZoneClock;
  readonly zone: string;
  readonly isAllDay: boolean;
  readonly first: number;
  readonly at: number;
}

/**
 * Divides a series before the occurrence at `at` (epoch milliseconds; days as in UTC), which is not the first. The following part
 * has the remaining COUNT, and explicit parts for values that a rule took from the start of the series. Undefined if no start
 * lets all rules continue unchanged.
 */
export function divideSeries(lines: readonly string[], start: EventTime, at: number): Division | undefined {
  const series = seriesOf(lines, start, at);
  for (const anchor of anchorsOf(series)) {
    const following = followingFrom(series, anchor);
    if (following) return { before: beforeOf(series), following, start: anchor };
  }
  return undefined;
}

function seriesOf(lines: readonly string[], start: EventTime, at: number): Series {
  // The start of a stored series is always valid.
  const startInstant = Number(orderOf(start));
  const zone = recurrenceZoneOf(start);
  const clock = clockOf(zone);
  const first = Math.floor(startInstant / 1000) * 1000;
  const bounds = boundsOf(lines);
  const rules = new Map(
    lines.filter(isRuleLine).map((line) => [line, new DividedRule(line, clock, first, bounds)]),
  );
  return { lines, rules, clock, zone, isAllDay: start.date !== undefined, first, at };
}

/** Yields possible starts of the following part: the instance, then the preceding starts of a single RRULE. */
function* anchorsOf({ rules, clock, first, at }: Series): Generator<number> {
  yield at;
  const [rule, ...otherRules] = [...rules.values()].filter(({ includes }) => includes);
  if (!rule || otherRules.length > 0) return;
  let local = clock.toLocal(at);
  for (let tries = 0; tries < maxDates; tries += 1) {
    const last = rule.lastStartUpTo(local - 1);
    if (last === undefined) break;
    local = last;
    const instant = clock.toInstant(local);
    // A skipped local time moves, perhaps out of its period, so it cannot be a start.
    if (clock.toLocal(instant) !== local)
      local = clock.toLocal((clock.skippedBefore(instant)?.at ?? instant) - 1) + 1;
    else if (instant < at && instant > first) yield instant;
  }
  yield first;
}

function followingFrom(series: Series, start: number): string[] | undefined {
  const { lines, rules, clock, at, isAllDay } = series;
  const local = clock.toLocal(start);
  if (![...rules.values()].every((rule) => rule.keepsPeriods(local))) return undefined;
  const [missing, excess]: [Set<number>, Set<number>] = [new Set(), new Set(start < at ? [start] : [])];
  const continued: string[] = [];
  for (const line of lines) {
    const rule = rules.get(line);
    const part = rule ? rule.continueFrom(local, at, isAllDay) : filterDates(series, line, false);
    if (part !== undefined) continued.push(part);
    if (!rule) continue;
    const lost = rule.skippedStartsFrom(start, at, maxDates);
    const early =
      rule.includes && start < at
        ? rule
            .between(local, clock.firstLocal(at), maxDates)
            ?.filter((instant) => instant >= start && instant < at)
        : [];
    if (!lost || !early) return undefined;
    for (const instant of lost) (rule.includes ? missing : excess).add(instant);
    for (const instant of early) excess.add(instant);
  }
  if (missing.size > maxDates || excess.size > maxDates) return undefined;
  const newLines = [
    ...continued,
    ...dateLines('RDATE', sorted(missing), isAllDay),
    ...dateLines('EXDATE', sorted(excess), isAllDay),
  ];
  // A series needs an RRULE or RDATE, even for a single instance.
  return newLines.some((line) => /^R/i.test(line))
    ? newLines
    : [...dateLines('RDATE', [at], isAllDay), ...newLines];
}

function beforeOf(series: Series): string[] {
  const { lines, rules, at, isAllDay, first } = series;
  const excess = new Set<number>();
  const kept = lines.flatMap((line) => {
    const rule = rules.get(line);
    if (!rule) return filterDates(series, line, true) ?? [];
    const { text, late } = rule.endBefore(at, isAllDay, maxDates);
    for (const instant of late) excess.add(instant);
    return [text];
  });
  const newLines = [...kept, ...dateLines('EXDATE', sorted(excess), isAllDay)];
  return newLines.some((line) => /^R/i.test(line))
    ? newLines
    : [...dateLines('RDATE', [first], isAllDay), ...newLines];
}

/** Reduces a date line to the dates before the instance, or from it on; undefined without any. */
function filterDates({ zone, at }: Series, line: string, isBefore: boolean): string | undefined {
  const { name, parameters, value } = parseLine(line);
  const within = parseDates(parameters, value, zone).filter(
    (date) => clockOf(date.zone).toInstant(date.local) < at === isBefore,
  );
  if (within.length === 0) return undefined;
  return `${name}${parameters && `;${parameters}`}:${within.map(({ written }) => written).join(',')}`;
}

const sorted = (instants: ReadonlySet<number>): number[] => [...instants].sort((a, b) => a - b);
