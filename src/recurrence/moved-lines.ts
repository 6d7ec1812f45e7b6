import { type EventTime, kindOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { readRule } from './rule.ts';
import { dayAt, dayMs, remainder, weekdayAt, WEEKDAYS } from './calendar-days.ts';
import { dateLines, startOf, timeAt } from './original-start.ts';
import { Move, momentOf } from './move.ts';
import { occurrencesOf, timeTools } from './occurrences.ts';
import { compact, formOf, isRule, partsOf, ruleParts, withParts } from './lines.ts';
import { datesOf, zoneOf } from './recurrence-set.ts';
import { ruleStarts } from './rule-starts.ts';
import { excludingLines, storedLines } from './stored-lines.ts';

/** A series whose start moves while its lines stay what they were. */
interface MovedSeries {
  readonly lines: readonly string[];
  readonly before: EventTime;
  readonly after: EventTime;
  /** The calendar's zone. */
  readonly zone: string;
  /** Original starts of instances that are changed or cancelled: an excluded date does not take their places. */
  readonly changed: readonly string[];
  /** Original starts of cancelled instances: where the kind of the start changes they are excluded. */
  readonly cancelled: readonly string[];
}

interface MovedLines {
  readonly lines: readonly string[];
  /** No rule gives the new start, so that it is an additional occurrence. */
  readonly isAdditional: boolean;
  /** The days that the lines exclude come to more occurrences than one series may exclude. */
  readonly tooMany: boolean;
}

/** The lines of a series that moves (contract, section 15). */
export function movedLines(series: MovedSeries): MovedLines {
  const { after, lines, before, changed, tooMany } =
    kindOf(series.before) === kindOf(series.after) ? { ...series, tooMany: false } : converted(series);
  const move = new Move(before, after);
  const rules = lines.map((line) => (isRule(line) ? weekdaysMoved(line, move, before, after) : line));
  const shift = shiftOf(lines, rules, move, before, after);
  const movedLine = (line: string, placeOf: (instant: number) => number | undefined): string[] =>
    isRule(line) ? [untilShifted(line, move, shift)] : datesShifted(line, move, before, after, placeOf);
  const byShift = (instant: number): number => move.shifted(instant, shift);
  const excluded = lines
    .filter(isExclusion)
    .flatMap((line) => dates(line, before).map(({ instant }) => instant));
  const places =
    excluded.length === 0
      ? new Map<number, number>()
      : move.placed(
          [...excluded, ...changed.filter((one) => one.includes('T') !== move.isDay).map(startOf)],
          occurrencesOf({
            start: after,
            recurrence: rules
              .filter((line) => !isExclusion(line))
              .flatMap((line) => movedLine(line, byShift)),
          }),
        );
  const all = rules.flatMap((line) =>
    movedLine(line, isExclusion(line) ? (instant) => places.get(instant) : byShift),
  );
  const given = all.filter((line) => /^RRULE/i.test(line) && readRule(partsOf(line).value));
  return {
    lines: all,
    tooMany,
    isAdditional: given.length > 0 && !given.some((line) => includesStart(line, after)),
  };
}

const isExclusion = (line: string): boolean => /^EXDATE/i.test(line);

/** Converts a series as if its start had been of the new kind before it moved: on its day, at the time of the day of the new start. */
function converted({
  lines,
  before,
  after,
  zone,
  cancelled,
}: MovedSeries): MovedSeries & Pick<MovedLines, 'tooMany'> {
  const isDay = after.date !== undefined;
  const of = after.timeZone ?? before.timeZone;
  const clock = clockOf(isDay ? zoneOf(before) : zoneOf(after));
  const first = isDay ? clock.toLocal(momentOf(before)) : momentOf(before);
  const midnight = first - remainder(first, dayMs);
  const start: EventTime = isDay
    ? { date: new Date(midnight).toISOString().slice(0, 10), ...(of !== undefined && { timeZone: of }) }
    : timeAt(clock.toInstant(midnight + remainder(clock.toLocal(momentOf(after)), dayMs)), after);
  const days = cancelled.map((one) =>
    one.includes('T') ? compact(clock.toLocal(startOf(one))).slice(0, 8) : one,
  );
  const all = [...lines, ...excludingLines('EXDATE;VALUE=DATE', days)];
  const others = all.filter((line) => !/^RDATE/i.test(line));
  const listed = all.filter((line) => /^RDATE/i.test(line));
  const added = listed.flatMap((line) =>
    dates(line, before).map(({ instant }) => {
      const local = isDay ? clock.toLocal(instant) : instant;
      const day = local - remainder(local, dayMs);
      return isDay ? day : clock.toInstant(day + remainder(clock.toLocal(momentOf(start)), dayMs));
    }),
  );
  const rdates = dateLines('RDATE', [...new Set(added)], isDay);
  const stored = storedLines([...others, ...rdates], { start, zone, tools: timeTools });
  return {
    lines: stored.flatMap((one) => one.lines),
    tooMany: stored.some((one) => one.tooMany === true),
    before: start,
    after,
    zone,
    changed: [],
    cancelled: [],
  };
}

/** BYDAY of a weekly rule that names the weekday of the old start and not that of the new one, moved by the days between both. */
function weekdaysMoved(line: string, move: Move, before: EventTime, after: EventTime): string {
  const { value } = partsOf(line);
  const parts = ruleParts(value);
  const days = parts.get('BYDAY')?.split(',');
  if (parts.get('FREQ') !== 'WEEKLY' || !days) return line;
  const [then, now] = [move.from.toLocal(momentOf(before)), move.to.toLocal(momentOf(after))];
  if (!days.includes(nameOf(then)) || days.includes(nameOf(now))) return line;
  const by = dayAt(now) - dayAt(then);
  const moved = (day: string): string => WEEKDAYS[remainder(WEEKDAYS.indexOf(day) + by, 7)] ?? day;
  return withParts(line, {
    BYDAY: days.map(moved).join(','),
    ...(Number(parts.get('INTERVAL') ?? 1) > 1 && { WKST: moved(parts.get('WKST') ?? 'MO') }),
  });
}

const nameOf = (local: number): string => WEEKDAYS[weekdayAt(dayAt(local))] ?? '';

/** Shift of UNTIL and RDATE: that of the first occurrence behind both starts. */
function shiftOf(
  lines: readonly string[],
  rules: readonly string[],
  move: Move,
  before: EventTime,
  after: EventTime,
): number {
  const endless = (all: readonly string[]): string[] =>
    all.filter(isRule).map((line) => withParts(line, { COUNT: undefined, UNTIL: undefined }));
  const [first] = occurrencesOf({ start: before, recurrence: endless(lines) }).between(
    move.later + 1,
    Infinity,
    1,
  ).starts;
  if (first === undefined) return move.difference;
  const next = occurrencesOf({ start: after, recurrence: endless(rules) });
  const place = move.places(first).find((one) => one !== undefined && next.has(one));
  return place === undefined ? move.difference : move.to.toLocal(place) - move.from.toLocal(first);
}

function untilShifted(line: string, move: Move, shift: number): string {
  const until = ruleParts(partsOf(line).value).get('UNTIL');
  const form = until === undefined ? null : formOf(until);
  if (until === undefined || form === null || form === 'local' || (shift === 0 && move.isSameZone))
    return line;
  const [date] = datesOf('', until, 'UTC');
  const moved = move.shifted(date?.local ?? 0, shift);
  return withParts(line, { UNTIL: form === 'date' ? compact(moved).slice(0, 8) : `${compact(moved)}Z` });
}

/** The dates of a line as instants; days count as in UTC. */
const dates = (line: string, start: EventTime): { readonly written: string; readonly instant: number }[] => {
  const { parameters, value } = partsOf(line);
  return datesOf(parameters, value, zoneOf(start)).map(({ written, local, zone }) => ({
    written,
    instant: clockOf(zone).toInstant(local),
  }));
};

/** Rewrites a date line with moved dates; dates without a place are dropped, an empty line too. */
function datesShifted(
  line: string,
  move: Move,
  before: EventTime,
  after: EventTime,
  placeOf: (instant: number) => number | undefined,
): string[] {
  const { name, parameters, value } = partsOf(line);
  const found = dates(line, before);
  const places = found.map(({ instant }) => placeOf(instant));
  if (move.isSameZone && found.every(({ instant }, index) => places[index] === instant)) return [line];
  const given = /TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const zone = given !== undefined && move.isSameZone ? given : zoneOf(after);
  const write = (instant: number, like: string): string => {
    const form = formOf(like);
    if (form === 'date') return compact(instant).slice(0, 8);
    return form === 'utc' ? `${compact(instant)}Z` : compact(clockOf(zone).toLocal(instant));
  };
  const written = found.flatMap((date, index) => {
    const place = places[index];
    if (place === undefined) return [];
    const [from = '', to] = date.written.split('/');
    if (to === undefined || formOf(to) === null) return [[write(place, from), ...(to ? [to] : [])].join('/')];
    const [end] = datesOf(parameters, to, zoneOf(before));
    const length = end ? clockOf(end.zone).toInstant(end.local) - date.instant : 0;
    return [`${write(place, from)}/${write(place + length, to)}`];
  });
  if (written.length === 0 || value === '') return [];
  const zoned = parameters.replace(/(TZID=)"?[^;"]+"?/i, (_all, key: string) => `${key}${zone}`);
  return [`${name}${zoned && `;${zoned}`}:${[...new Set(written)].join(',')}`];
}

/** Whether a rule gives a start, without regard to where it ends. */
function includesStart(line: string, start: EventTime): boolean {
  const parts = readRule(partsOf(line).value);
  if (!parts) return false;
  const local = clockOf(zoneOf(start)).toLocal(momentOf(start));
  const endless = new Map([...parts].filter(([name]) => name !== 'COUNT'));
  const starts = ruleStarts(endless, local, { empty: 1500, counted: 1 }, false);
  return starts?.take(local, local + 1, 1).starts[0] === local;
}
