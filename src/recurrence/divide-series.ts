import type { EventTime } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { createDateLines, formatOriginalStart, startInstantOf } from './original-start.ts';
import { impliedParts, periodsOf } from './periods.ts';
import { maxLocalTime, isRuleLine, parseLine, replaceRuleParts, readRule } from './rule.ts';
import { instantOfDate, periodLimitsOf, parseDates, parseUntil, recurrenceZoneOf } from './recurrence-set.ts';
import { type PeriodLimits, countStartsBefore, expandRule, givesStart, withoutCount } from './rule-starts.ts';
import { dayMs } from './calendar-days.ts';

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

/** Series to divide. */
interface SeriesToDivide {
  readonly lines: readonly string[];
  readonly limits: PeriodLimits;
  readonly clock: ZoneClock;
  readonly zone: string;
  readonly isAllDay: boolean;
  readonly firstInstant: number;
  /** Occurrence that begins the following part. */
  readonly splitInstant: number;
}

interface DividedSeries extends SeriesToDivide {
  /** Rules that give any start, by their lines. */
  readonly rules: ReadonlyMap<string, DividedRule>;
}

type DividedRule = NonNullable<ReturnType<typeof createDividedRule>>;

/**
 * Creates the rule of a line of a series that is divided. Local times are the epoch milliseconds that they would have in UTC. Undefined
 * for a rule without any start, which neither part needs.
 */
function createDividedRule(
  line: string,
  { limits, clock, isAllDay, firstInstant, splitInstant }: SeriesToDivide,
) {
  /** True for an RRULE, false for an EXRULE. */
  const isInclusion = /^R/i.test(line);
  const localStart = clock.toLocalTime(firstInstant);
  const parts = readRule(parseLine(line).value);
  // Starts limited by COUNT; UNTIL is an instant and applied separately.
  const starts = parts && expandRule(parts, localStart, limits, isInclusion);
  const uncountedStarts = parts && expandRule(withoutCount(parts), localStart, limits, false);
  if (!starts || !uncountedStarts) return undefined;
  const until = parseUntil(parts.get('UNTIL') ?? '', clock);
  /** Returns 1 if COUNT also counts a start of the series that the rule does not give, else 0. */
  const extraCountAt = (local: number): number =>
    isInclusion && !givesStart(uncountedStarts, local) ? 1 : 0;
  const hasCount = parts.has('COUNT');
  /** COUNT without the start of the series, if the rule does not give that start. */
  const count = Number(parts.get('COUNT')) - extraCountAt(localStart);

  /** Instants of the starts in `[localFrom, localBefore)`; undefined if there are more than `maxStarts`. */
  function listStartsBetween(
    localFrom: number,
    localBefore: number,
    maxStarts = maxListedDates,
  ): number[] | undefined {
    const instants = new Set<number>();
    for (let cursor = localFrom; starts && cursor < localBefore;) {
      const chunk = starts.readStarts(cursor, localBefore, maxStarts + 1);
      for (const local of chunk.starts) instants.add(clock.toInstant(local));
      if (instants.size > maxStarts) return undefined;
      cursor = chunk.upTo;
    }
    return [...instants].filter((instant) => instant <= until);
  }

  return {
    isInclusion,
    listStartsBetween,

    /** Whether the rule keeps its periods (INTERVAL) if the series starts at `local`. */
    keepsPeriods: (local: number): boolean => periodsOf(parts, localStart).includes(local),

    /** Last local start up to a local time; undefined if there is none, or none is found within the limits. */
    findLastLocalStart(local: number): number | undefined {
      const lastLocal = starts.findLastUpTo(local);
      return lastLocal !== undefined && givesStart(starts, lastLocal) ? lastLocal : undefined;
    },

    /**
     * Starts from the split on whose only local times are skipped ones before `start`, so that a rule that
     * continues at `start` lacks them; undefined for too many.
     */
    listSkippedStartsFrom(start: number): number[] | undefined {
      const clockGap = clock.skippedTimesBefore(start);
      if (!clockGap) return [];
      const { begin, end } = clockGap;
      const skippedStarts = listStartsBetween(
        begin,
        Math.min(end, clock.toLocalTime(start)),
        Infinity,
      )?.filter(
        (instant) =>
          instant >= splitInstant && instant > start && !givesStart(starts, clock.toLocalTime(instant)),
      );
      return skippedStarts && skippedStarts.length <= maxListedDates ? skippedStarts : undefined;
    },

    /** Ends the rule before the split. `lateStarts`: starts that the ended line gives from then on. */
    endBeforeSplit(): { readonly endedLine: string; readonly lateStarts: readonly number[] } {
      if (!isInclusion || until < splitInstant) return { endedLine: line, lateStarts: [] };
      const endedRule = {
        endedLine: replaceRuleParts(line, {
          COUNT: undefined,
          UNTIL: formatOriginalStart(splitInstant - (isAllDay ? dayMs : 1000), isAllDay),
        }),
        lateStarts: [],
      };
      if (!hasCount) return endedRule;
      const localEnd = clock.firstLocalTime(splitInstant);
      const startCount = countStartsBefore(parts, localStart, localEnd, limits);
      const skippedRange = clock.skippedTimesBefore(splitInstant);
      const lateStarts = skippedRange
        ? listStartsBetween(skippedRange.begin, Math.min(skippedRange.end, localEnd))?.filter(
            (instant) => instant >= splitInstant,
          )
        : [];
      if (!lateStarts) return endedRule;
      const endedCount = `${startCount + extraCountAt(localStart)}`;
      return {
        endedLine: startCount >= count ? line : replaceRuleParts(line, { COUNT: endedCount }),
        lateStarts,
      };
    },

    /** Continues the rule in a series that starts at `local`; undefined if no start is left. Starts before the split do not count. */
    continueFrom(local: number): string | undefined {
      if (until < splitInstant) return undefined;
      // Values that the rule took from the old start are written out if the new start implies others.
      const [oldImplied, newImplied] = [impliedParts(parts, localStart), impliedParts(parts, local)];
      const changedParts = (isTimeOfDay: boolean): [string, string][] => {
        const impliedOfKind = [...oldImplied].filter(
          ([name]) => /HOUR|MINUTE|SECOND/.test(name) === isTimeOfDay,
        );
        return impliedOfKind.some(([name, value]) => value !== newImplied.get(name)) ? impliedOfKind : [];
      };
      const changes = Object.fromEntries([...changedParts(false), ...changedParts(true)]);
      if (!hasCount) return replaceRuleParts(line, changes);
      const remainingCount = count - countStartsBefore(parts, localStart, local, limits);
      const lastLocal = starts.findLastUpTo(maxLocalTime);
      if (remainingCount < 1 || lastLocal === undefined || lastLocal < local) return undefined;
      const countedLine = replaceRuleParts(line, {
        ...changes,
        COUNT: `${remainingCount + extraCountAt(local)}`,
      });
      const continuedParts = readRule(parseLine(countedLine).value);
      const continuedStarts = continuedParts && expandRule(continuedParts, local, limits, isInclusion);
      // Counting from another start may end the rule elsewhere, because of the limits on work.
      if (continuedStarts?.findLastUpTo(maxLocalTime) === lastLocal) return countedLine;
      const lastUntil = formatOriginalStart(clock.toInstant(lastLocal), isAllDay);
      return replaceRuleParts(line, { ...changes, COUNT: undefined, UNTIL: lastUntil });
    },
  };
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
  const series: SeriesToDivide = {
    lines,
    limits: periodLimitsOf(lines),
    clock: clockOf(zone),
    zone,
    isAllDay: start.date !== undefined,
    firstInstant: startInstantOf(start),
    splitInstant,
  };
  const rules = lines.filter(isRuleLine).map((line) => [line, createDividedRule(line, series)] as const);
  return { ...series, rules: new Map(rules.flatMap(([line, rule]) => (rule ? [[line, rule]] : []))) };
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
    const followingLine = rule ? rule.continueFrom(local) : filterDates(series, line, false);
    if (followingLine !== undefined) continuedLines.push(followingLine);
    if (!rule) continue;
    // Starts that the continued rule lacks, and starts that it gives before the occurrence.
    const lostStarts = rule.listSkippedStartsFrom(start);
    const earlyStarts =
      rule.isInclusion && start < splitInstant
        ? rule
            .listStartsBetween(local, clock.firstLocalTime(splitInstant))
            ?.filter((instant) => instant >= start && instant < splitInstant)
        : [];
    if (!lostStarts || !earlyStarts) return undefined;
    for (const instant of lostStarts) (rule.isInclusion ? missingStarts : excessStarts).add(instant);
    for (const instant of earlyStarts) excessStarts.add(instant);
  }
  if (missingStarts.size > maxListedDates || excessStarts.size > maxListedDates) return undefined;
  return withDates(continuedLines, missingStarts, excessStarts, splitInstant, isAllDay);
}

/** Builds the lines of the part before `splitInstant`. */
function buildEarlierLines(series: DividedSeries): string[] {
  const { lines, rules, isAllDay, firstInstant } = series;
  const excludedStarts = new Set<number>();
  const endedLines = lines.flatMap((line) => {
    const rule = rules.get(line);
    // A line of dates, or a rule without any start, which `filterDates` leaves out.
    if (!rule) return filterDates(series, line, true) ?? [];
    const { endedLine, lateStarts } = rule.endBeforeSplit();
    for (const instant of lateStarts) excludedStarts.add(instant);
    return [endedLine];
  });
  return withDates(endedLines, new Set(), excludedStarts, firstInstant, isAllDay);
}

/** Adds lines of dates. A series needs an RRULE or RDATE, even for a single instance (`start`). */
function withDates(
  lines: readonly string[],
  addedStarts: ReadonlySet<number>,
  excludedStarts: ReadonlySet<number>,
  start: number,
  isAllDay: boolean,
): string[] {
  const dateLines = (name: string, instants: ReadonlySet<number>): string[] =>
    createDateLines(
      name,
      [...instants].sort((a, b) => a - b),
      isAllDay,
    );
  const newLines = [...lines, ...dateLines('RDATE', addedStarts), ...dateLines('EXDATE', excludedStarts)];
  return newLines.some((line) => /^R/i.test(line))
    ? newLines
    : [...dateLines('RDATE', new Set([start])), ...newLines];
}

/** Reduces a date line to the dates before the instance, or from it on; undefined without any. */
function filterDates(
  { zone, splitInstant }: DividedSeries,
  line: string,
  isBefore: boolean,
): string | undefined {
  const { name, parameters, value } = parseLine(line);
  const remainingDates = parseDates({ parameters, value }, zone).filter(
    (date) => instantOfDate(date) < splitInstant === isBefore,
  );
  if (remainingDates.length === 0) return undefined;
  return `${name}${parameters && `;${parameters}`}:${remainingDates.map(({ text }) => text).join(',')}`;
}
