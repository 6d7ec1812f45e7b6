import type { EventTime } from '../time/time.ts';
import { orderOf } from '../time/time.ts';
import { clockOf, type ZoneClock } from '../time/zone-clock.ts';
import { DividedRule } from './divide-rule.ts';
import { originalAt } from './instance-id.ts';
import { boundsOf, datesOf, partsOf, zoneOf } from './recurrence-set.ts';

/** A series in two parts, whose occurrences together are exactly those of the series. */
export interface Division {
  readonly before: readonly string[];
  readonly following: readonly string[];
  /**
   * When the following part starts: at the instance, or earlier where its rules cannot count from there. An earlier start
   * is excluded from its occurrences.
   */
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
    lines
      .filter((line) => /^(?:EX|R)RULE[:;]/i.test(line))
      .map((line) => [line, new DividedRule(line, clock, first, bounds)]),
  );
  return { lines, rules, clock, zone, isDay: start.date !== undefined, first, at };
}

/** Where the following part may start: at the instance; of one RRULE else at one of the last starts that it gave before. */
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
    // What the clocks skip is moved, perhaps out of its period.
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
  const all = [...rest, ...listOf('RDATE', missing, isDay), ...listOf('EXDATE', excess, isDay)];
  // A series stays one, also with its last instance.
  return all.some((line) => /^R/i.test(line)) ? all : [...listOf('RDATE', new Set([at]), isDay), ...all];
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
  const all = [...kept, ...listOf('EXDATE', excess, isDay)];
  return all.some((line) => /^R/i.test(line)) ? all : [...listOf('RDATE', new Set([first]), isDay), ...all];
}

/** What a line lists before the instance, or from it on; undefined for nothing. */
function sideOf({ zone, at }: Series, line: string, isBefore: boolean): string | undefined {
  const { name, parameters, value } = partsOf(line);
  const within = datesOf(parameters, value, zone).filter(
    (date) => clockOf(date.zone).toInstant(date.local) < at === isBefore,
  );
  if (within.length === 0) return undefined;
  return `${name}${parameters && `;${parameters}`}:${within.map(({ written }) => written).join(',')}`;
}

const listOf = (name: string, instants: ReadonlySet<number>, isDay: boolean): string[] =>
  instants.size === 0
    ? []
    : [
        `${name}${isDay ? ';VALUE=DATE' : ''}:${[...instants]
          .sort((one, other) => one - other)
          .map((instant) => originalAt(instant, isDay))
          .join(',')}`,
      ];
