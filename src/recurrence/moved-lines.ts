import { type EventTime, kindOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { readRule } from './rule.ts';
import { dayAt, dayMs, modulo, weekdayAt, WEEKDAYS } from './calendar-days.ts';
import { dateLines, parseOriginal, eventTimeAt } from './original-start.ts';
import { Move, startInstantOf } from './move.ts';
import { occurrencesOf, timeTools } from './occurrences.ts';
import { formatCompact, valueFormOf, isRuleLine, parseLine, parseRuleParts, withRuleParts } from './lines.ts';
import { parseDates, recurrenceZoneOf } from './recurrence-set.ts';
import { ruleStarts } from './rule-starts.ts';
import { excludingLines, toStoredLines } from './stored-lines.ts';

/** A series whose start moves, with its lines before the move. */
interface MovedSeries {
  readonly lines: readonly string[];
  readonly before: EventTime;
  readonly after: EventTime;
  readonly zone: string;
  /** Original starts of exceptions; excluded dates must not take their new starts. */
  readonly changed: readonly string[];
  /** Original starts of cancelled instances, which are excluded if the kind of the start changes. */
  readonly cancelled: readonly string[];
}

interface MovedLines {
  readonly lines: readonly string[];
  /** Whether no rule gives the new start, which then is an additional occurrence. */
  readonly isAdditional: boolean;
  /** Whether the lines exclude more occurrences than a series may exclude. */
  readonly tooMany: boolean;
}

/** Moves the recurrence lines of a series to a new start (contract, section 15). */
export function movedLines(series: MovedSeries): MovedLines {
  const { after, lines, before, changed, tooMany } =
    kindOf(series.before) === kindOf(series.after) ? { ...series, tooMany: false } : convertKind(series);
  const move = new Move(before, after);
  const rules = lines.map((line) => (isRuleLine(line) ? moveWeekdays(line, move, before, after) : line));
  const shift = shiftOf(lines, rules, move, before, after);
  const moveLine = (line: string, newStartOf: (instant: number) => number | undefined): string[] =>
    isRuleLine(line) ? [shiftUntil(line, move, shift)] : moveDates(line, move, before, after, newStartOf);
  const shiftInstant = (instant: number): number => move.shift(instant, shift);
  const excluded = lines
    .filter(isExclusion)
    .flatMap((line) => instantsOf(line, before).map(({ instant }) => instant));
  const exceptions = changed.filter((original) => original.includes('T') !== move.isAllDay);
  const newStarts =
    excluded.length === 0
      ? new Map<number, number>()
      : move.assign(
          [...excluded, ...exceptions.map(parseOriginal)],
          occurrencesOf({
            start: after,
            recurrence: rules
              .filter((line) => !isExclusion(line))
              .flatMap((line) => moveLine(line, shiftInstant)),
          }),
        );
  const moved = rules.flatMap((line) =>
    moveLine(line, isExclusion(line) ? (instant) => newStarts.get(instant) : shiftInstant),
  );
  const validRules = moved.filter((line) => /^RRULE/i.test(line) && readRule(parseLine(line).value));
  return {
    lines: moved,
    tooMany,
    isAdditional: validRules.length > 0 && !validRules.some((line) => includesStart(line, after)),
  };
}

const isExclusion = (line: string): boolean => /^EXDATE/i.test(line);

/** Converts a series to the kind of its new start before the move: same day, at the time of day of the new start. */
function convertKind({
  lines,
  before,
  after,
  zone,
  cancelled,
}: MovedSeries): MovedSeries & Pick<MovedLines, 'tooMany'> {
  const isAllDay = after.date !== undefined;
  const timeZone = after.timeZone ?? before.timeZone;
  const clock = clockOf(isAllDay ? recurrenceZoneOf(before) : recurrenceZoneOf(after));
  const first = isAllDay ? clock.toLocal(startInstantOf(before)) : startInstantOf(before);
  const midnight = first - modulo(first, dayMs);
  const start: EventTime = isAllDay
    ? { date: new Date(midnight).toISOString().slice(0, 10), ...(timeZone !== undefined && { timeZone }) }
    : eventTimeAt(clock.toInstant(midnight + modulo(clock.toLocal(startInstantOf(after)), dayMs)), after);
  const days = cancelled.map((original) =>
    original.includes('T') ? formatCompact(clock.toLocal(parseOriginal(original))).slice(0, 8) : original,
  );
  const all = [...lines, ...excludingLines('EXDATE;VALUE=DATE', days)];
  const otherLines = all.filter((line) => !/^RDATE/i.test(line));
  const rdateLines = all.filter((line) => /^RDATE/i.test(line));
  const rdateStarts = rdateLines.flatMap((line) =>
    instantsOf(line, before).map(({ instant }) => {
      const local = isAllDay ? clock.toLocal(instant) : instant;
      const day = local - modulo(local, dayMs);
      return isAllDay ? day : clock.toInstant(day + modulo(clock.toLocal(startInstantOf(start)), dayMs));
    }),
  );
  const newRdateLines = dateLines('RDATE', [...new Set(rdateStarts)], isAllDay);
  const stored = toStoredLines([...otherLines, ...newRdateLines], { start, zone, tools: timeTools });
  return {
    lines: stored.flatMap((line) => line.lines),
    tooMany: stored.some((line) => line.tooMany === true),
    before: start,
    after,
    zone,
    changed: [],
    cancelled: [],
  };
}

/** Moves BYDAY of a weekly rule that names the weekday of the old start, but not of the new one, by the days between both. */
function moveWeekdays(line: string, move: Move, before: EventTime, after: EventTime): string {
  const { value } = parseLine(line);
  const parts = parseRuleParts(value);
  const days = parts.get('BYDAY')?.split(',');
  if (parts.get('FREQ') !== 'WEEKLY' || !days) return line;
  const [oldLocal, newLocal] = [
    move.from.toLocal(startInstantOf(before)),
    move.to.toLocal(startInstantOf(after)),
  ];
  if (!days.includes(weekdayOf(oldLocal)) || days.includes(weekdayOf(newLocal))) return line;
  const dayShift = dayAt(newLocal) - dayAt(oldLocal);
  const moveDay = (day: string): string => WEEKDAYS[modulo(WEEKDAYS.indexOf(day) + dayShift, 7)] ?? day;
  return withRuleParts(line, {
    BYDAY: days.map(moveDay).join(','),
    ...(Number(parts.get('INTERVAL') ?? 1) > 1 && { WKST: moveDay(parts.get('WKST') ?? 'MO') }),
  });
}

const weekdayOf = (local: number): string => WEEKDAYS[weekdayAt(dayAt(local))] ?? '';

/** Shift (ms) of UNTIL and RDATE: that of the first occurrence after both starts. */
function shiftOf(
  lines: readonly string[],
  rules: readonly string[],
  move: Move,
  before: EventTime,
  after: EventTime,
): number {
  const endlessRules = (all: readonly string[]): string[] =>
    all.filter(isRuleLine).map((line) => withRuleParts(line, { COUNT: undefined, UNTIL: undefined }));
  const [first] = occurrencesOf({ start: before, recurrence: endlessRules(lines) }).between(
    move.laterStart + 1,
    Infinity,
    1,
  ).starts;
  if (first === undefined) return move.difference;
  const moved = occurrencesOf({ start: after, recurrence: endlessRules(rules) });
  const newStart = move.candidatesFor(first).find((start) => start !== undefined && moved.has(start));
  return newStart === undefined ? move.difference : move.to.toLocal(newStart) - move.from.toLocal(first);
}

function shiftUntil(line: string, move: Move, shift: number): string {
  const until = parseRuleParts(parseLine(line).value).get('UNTIL');
  const form = until === undefined ? null : valueFormOf(until);
  if (until === undefined || form === null || form === 'local' || (shift === 0 && move.isSameZone))
    return line;
  const [date] = parseDates('', until, 'UTC');
  const moved = formatCompact(move.shift(date?.local ?? 0, shift));
  return withRuleParts(line, { UNTIL: form === 'date' ? moved.slice(0, 8) : `${moved}Z` });
}

const instantsOf = (line: string, start: EventTime): { written: string; instant: number }[] => {
  const { parameters, value } = parseLine(line);
  return parseDates(parameters, value, recurrenceZoneOf(start)).map(({ written, local, zone }) => ({
    written,
    instant: clockOf(zone).toInstant(local),
  }));
};

/** Moves the dates of a line. Dates without a new start are dropped, and so is an empty line. */
function moveDates(
  line: string,
  move: Move,
  before: EventTime,
  after: EventTime,
  newStartOf: (instant: number) => number | undefined,
): string[] {
  const { name, parameters, value } = parseLine(line);
  const dates = instantsOf(line, before);
  const newStarts = dates.map(({ instant }) => newStartOf(instant));
  if (move.isSameZone && dates.every(({ instant }, index) => newStarts[index] === instant)) return [line];
  const tzid = /TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const zone = tzid !== undefined && move.isSameZone ? tzid : recurrenceZoneOf(after);
  const write = (instant: number, template: string): string => {
    const form = valueFormOf(template);
    if (form === 'date') return formatCompact(instant).slice(0, 8);
    return form === 'utc' ? `${formatCompact(instant)}Z` : formatCompact(clockOf(zone).toLocal(instant));
  };
  const written = dates.flatMap((date, index) => {
    const newStart = newStarts[index];
    if (newStart === undefined) return [];
    const [from = '', to] = date.written.split('/');
    if (to === undefined || valueFormOf(to) === null)
      return [[write(newStart, from), ...(to ? [to] : [])].join('/')];
    const [end] = parseDates(parameters, to, recurrenceZoneOf(before));
    const length = end ? clockOf(end.zone).toInstant(end.local) - date.instant : 0;
    return [`${write(newStart, from)}/${write(newStart + length, to)}`];
  });
  if (written.length === 0 || value === '') return [];
  const zoned = parameters.replace(/(TZID=)"?[^;"]+"?/i, (_all, key: string) => `${key}${zone}`);
  return [`${name}${zoned && `;${zoned}`}:${[...new Set(written)].join(',')}`];
}

/** Whether a rule gives a start, ignoring COUNT and UNTIL. */
function includesStart(line: string, start: EventTime): boolean {
  const parts = readRule(parseLine(line).value);
  if (!parts) return false;
  const local = clockOf(recurrenceZoneOf(start)).toLocal(startInstantOf(start));
  const endless = new Map([...parts].filter(([name]) => name !== 'COUNT'));
  const starts = ruleStarts(endless, local, { maxEmptyPeriods: 1500, maxCountedPeriods: 1 }, false);
  return starts?.take(local, local + 1, 1).starts[0] === local;
}
