import { type EventTime, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dateLines, originalAt } from './original-start.ts';
import { impliedBy, periodsOf } from './periods.ts';
import { endOfTime, isRule, partsOf, withParts } from './lines.ts';
import { boundsOf, datesOf, untilOf, zoneOf } from './recurrence-set.ts';
import { type Bounds, type LocalStarts, ruleStarts, startsBefore } from './rule-starts.ts';
import { type Parts, readRule } from './rule.ts';
import { dayMs } from './calendar-days.ts';

/** A rule of a series that is divided. Local times are written as the epoch milliseconds they would have in UTC. */
class DividedRule {
  /** True for an RRULE, false for an EXRULE. */
  readonly includes: boolean;
  readonly #line: string;
  readonly #clock: ZoneClock;
  readonly #bounds: Bounds;
  /** When the series starts. */
  readonly #start: number;
  readonly #parts: Parts | undefined;
  /** As far as COUNT goes; UNTIL is an instant. */
  readonly #starts: LocalStarts | undefined;
  readonly #until: number;
  /** How many starts COUNT leaves to the rule: DTSTART counts as one of them. */
  readonly #count: number;

  constructor(line: string, clock: ZoneClock, first: number, bounds: Bounds) {
    this.includes = /^R/i.test(line);
    this.#line = line;
    this.#clock = clock;
    this.#bounds = bounds;
    this.#start = clock.toLocal(first);
    this.#parts = readRule(line.slice(line.indexOf(':') + 1));
    this.#starts = this.#parts && ruleStarts(this.#parts, this.#start, bounds, this.includes);
    this.#until = untilOf(this.#parts?.get('UNTIL') ?? '', clock);
    this.#count = Number(this.#parts?.get('COUNT') ?? Infinity) - this.#extraAt(this.#start);
  }

  /** Whether the rule would take a period from a time on as it does. */
  isInStep(local: number): boolean {
    return !this.#parts || periodsOf(this.#parts, this.#start).includes(local);
  }

  lastUpTo(local: number): number | undefined {
    const last = this.#starts?.last(local);
    return last !== undefined && this.#has(last) ? last : undefined;
  }

  /** The instants that local times name; undefined for more than `most`. */
  between(from: number, before: number, most: number): number[] | undefined {
    const instants = new Set<number>();
    for (let cursor = from; this.#starts && cursor < before;) {
      const { starts, upTo } = this.#starts.take(cursor, before, most + 1);
      for (const local of starts) instants.add(this.#clock.toInstant(local));
      if (instants.size > most) return undefined;
      cursor = upTo;
    }
    return [...instants].filter((instant) => instant <= this.#until);
  }

  /** Starts from `at` on that only skipped local times before it name; undefined for more than `most`. */
  lostFrom(start: number, at: number, most: number): number[] | undefined {
    const skipped = this.#clock.skippedBefore(start);
    if (!skipped) return [];
    const found = this.between(skipped.begin, Math.min(skipped.end, this.#clock.toLocal(start)), Infinity);
    const lost = found?.filter(
      (instant) => instant >= at && instant > start && !this.#has(this.#clock.toLocal(instant)),
    );
    return lost && lost.length <= most ? lost : undefined;
  }

  /** The rule up to an instance, and what it gives nevertheless from there on. */
  before(
    at: number,
    isDay: boolean,
    most: number,
  ): { readonly text: string; readonly late: readonly number[] } {
    const parts = this.#parts;
    if (!parts || !this.includes || this.#until < at) return { text: this.#line, late: [] };
    const ended = {
      text: withParts(this.#line, {
        COUNT: undefined,
        UNTIL: originalAt(at - (isDay ? dayMs : 1000), isDay),
      }),
      late: [],
    };
    if (!parts.has('COUNT')) return ended;
    const end = this.#clock.firstLocal(at);
    const count = startsBefore(parts, this.#start, end, this.#bounds);
    const skipped = this.#clock.skippedBefore(at);
    const late = skipped
      ? this.between(skipped.begin, Math.min(skipped.end, end), most)?.filter((instant) => instant >= at)
      : [];
    if (!late) return ended;
    return {
      text:
        count >= this.#count
          ? this.#line
          : withParts(this.#line, { COUNT: `${count + this.#extraAt(this.#start)}` }),
      late,
    };
  }

  /** The rule from a start on; undefined where nothing is left of it. `at` is the first instant that counts. */
  from(local: number, at: number, isDay: boolean): string | undefined {
    const parts = this.#parts;
    if (!parts || !this.#starts || this.#until < at) return undefined;
    const [then, now] = [impliedBy(parts, this.#start), impliedBy(parts, local)];
    const differ = (isClock: boolean): [string, string][] => {
      const names = [...then.keys()].filter((name) => /HOUR|MINUTE|SECOND/.test(name) === isClock);
      return names.some((name) => then.get(name) !== now.get(name))
        ? names.map((name) => [name, then.get(name) as string])
        : [];
    };
    const changes = Object.fromEntries([...differ(false), ...differ(true)]);
    if (!parts.has('COUNT')) return withParts(this.#line, changes);
    const left = this.#count - startsBefore(parts, this.#start, local, this.#bounds);
    const last = this.#starts.last(endOfTime);
    if (left < 1 || last === undefined || last < local) return undefined;
    const text = withParts(this.#line, { ...changes, COUNT: `${left + this.#extraAt(local)}` });
    const again = readRule(text.slice(text.indexOf(':') + 1));
    // Counted from elsewhere the bounds on work may end it elsewhere.
    if (again && ruleStarts(again, local, this.#bounds, this.includes)?.last(endOfTime) === last) return text;
    const until = originalAt(this.#clock.toInstant(last), isDay);
    return withParts(this.#line, { ...changes, COUNT: undefined, UNTIL: until });
  }

  /** COUNT of an RRULE counts the start of its series, also one that the rule does not give. */
  #extraAt(local: number): number {
    if (!this.includes || !this.#parts) return 0;
    const all = ruleStarts(
      new Map([...this.#parts].filter(([name]) => name !== 'COUNT')),
      this.#start,
      this.#bounds,
      false,
    );
    return all?.take(local, local + 1, 1).starts[0] === local ? 0 : 1;
  }

  #has(local: number): boolean {
    return this.#starts?.take(local, local + 1, 1).starts[0] === local;
  }
}

/** A series in two parts, whose occurrences together are exactly those of the series. */
export interface Division {
  readonly before: readonly string[];
  readonly following: readonly string[];
  /** The start of the following part: the instance, or an earlier, excluded start from which its rules can count. */
  readonly start: number;
}

/** So many single dates may be listed where a rule alone does not say the same. */
const mostDates = 100;

/** The lines of a series that ends before one of its occurrences, as `divide` has them. */
export function endBefore(lines: readonly string[], start: EventTime, at: number): string[] {
  return beforeOf(seriesOf(lines, start, at));
}

interface Series {
  readonly lines: readonly string[];
  readonly rules: ReadonlyMap<string, DividedRule>;
  readonly clock: ZoneClock;
  readonly zone: string;
  readonly isDay: boolean;
  readonly first: number;
  readonly at: number;
}

/**
 * Divides a series before one of its occurrences, which is not the first one; `at` is its start in epoch milliseconds,
 * days counted as in UTC. Rules are counted from the start of the following part: COUNT is what remains, and what a rule
 * took from the start of the series is written out. Undefined where no start lets all rules go on as they were.
 */
export function divide(lines: readonly string[], start: EventTime, at: number): Division | undefined {
  const series = seriesOf(lines, start, at);
  for (const anchor of anchorsOf(series)) {
    const following = followingFrom(series, anchor);
    if (following) return { before: beforeOf(series), following, start: anchor };
  }
  return undefined;
}

function seriesOf(lines: readonly string[], start: EventTime, at: number): Series {
  // A stored series has a start that is one.
  const moment = Number(orderOf(start));
  const zone = zoneOf(start);
  const clock = clockOf(zone);
  const first = Math.floor(moment / 1000) * 1000;
  const bounds = boundsOf(lines);
  const rules = new Map(
    lines.filter(isRule).map((line) => [line, new DividedRule(line, clock, first, bounds)]),
  );
  return { lines, rules, clock, zone, isDay: start.date !== undefined, first, at };
}

/** Gives the moments at which the following part may start: the instance, or of a single RRULE one of the last starts before it. */
function* anchorsOf({ rules, clock, first, at }: Series): Generator<number> {
  yield at;
  const [only, ...others] = [...rules.values()].filter(({ includes }) => includes);
  if (!only || others.length > 0) return;
  let local = clock.toLocal(at);
  for (let tries = 0; tries < mostDates; tries += 1) {
    const last = only.lastUpTo(local - 1);
    if (last === undefined) break;
    local = last;
    const instant = clock.toInstant(local);
    // A local time that the clocks skip is moved, perhaps out of its period.
    if (clock.toLocal(instant) !== local)
      local = clock.toLocal((clock.skippedBefore(instant)?.at ?? instant) - 1) + 1;
    else if (instant < at && instant > first) yield instant;
  }
  yield first;
}

/** The lines of the following part; undefined where a rule cannot go on from its start. */
function followingFrom(series: Series, start: number): string[] | undefined {
  const { lines, rules, clock, at, isDay } = series;
  const local = clock.toLocal(start);
  if (![...rules.values()].every((rule) => rule.isInStep(local))) return undefined;
  const [missing, excess]: [Set<number>, Set<number>] = [new Set(), new Set(start < at ? [start] : [])];
  const rest: string[] = [];
  for (const line of lines) {
    const rule = rules.get(line);
    const part = rule ? rule.from(local, at, isDay) : sideOf(series, line, false);
    if (part !== undefined) rest.push(part);
    if (!rule) continue;
    const lost = rule.lostFrom(start, at, mostDates);
    const early =
      rule.includes && start < at
        ? rule
            .between(local, clock.firstLocal(at), mostDates)
            ?.filter((instant) => instant >= start && instant < at)
        : [];
    if (!lost || !early) return undefined;
    for (const instant of lost) (rule.includes ? missing : excess).add(instant);
    for (const instant of early) excess.add(instant);
  }
  if (missing.size > mostDates || excess.size > mostDates) return undefined;
  const all = [
    ...rest,
    ...dateLines('RDATE', sorted(missing), isDay),
    ...dateLines('EXDATE', sorted(excess), isDay),
  ];
  // A series stays one, also with its last instance.
  return all.some((line) => /^R/i.test(line)) ? all : [...dateLines('RDATE', [at], isDay), ...all];
}

function beforeOf(series: Series): string[] {
  const { lines, rules, at, isDay, first } = series;
  const excess = new Set<number>();
  const kept = lines.flatMap((line) => {
    const rule = rules.get(line);
    if (!rule) return sideOf(series, line, true) ?? [];
    const { text, late } = rule.before(at, isDay, mostDates);
    for (const instant of late) excess.add(instant);
    return [text];
  });
  const all = [...kept, ...dateLines('EXDATE', sorted(excess), isDay)];
  return all.some((line) => /^R/i.test(line)) ? all : [...dateLines('RDATE', [first], isDay), ...all];
}

/** The dates that a line lists before the instance, or from it on; undefined for none. */
function sideOf({ zone, at }: Series, line: string, isBefore: boolean): string | undefined {
  const { name, parameters, value } = partsOf(line);
  const within = datesOf(parameters, value, zone).filter(
    (date) => clockOf(date.zone).toInstant(date.local) < at === isBefore,
  );
  if (within.length === 0) return undefined;
  return `${name}${parameters && `;${parameters}`}:${within.map(({ written }) => written).join(',')}`;
}

const sorted = (instants: ReadonlySet<number>): number[] => [...instants].sort((one, other) => one - other);
