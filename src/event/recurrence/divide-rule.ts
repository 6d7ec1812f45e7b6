import type { ZoneClock } from '../time/zone-clock.ts';
import { dayMs } from './calendar-days.ts';
import { originalAt } from './instance-id.ts';
import type { LocalStarts } from './local-starts.ts';
import { impliedBy, periodsOf } from './periods.ts';
import { withParts } from './rule-parts.ts';
import { untilOf } from './recurrence-set.ts';
import { readRule, type Parts } from './rule.ts';
import { endOfTime, ruleStarts, startsBefore, type Bounds } from './rule-starts.ts';

/** One rule of a series that is divided. Local times are written as the epoch milliseconds they would have in UTC. */
export class DividedRule {
  /** It is an RRULE, not an EXRULE. */
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

  /** What skipped local times before a start name from `at` on and behind it, and no later local time names. */
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
      text: withParts(
        this.#line,
        new Map([
          ['COUNT', undefined],
          ['UNTIL', originalAt(at - (isDay ? dayMs : 1000), isDay)],
        ]),
      ),
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
          : withParts(this.#line, new Map([['COUNT', `${count + this.#extraAt(this.#start)}`]])),
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
    const changes = new Map<string, string | undefined>([...differ(false), ...differ(true)]);
    if (!parts.has('COUNT')) return withParts(this.#line, changes);
    const left = this.#count - startsBefore(parts, this.#start, local, this.#bounds);
    const last = this.#starts.last(endOfTime);
    if (left < 1 || last === undefined || last < local) return undefined;
    const text = withParts(this.#line, new Map([...changes, ['COUNT', `${left + this.#extraAt(local)}`]]));
    const again = readRule(text.slice(text.indexOf(':') + 1));
    // Counted from elsewhere the bounds on work may end it elsewhere.
    if (again && ruleStarts(again, local, this.#bounds, this.includes)?.last(endOfTime) === last) return text;
    return withParts(
      this.#line,
      new Map([...changes, ['COUNT', undefined], ['UNTIL', originalAt(this.#clock.toInstant(last), isDay)]]),
    );
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
