import { type EventTime, kindOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import {
  readRule,
  formatCompact,
  valueFormOf,
  isRuleLine,
  parseLine,
  parseRuleParts,
  replaceRuleParts,
} from './rule.ts';
import { dayAt, dayMs, modulo, weekdayAt, weekdayCodes } from './calendar-days.ts';
import { createDateLines, parseOriginalStart, eventTimeAt } from './original-start.ts';
import { SeriesMove, startInstantOf } from './series-move.ts';
import { occurrencesOf, timeTools } from './occurrences.ts';
import { parseDates, recurrenceZoneOf, sharedLimits } from './recurrence-set.ts';
import { expandRule } from './rule-starts.ts';
import { createExclusionLines, toStoredLines } from './stored-lines.ts';

/** A series whose start moves, with its lines before the move. */
interface MovedSeries {
  readonly lines: readonly string[];
  readonly oldStart: EventTime;
  readonly newStart: EventTime;
  /** Time zone of the calendar. */
  readonly zone: string;
  /** Original starts of exceptions; excluded dates must not take their new starts. */
  readonly exceptionOriginals: readonly string[];
  /** Original starts of cancelled instances, which are excluded if the kind of the start changes. */
  readonly cancelledOriginals: readonly string[];
}

/** Lines of a series after its move. */
interface MoveLinesResult {
  readonly lines: readonly string[];
  /** Whether no rule gives the new start, so that it is an occurrence in addition to those of the rules. */
  readonly isAdditional: boolean;
  /** Whether the lines exclude more occurrences than a series may exclude. */
  readonly excludesTooMany: boolean;
}

/** Moves the recurrence lines of a series to a new start: rules keep their pattern, UNTIL and dates move along. */
export function moveRecurrenceLines(series: MovedSeries): MoveLinesResult {
  const { newStart, lines, oldStart, exceptionOriginals, excludesTooMany } =
    kindOf(series.oldStart) === kindOf(series.newStart)
      ? { ...series, excludesTooMany: false }
      : convertToNewKind(series);
  const move = new SeriesMove(oldStart, newStart);
  const movedRules = lines.map((line) =>
    isRuleLine(line) ? moveWeekdays(line, move, oldStart, newStart) : line,
  );
  const shiftMs = computeShiftMs(lines, movedRules, move, oldStart, newStart);
  const moveLine = (line: string, newStartOf: (instant: number) => number | undefined): string[] =>
    isRuleLine(line)
      ? [shiftUntil(line, move, shiftMs)]
      : moveDates(line, move, oldStart, newStart, newStartOf);
  const shiftInstant = (instant: number): number => move.shift(instant, shiftMs);
  const excludedInstants = lines
    .filter(isExclusionLine)
    .flatMap((line) => parseDateLine(line, oldStart).map(({ instant }) => instant));
  // Exceptions take part, so that no excluded date gets the new occurrence of an exception.
  const sameKindOriginals = exceptionOriginals.filter((original) => original.includes('T') !== move.isAllDay);
  const newStarts =
    excludedInstants.length === 0
      ? new Map<number, number>()
      : move.assignStarts(
          [...excludedInstants, ...sameKindOriginals.map(parseOriginalStart)],
          occurrencesOf({
            start: newStart,
            recurrence: movedRules
              .filter((line) => !isExclusionLine(line))
              .flatMap((line) => moveLine(line, shiftInstant)),
          }),
        );
  const movedLines = movedRules.flatMap((line) =>
    moveLine(line, isExclusionLine(line) ? (instant) => newStarts.get(instant) : shiftInstant),
  );
  const validRules = movedLines.filter((line) => /^RRULE/i.test(line) && readRule(parseLine(line).value));
  return {
    lines: movedLines,
    excludesTooMany,
    isAdditional: validRules.length > 0 && !validRules.some((line) => includesStart(line, newStart)),
  };
}

const isExclusionLine = (line: string): boolean => /^EXDATE/i.test(line);

/** Converts a series to the kind of its new start before the move: same day, at the time of day of the new start. */
function convertToNewKind({
  lines,
  oldStart,
  newStart,
  zone,
  cancelledOriginals,
}: MovedSeries): MovedSeries & Pick<MoveLinesResult, 'excludesTooMany'> {
  const isAllDay = newStart.date !== undefined;
  const timeZone = newStart.timeZone ?? oldStart.timeZone;
  const clock = clockOf(isAllDay ? recurrenceZoneOf(oldStart) : recurrenceZoneOf(newStart));
  const firstLocal = isAllDay ? clock.toLocalTime(startInstantOf(oldStart)) : startInstantOf(oldStart);
  const midnight = firstLocal - modulo(firstLocal, dayMs);
  const convertedStart: EventTime = isAllDay
    ? { date: new Date(midnight).toISOString().slice(0, 10), ...(timeZone !== undefined && { timeZone }) }
    : eventTimeAt(
        clock.toInstant(midnight + modulo(clock.toLocalTime(startInstantOf(newStart)), dayMs)),
        newStart,
      );
  const cancelledDays = cancelledOriginals.map((original) =>
    original.includes('T')
      ? formatCompact(clock.toLocalTime(parseOriginalStart(original))).slice(0, 8)
      : original,
  );
  const allLines = [...lines, ...createExclusionLines('EXDATE;VALUE=DATE', cancelledDays)];
  const otherLines = allLines.filter((line) => !/^RDATE/i.test(line));
  const rdateLines = allLines.filter((line) => /^RDATE/i.test(line));
  const rdateStarts = rdateLines.flatMap((line) =>
    parseDateLine(line, oldStart).map(({ instant }) => {
      const local = isAllDay ? clock.toLocalTime(instant) : instant;
      const day = local - modulo(local, dayMs);
      return isAllDay
        ? day
        : clock.toInstant(day + modulo(clock.toLocalTime(startInstantOf(convertedStart)), dayMs));
    }),
  );
  const newRdateLines = createDateLines('RDATE', [...new Set(rdateStarts)], isAllDay);
  const storedLines = toStoredLines([...otherLines, ...newRdateLines], {
    start: convertedStart,
    zone,
    tools: timeTools,
  });
  return {
    lines: storedLines.flatMap((line) => line.lines),
    excludesTooMany: storedLines.some((line) => line.excludesTooMany === true),
    oldStart: convertedStart,
    newStart,
    zone,
    exceptionOriginals: [],
    cancelledOriginals: [],
  };
}

/** Moves BYDAY of a weekly rule by the days between both starts, if it names the weekday of the old start but not of the new one. */
function moveWeekdays(line: string, move: SeriesMove, oldStart: EventTime, newStart: EventTime): string {
  const { value } = parseLine(line);
  const parts = parseRuleParts(value);
  const days = parts.get('BYDAY')?.split(',');
  if (parts.get('FREQ') !== 'WEEKLY' || !days) return line;
  const [oldLocal, newLocal] = [
    move.oldClock.toLocalTime(startInstantOf(oldStart)),
    move.newClock.toLocalTime(startInstantOf(newStart)),
  ];
  if (!days.includes(weekdayOf(oldLocal)) || days.includes(weekdayOf(newLocal))) return line;
  const dayShift = dayAt(newLocal) - dayAt(oldLocal);
  const moveDay = (day: string): string =>
    weekdayCodes[modulo(weekdayCodes.indexOf(day) + dayShift, 7)] ?? day;
  return replaceRuleParts(line, {
    BYDAY: days.map(moveDay).join(','),
    ...(Number(parts.get('INTERVAL') ?? 1) > 1 && { WKST: moveDay(parts.get('WKST') ?? 'MO') }),
  });
}

const weekdayOf = (local: number): string => weekdayCodes[weekdayAt(dayAt(local))] ?? '';

/** Computes the shift (ms) of UNTIL and RDATE: that of the first occurrence after both starts. */
function computeShiftMs(
  lines: readonly string[],
  rules: readonly string[],
  move: SeriesMove,
  oldStart: EventTime,
  newStart: EventTime,
): number {
  const removeLimits = (recurrence: readonly string[]): string[] =>
    recurrence
      .filter(isRuleLine)
      .map((line) => replaceRuleParts(line, { COUNT: undefined, UNTIL: undefined }));
  const [firstStart] = occurrencesOf({ start: oldStart, recurrence: removeLimits(lines) }).between(
    move.laterStartInstant + 1,
    Infinity,
    1,
  ).starts;
  if (firstStart === undefined) return move.localShiftMs;
  const movedOccurrences = occurrencesOf({ start: newStart, recurrence: removeLimits(rules) });
  const movedStart = move
    .listCandidates(firstStart)
    .find((start) => start !== undefined && movedOccurrences.has(start));
  return movedStart === undefined
    ? move.localShiftMs
    : move.newClock.toLocalTime(movedStart) - move.oldClock.toLocalTime(firstStart);
}

/** Shifts UNTIL of a rule, in the form that it has. */
function shiftUntil(line: string, move: SeriesMove, shiftMs: number): string {
  const until = parseRuleParts(parseLine(line).value).get('UNTIL');
  const form = until === undefined ? null : valueFormOf(until);
  if (until === undefined || form === null || form === 'local' || (shiftMs === 0 && move.isSameZone))
    return line;
  const [date] = parseDates('', until, 'UTC');
  const movedUntil = formatCompact(move.shift(date?.local ?? 0, shiftMs));
  return replaceRuleParts(line, { UNTIL: form === 'date' ? movedUntil.slice(0, 8) : `${movedUntil}Z` });
}

/** Parses the dates of an RDATE or EXDATE line, as text and as instants (epoch ms). */
const parseDateLine = (line: string, start: EventTime): { text: string; instant: number }[] => {
  const { parameters, value } = parseLine(line);
  return parseDates(parameters, value, recurrenceZoneOf(start)).map(({ text, local, zone }) => ({
    text,
    instant: clockOf(zone).toInstant(local),
  }));
};

/** Moves the dates of a line. Dates without a new start are dropped, and so is an empty line. */
function moveDates(
  line: string,
  move: SeriesMove,
  oldStart: EventTime,
  newStart: EventTime,
  newStartOf: (instant: number) => number | undefined,
): string[] {
  const { name, parameters, value } = parseLine(line);
  const dates = parseDateLine(line, oldStart);
  const movedInstants = dates.map(({ instant }) => newStartOf(instant));
  if (move.isSameZone && dates.every(({ instant }, index) => movedInstants[index] === instant)) return [line];
  const tzid = /TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const zone = tzid !== undefined && move.isSameZone ? tzid : recurrenceZoneOf(newStart);
  const formatLike = (instant: number, template: string): string => {
    const form = valueFormOf(template);
    if (form === 'date') return formatCompact(instant).slice(0, 8);
    return form === 'utc' ? `${formatCompact(instant)}Z` : formatCompact(clockOf(zone).toLocalTime(instant));
  };
  const movedDates = dates.flatMap((date, index) => {
    const movedInstant = movedInstants[index];
    if (movedInstant === undefined) return [];
    const [periodStart = '', periodEnd] = date.text.split('/');
    if (periodEnd === undefined || valueFormOf(periodEnd) === null)
      return [[formatLike(movedInstant, periodStart), ...(periodEnd ? [periodEnd] : [])].join('/')];
    const [periodEndDate] = parseDates(parameters, periodEnd, recurrenceZoneOf(oldStart));
    const durationMs = periodEndDate
      ? clockOf(periodEndDate.zone).toInstant(periodEndDate.local) - date.instant
      : 0;
    return [`${formatLike(movedInstant, periodStart)}/${formatLike(movedInstant + durationMs, periodEnd)}`];
  });
  if (movedDates.length === 0 || value === '') return [];
  const newParameters = parameters.replace(/(TZID=)"?[^;"]+"?/i, (_all, key: string) => `${key}${zone}`);
  return [`${name}${newParameters && `;${newParameters}`}:${[...new Set(movedDates)].join(',')}`];
}

/** Whether a rule gives a start, ignoring COUNT and UNTIL. */
export function includesStart(line: string, start: EventTime): boolean {
  const parts = readRule(parseLine(line).value);
  if (!parts) return false;
  const local = clockOf(recurrenceZoneOf(start)).toLocalTime(startInstantOf(start));
  const endlessParts = new Map([...parts].filter(([name]) => name !== 'COUNT'));
  // Without COUNT no periods are counted.
  const starts = expandRule(endlessParts, local, { ...sharedLimits, maxCountedPeriods: 1 }, false);
  return starts?.readStarts(local, local + 1, 1).starts[0] === local;
}
