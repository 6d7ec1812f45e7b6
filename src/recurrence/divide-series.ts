import type { EventTime } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { createDateLines, formatOriginalStart, startInstantOf } from './original-start.ts';
import { impliedParts, periodsOf } from './periods.ts';
import { maxLocalTime, isRuleLine, parseLine, replaceRuleParts, type RuleParts, readRule } from './rule.ts';
import { periodLimitsOf, parseDates, parseUntil, recurrenceZoneOf } from './recurrence-set.ts';
import { type PeriodLimits, type LocalStarts, expandRule, countStartsBefore } from './rule-starts.ts';
import { dayMs } from './calendar-days.ts';

/** A rule of a series that is divided. Local times are the epoch milliseconds that they would have in UTC. */
class DividedRule {
  /** True for an RRULE, false for an EXRULE. */
  readonly isInclusion: boolean;
  readonly #line: string;
  readonly #clock: ZoneClock;
  readonly #limits: PeriodLimits;
  readonly #localStart: number;
  readonly #ruleParts: RuleParts | undefined;
  /** Starts limited by COUNT; UNTIL is an instant and applied separately. */
  readonly #starts: LocalStarts | undefined;
  readonly #until: number;
  /** COUNT without the start of the series, if the rule does not give that start. */
  readonly #count: number;

  constructor(line: string, clock: ZoneClock, startInstant: number, limits: PeriodLimits) {
    this.isInclusion = /^R/i.test(line);
    this.#line = line;
    this.#clock = clock;
    this.#limits = limits;
    this.#localStart = clock.toLocalTime(startInstant);
    this.#ruleParts = readRule(line.slice(line.indexOf(':') + 1));
    this.#starts = this.#ruleParts && expandRule(this.#ruleParts, this.#localStart, limits, this.isInclusion);
    this.#until = parseUntil(this.#ruleParts?.get('UNTIL') ?? '', clock);
    this.#count = Number(this.#ruleParts?.get('COUNT') ?? Infinity) - this.#extraCountAt(this.#localStart);
  }

  /** Whether the rule keeps its periods (INTERVAL) if the series starts at `local`. */
  keepsPeriods(local: number): boolean {
    return !this.#ruleParts || periodsOf(this.#ruleParts, this.#localStart).includes(local);
  }

  /** Last local start up to a local time; undefined if there is none, or none is found within the limits. */
  findLastLocalStart(local: number): number | undefined {
    const lastLocal = this.#starts?.findLastUpTo(local);
    return lastLocal !== undefined && this.#hasStart(lastLocal) ? lastLocal : undefined;
  }

  /** Instants of the starts in `[localFrom, localBefore)`; undefined if there are more than `maxStarts`. */
  listStartsBetween(localFrom: number, localBefore: number, maxStarts: number): number[] | undefined {
    const instants = new Set<number>();
    for (let cursor = localFrom; this.#starts && cursor < localBefore;) {
      const { starts, upTo } = this.#starts.readStarts(cursor, localBefore, maxStarts + 1);
      for (const local of starts) instants.add(this.#clock.toInstant(local));
      if (instants.size > maxStarts) return undefined;
      cursor = upTo;
    }
    return [...instants].filter((instant) => instant <= this.#until);
  }

  /**
   * Starts from `splitInstant` on whose only local times are skipped ones before `start`, so that a rule that
   * continues at `start` lacks them; undefined for more than `maxStarts`.
   */
  listSkippedStartsFrom(start: number, splitInstant: number, maxStarts: number): number[] | undefined {
    const clockGap = this.#clock.skippedTimesBefore(start);
    if (!clockGap) return [];
    const instants = this.listStartsBetween(
      clockGap.begin,
      Math.min(clockGap.end, this.#clock.toLocalTime(start)),
      Infinity,
    );
    const skippedStarts = instants?.filter(
      (instant) =>
        instant >= splitInstant && instant > start && !this.#hasStart(this.#clock.toLocalTime(instant)),
    );
    return skippedStarts && skippedStarts.length <= maxStarts ? skippedStarts : undefined;
  }

  /** Ends the rule before `splitInstant`. `lateStarts`: starts that the ended line gives from then on. */
  endBefore(
    splitInstant: number,
    isAllDay: boolean,
    maxLateStarts: number,
  ): { readonly endedLine: string; readonly lateStarts: readonly number[] } {
    const parts = this.#ruleParts;
    if (!parts || !this.isInclusion || this.#until < splitInstant)
      return { endedLine: this.#line, lateStarts: [] };
    const endedRule = {
      endedLine: replaceRuleParts(this.#line, {
        COUNT: undefined,
        UNTIL: formatOriginalStart(splitInstant - (isAllDay ? dayMs : 1000), isAllDay),
      }),
      lateStarts: [],
    };
    if (!parts.has('COUNT')) return endedRule;
    const localEnd = this.#clock.firstLocalTime(splitInstant);
    const startCount = countStartsBefore(parts, this.#localStart, localEnd, this.#limits);
    const skippedRange = this.#clock.skippedTimesBefore(splitInstant);
    const lateStarts = skippedRange
      ? this.listStartsBetween(
          skippedRange.begin,
          Math.min(skippedRange.end, localEnd),
          maxLateStarts,
        )?.filter((instant) => instant >= splitInstant)
      : [];
    if (!lateStarts) return endedRule;
    return {
      endedLine:
        startCount >= this.#count
          ? this.#line
          : replaceRuleParts(this.#line, { COUNT: `${startCount + this.#extraCountAt(this.#localStart)}` }),
      lateStarts,
    };
  }

  /** Continues the rule in a series that starts at `local`; undefined if no start is left. Starts before `splitInstant` do not count. */
  continueFrom(local: number, splitInstant: number, isAllDay: boolean): string | undefined {
    const parts = this.#ruleParts;
    if (!parts || !this.#starts || this.#until < splitInstant) return undefined;
    // Values that the rule took from the old start are written out if the new start implies others.
    const [oldImplied, newImplied] = [impliedParts(parts, this.#localStart), impliedParts(parts, local)];
    const changedParts = (isTimeOfDay: boolean): [string, string][] => {
      const names = [...oldImplied.keys()].filter((name) => /HOUR|MINUTE|SECOND/.test(name) === isTimeOfDay);
      return names.some((name) => oldImplied.get(name) !== newImplied.get(name))
        ? names.map((name) => [name, oldImplied.get(name) as string])
        : [];
    };
    const changes = Object.fromEntries([...changedParts(false), ...changedParts(true)]);
    if (!parts.has('COUNT')) return replaceRuleParts(this.#line, changes);
    const remainingCount = this.#count - countStartsBefore(parts, this.#localStart, local, this.#limits);
    const lastLocal = this.#starts.findLastUpTo(maxLocalTime);
    if (remainingCount < 1 || lastLocal === undefined || lastLocal < local) return undefined;
    const countedLine = replaceRuleParts(this.#line, {
      ...changes,
      COUNT: `${remainingCount + this.#extraCountAt(local)}`,
    });
    const continuedParts = readRule(countedLine.slice(countedLine.indexOf(':') + 1));
    // Counting from another start may end the rule elsewhere, because of the limits on work.
    if (
      continuedParts &&
      expandRule(continuedParts, local, this.#limits, this.isInclusion)?.findLastUpTo(maxLocalTime) ===
        lastLocal
    )
      return countedLine;
    const until = formatOriginalStart(this.#clock.toInstant(lastLocal), isAllDay);
    return replaceRuleParts(this.#line, { ...changes, COUNT: undefined, UNTIL: until });
  }

  /** Returns 1 if COUNT also counts a start of the series that the rule does not give, else 0. */
  #extraCountAt(local: number): number {
    if (!this.isInclusion || !this.#ruleParts) return 0;
    const startsWithoutCount = expandRule(
      new Map([...this.#ruleParts].filter(([name]) => name !== 'COUNT')),
      this.#localStart,
      this.#limits,
      false,
    );
    return startsWithoutCount?.readStarts(local, local + 1, 1).starts[0] === local ? 0 : 1;
  }

  /** Whether the rule gives a start at a local time. */
  #hasStart(local: number): boolean {
    return this.#starts?.readStarts(local, local + 1, 1).starts[0] === local;
  }
}

/** Lines of the two parts of a divided series; together they have exactly its occurrences. */
export interface Division {
  readonly earlierLines: readonly string[];
  readonly followingLines: readonly string[];
  /** Start of the following part: the instance, or an earlier, excluded start from which its rules can count. */
  readonly start: number;
}

/** Maximum number of dates that are listed because a rule alone cannot express them. */
const maxListedDates = 100;

/** Returns the lines of a series that ends before an occurrence; see `divideSeries`. */
export function endSeriesBefore(lines: readonly string[], start: EventTime, splitInstant: number): string[] {
  return buildEarlierLines(toDividedSeries(lines, start, splitInstant));
}

/** Series to divide, with its rules by their lines. */
interface DividedSeries {
  readonly lines: readonly string[];
  readonly rules: ReadonlyMap<string, DividedRule>;
  readonly clock: ZoneClock;
  readonly zone: string;
  readonly isAllDay: boolean;
  readonly firstInstant: number;
  /** Occurrence that begins the following part. */
  readonly splitInstant: number;
}

/**
 * Divides a series before an occurrence (`splitInstant`: epoch milliseconds; days as in UTC), which is not the first. The
 * following part has the remaining COUNT, and explicit parts for values that a rule took from the start of the series. Undefined
 * if no start lets all rules continue unchanged.
 */
export function divideSeries(
  lines: readonly string[],
  start: EventTime,
  splitInstant: number,
): Division | undefined {
  const series = toDividedSeries(lines, start, splitInstant);
  for (const anchor of findPossibleStarts(series)) {
    const followingLines = buildFollowingLines(series, anchor);
    if (followingLines) return { earlierLines: buildEarlierLines(series), followingLines, start: anchor };
  }
  return undefined;
}

function toDividedSeries(lines: readonly string[], start: EventTime, splitInstant: number): DividedSeries {
  const zone = recurrenceZoneOf(start);
  const clock = clockOf(zone);
  const firstInstant = startInstantOf(start);
  const limits = periodLimitsOf(lines);
  const rules = new Map(
    lines.filter(isRuleLine).map((line) => [line, new DividedRule(line, clock, firstInstant, limits)]),
  );
  return { lines, rules, clock, zone, isAllDay: start.date !== undefined, firstInstant, splitInstant };
}

/** Yields possible starts of the following part: the instance, then the preceding starts of a single RRULE. */
function* findPossibleStarts({ rules, clock, firstInstant, splitInstant }: DividedSeries): Generator<number> {
  yield splitInstant;
  const [rule, ...otherRules] = [...rules.values()].filter(({ isInclusion }) => isInclusion);
  if (!rule || otherRules.length > 0) return;
  let local = clock.toLocalTime(splitInstant);
  for (let triedCount = 0; triedCount < maxListedDates; triedCount += 1) {
    const previousLocal = rule.findLastLocalStart(local - 1);
    if (previousLocal === undefined) break;
    local = previousLocal;
    const instant = clock.toInstant(local);
    // A skipped local time moves, perhaps out of its period, so it cannot be a start.
    if (clock.toLocalTime(instant) !== local)
      local = clock.toLocalTime((clock.skippedTimesBefore(instant)?.at ?? instant) - 1) + 1;
    else if (instant < splitInstant && instant > firstInstant) yield instant;
  }
  yield firstInstant;
}

/** Builds the lines of the following part from `start` on; undefined if not all rules can continue there. */
function buildFollowingLines(series: DividedSeries, start: number): string[] | undefined {
  const { lines, rules, clock, splitInstant, isAllDay } = series;
  const local = clock.toLocalTime(start);
  if (![...rules.values()].every((rule) => rule.keepsPeriods(local))) return undefined;
  const [missingStarts, excessStarts]: [Set<number>, Set<number>] = [
    new Set(),
    new Set(start < splitInstant ? [start] : []),
  ];
  const continuedLines: string[] = [];
  for (const line of lines) {
    const rule = rules.get(line);
    const followingLine = rule
      ? rule.continueFrom(local, splitInstant, isAllDay)
      : filterDates(series, line, false);
    if (followingLine !== undefined) continuedLines.push(followingLine);
    if (!rule) continue;
    // Starts that the continued rule lacks, and starts that it gives before the occurrence.
    const lostStarts = rule.listSkippedStartsFrom(start, splitInstant, maxListedDates);
    const earlyStarts =
      rule.isInclusion && start < splitInstant
        ? rule
            .listStartsBetween(local, clock.firstLocalTime(splitInstant), maxListedDates)
            ?.filter((instant) => instant >= start && instant < splitInstant)
        : [];
    if (!lostStarts || !earlyStarts) return undefined;
    for (const instant of lostStarts) (rule.isInclusion ? missingStarts : excessStarts).add(instant);
    for (const instant of earlyStarts) excessStarts.add(instant);
  }
  if (missingStarts.size > maxListedDates || excessStarts.size > maxListedDates) return undefined;
  const newLines = [
    ...continuedLines,
    ...createDateLines('RDATE', sortInstants(missingStarts), isAllDay),
    ...createDateLines('EXDATE', sortInstants(excessStarts), isAllDay),
  ];
  // A series needs an RRULE or RDATE, even for a single instance.
  return newLines.some((line) => /^R/i.test(line))
    ? newLines
    : [...createDateLines('RDATE', [splitInstant], isAllDay), ...newLines];
}

/** Builds the lines of the part before `splitInstant`. */
function buildEarlierLines(series: DividedSeries): string[] {
  const { lines, rules, splitInstant, isAllDay, firstInstant } = series;
  const excludedStarts = new Set<number>();
  const endedLines = lines.flatMap((line) => {
    const rule = rules.get(line);
    if (!rule) return filterDates(series, line, true) ?? [];
    const { endedLine, lateStarts } = rule.endBefore(splitInstant, isAllDay, maxListedDates);
    for (const instant of lateStarts) excludedStarts.add(instant);
    return [endedLine];
  });
  const newLines = [...endedLines, ...createDateLines('EXDATE', sortInstants(excludedStarts), isAllDay)];
  return newLines.some((line) => /^R/i.test(line))
    ? newLines
    : [...createDateLines('RDATE', [firstInstant], isAllDay), ...newLines];
}

/** Reduces a date line to the dates before the instance, or from it on; undefined without any. */
function filterDates(
  { zone, splitInstant }: DividedSeries,
  line: string,
  isBefore: boolean,
): string | undefined {
  const { name, parameters, value } = parseLine(line);
  const remainingDates = parseDates({ parameters, value }, zone).filter(
    ({ instant }) => instant < splitInstant === isBefore,
  );
  if (remainingDates.length === 0) return undefined;
  return `${name}${parameters && `;${parameters}`}:${remainingDates.map(({ text }) => text).join(',')}`;
}

const sortInstants = (instants: ReadonlySet<number>): number[] => [...instants].sort((a, b) => a - b);
