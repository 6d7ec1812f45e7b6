import { type EventTime, kindOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { dayAt, dayMs, modulo, weekdayAt, weekdayCodes } from './calendar-days.ts';
import {
  createDateLines,
  eventTimeAt,
  formatOriginalStart,
  parseOriginalStart,
  startInstantOf,
} from './original-start.ts';
import { occurrencesOf, type Occurrences, timeTools } from './occurrences.ts';
import { instantOfDate, parseDates, recurrenceZoneOf, sharedLimits } from './recurrence-set.ts';
import {
  formatCompact,
  isRuleLine,
  parseLine,
  parseLocal,
  parseRuleParts,
  readRule,
  replaceRuleParts,
  valueFormOf,
} from './rule.ts';
import { expandRule, givesStart, withoutCount } from './rule-starts.ts';
import { createExclusionLines, toStoredLines } from './stored-lines.ts';

type SeriesMove = ReturnType<typeof createSeriesMove>;

/** Move of a series from one start to another of the same kind. Times move by their local time, each in its own zone. */
function createSeriesMove(oldStart: EventTime, newStart: EventTime) {
  const [oldZone, newZone] = [recurrenceZoneOf(oldStart), recurrenceZoneOf(newStart)];
  const [oldClock, newClock] = [clockOf(oldZone), clockOf(newZone)];
  const [oldInstant, newInstant] = [startInstantOf(oldStart), startInstantOf(newStart)];
  const [oldLocal, newLocal] = [oldClock.toLocalTime(oldInstant), newClock.toLocalTime(newInstant)];
  /** Difference of the local starts. */
  const localShiftMs = newLocal - oldLocal;
  const timeOfDayShiftMs = modulo(newLocal, dayMs) - modulo(oldLocal, dayMs);

  /** Returns the local time that the rule gives an occurrence, even if the clocks skipped it and the occurrence moved forward. */
  const localOf = (instant: number): number => {
    const local = oldClock.toLocalTime(instant);
    const localByRule = dayAt(local) * dayMs + modulo(oldLocal, dayMs);
    return oldClock.toInstant(localByRule) === instant ? localByRule : local;
  };
  /**
   * Returns the candidates for the moved occurrence, best first: same instant, shift in local time by less than a day, same day, any
   * shift. Undefined for a candidate that does not apply.
   */
  const listCandidates = (instant: number): (number | undefined)[] => {
    const local = localOf(instant);
    const sameDayLocal = local + timeOfDayShiftMs;
    return [
      instant,
      Math.abs(localShiftMs) < dayMs ? newClock.toInstant(local + localShiftMs) : undefined,
      dayAt(sameDayLocal) === dayAt(local) ? newClock.toInstant(sameDayLocal) : undefined,
      newClock.toInstant(local + localShiftMs),
    ];
  };

  return {
    oldStart,
    newStart,
    oldZone,
    newZone,
    oldClock,
    newClock,
    oldLocal,
    newLocal,
    localShiftMs,
    listCandidates,
    /** Later of the old and the new start (epoch ms). */
    laterStartInstant: Math.max(oldInstant, newInstant),
    isSameZone: oldZone === newZone,

    /** Shifts an instant in local time, from the old zone to the new one. */
    shift: (instant: number, byMs: number): number =>
      newClock.toInstant(oldClock.toLocalTime(instant) + byMs),

    /** Selects the original starts of the kind of the start. Others remain from an earlier rule. */
    originalsOfKind: (originals: readonly string[]): string[] =>
      originals.filter((original) => original.includes('T') === (newStart.date === undefined)),

    /** Assigns at most one free occurrence to each instant. A better candidate of any instant precedes worse ones of all others. */
    assignStarts(instants: readonly number[], occurrences: Occurrences): Map<number, number> {
      const sortedInstants = [...instants].sort((a, b) => a - b);
      const candidates = new Map(sortedInstants.map((instant) => [instant, listCandidates(instant)]));
      const allCandidates = [...candidates.values()].flat().filter((start) => start !== undefined);
      const freeStarts = new Set(occurrences.filterStarts(allCandidates));
      const startByInstant = new Map<number, number>();
      for (const candidateRank of candidateRanks)
        for (const [instant, starts] of candidates) {
          const start = starts[candidateRank];
          if (startByInstant.has(instant) || start === undefined || !freeStarts.delete(start)) continue;
          startByInstant.set(instant, start);
        }
      return startByInstant;
    },
  };
}

/** Indexes of the candidates that `listCandidates` returns. */
const candidateRanks = [0, 1, 2, 3];

/** Returns the new original starts of instances after a move of their series. Instances that the series no longer has are absent. */
export function moveOriginalStarts(
  originalStarts: readonly string[],
  oldStart: EventTime | undefined,
  {
    start,
    recurrence = [],
  }: { readonly start?: EventTime | undefined; readonly recurrence?: readonly string[] | undefined },
): Map<string, string> {
  if (!oldStart || !start || recurrence.length === 0 || kindOf(oldStart) !== kindOf(start)) return new Map();
  const move = createSeriesMove(oldStart, start);
  const originals = move.originalsOfKind(originalStarts);
  const newStarts = move.assignStarts(
    originals.map(parseOriginalStart),
    occurrencesOf({ start, recurrence }),
  );
  return new Map(
    originals.flatMap((original) => {
      const newStart = newStarts.get(parseOriginalStart(original));
      return newStart === undefined
        ? []
        : [[original, formatOriginalStart(newStart, start.date !== undefined)]];
    }),
  );
}

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
  const { newStart } = series;
  const { lines, oldStart, exceptionOriginals, excludesTooMany } =
    kindOf(series.oldStart) === kindOf(newStart)
      ? { ...series, excludesTooMany: false }
      : convertToNewKind(series);
  const move = createSeriesMove(oldStart, newStart);
  const movedRules = lines.map((line) => (isRuleLine(line) ? moveWeekdays(line, move) : line));
  const shiftMs = computeShiftMs(lines, movedRules, move);
  const moveLine = (line: string, newStartOf: (instant: number) => number | undefined): string[] =>
    isRuleLine(line) ? [shiftUntil(line, move, shiftMs)] : moveDates(line, move, newStartOf);
  const shiftInstant = (instant: number): number => move.shift(instant, shiftMs);
  const excludedInstants = lines.filter(isExclusionLine).flatMap((line) => instantsOf(line, move.oldZone));
  // Exceptions take part, so that no excluded date gets the new occurrence of an exception.
  const newStarts =
    excludedInstants.length === 0
      ? new Map<number, number>()
      : move.assignStarts(
          [...excludedInstants, ...move.originalsOfKind(exceptionOriginals).map(parseOriginalStart)],
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
function convertToNewKind({ lines, oldStart, newStart, zone, cancelledOriginals }: MovedSeries) {
  const isAllDay = newStart.date !== undefined;
  const timeZone = newStart.timeZone ?? oldStart.timeZone;
  const clock = clockOf(recurrenceZoneOf(isAllDay ? oldStart : newStart));
  const toDay = (instant: number): number => dayAt(isAllDay ? clock.toLocalTime(instant) : instant) * dayMs;
  const atTimeOfDay = (day: number, time: EventTime): number =>
    clock.toInstant(day + modulo(clock.toLocalTime(startInstantOf(time)), dayMs));
  const firstDay = toDay(startInstantOf(oldStart));
  const convertedStart: EventTime = isAllDay
    ? { ...eventTimeAt(firstDay, { date: '' }), ...(timeZone !== undefined && { timeZone }) }
    : eventTimeAt(atTimeOfDay(firstDay, newStart), newStart);
  const cancelledDays = cancelledOriginals.map((original) =>
    original.includes('T')
      ? formatOriginalStart(clock.toLocalTime(parseOriginalStart(original)), true)
      : original,
  );
  const isDateLine = (line: string): boolean => /^RDATE/i.test(line);
  const rdateStarts = lines
    .filter(isDateLine)
    .flatMap((line) =>
      instantsOf(line, recurrenceZoneOf(oldStart)).map((instant) =>
        isAllDay ? toDay(instant) : atTimeOfDay(toDay(instant), convertedStart),
      ),
    );
  const storedLines = toStoredLines(
    [
      ...lines.filter((line) => !isDateLine(line)),
      ...createExclusionLines('EXDATE;VALUE=DATE', cancelledDays),
      ...createDateLines('RDATE', [...new Set(rdateStarts)], isAllDay),
    ],
    { start: convertedStart, zone, tools: timeTools },
  );
  return {
    lines: storedLines.flatMap((line) => line.lines),
    excludesTooMany: storedLines.some((line) => line.excludesTooMany === true),
    oldStart: convertedStart,
    exceptionOriginals: [],
  };
}

/** Moves BYDAY of a weekly rule by the days between both starts, if it names the weekday of the old start but not of the new one. */
function moveWeekdays(line: string, { oldLocal, newLocal }: SeriesMove): string {
  const parts = parseRuleParts(parseLine(line).value);
  const days = parts.get('BYDAY')?.split(',');
  if (parts.get('FREQ') !== 'WEEKLY' || !days) return line;
  const weekdayOf = (local: number): string => weekdayCodes[weekdayAt(dayAt(local))] as string;
  if (!days.includes(weekdayOf(oldLocal)) || days.includes(weekdayOf(newLocal))) return line;
  const dayShift = dayAt(newLocal) - dayAt(oldLocal);
  const moveDay = (day: string): string =>
    weekdayCodes[modulo(weekdayCodes.indexOf(day) + dayShift, 7)] ?? day;
  return replaceRuleParts(line, {
    BYDAY: days.map(moveDay).join(','),
    ...(Number(parts.get('INTERVAL') ?? 1) > 1 && { WKST: moveDay(parts.get('WKST') ?? 'MO') }),
  });
}

/** Computes the shift (ms) of UNTIL and RDATE: that of the first occurrence after both starts. */
function computeShiftMs(lines: readonly string[], rules: readonly string[], move: SeriesMove): number {
  const { oldStart, newStart, localShiftMs } = move;
  const removeLimits = (recurrence: readonly string[]): string[] =>
    recurrence
      .filter(isRuleLine)
      .map((line) => replaceRuleParts(line, { COUNT: undefined, UNTIL: undefined }));
  const [firstStart] = occurrencesOf({ start: oldStart, recurrence: removeLimits(lines) }).between(
    move.laterStartInstant + 1,
    Infinity,
    1,
  ).starts;
  if (firstStart === undefined) return localShiftMs;
  const movedOccurrences = occurrencesOf({ start: newStart, recurrence: removeLimits(rules) });
  const movedStart = move
    .listCandidates(firstStart)
    .find((start) => start !== undefined && movedOccurrences.has(start));
  return movedStart === undefined
    ? localShiftMs
    : move.newClock.toLocalTime(movedStart) - move.oldClock.toLocalTime(firstStart);
}

/** Shifts UNTIL of a rule, in the form that it has. */
function shiftUntil(line: string, move: SeriesMove, shiftMs: number): string {
  const until = parseRuleParts(parseLine(line).value).get('UNTIL') ?? '';
  const form = valueFormOf(until);
  if (form === null || form === 'local' || (shiftMs === 0 && move.isSameZone)) return line;
  const movedUntil = formatCompact(move.shift(parseLocal(until), shiftMs));
  return replaceRuleParts(line, { UNTIL: form === 'date' ? movedUntil.slice(0, 8) : `${movedUntil}Z` });
}

/** Returns the instants (epoch ms) of the dates of an RDATE or EXDATE line. */
const instantsOf = (line: string, zone: string): number[] =>
  parseDates(parseLine(line), zone).map(instantOfDate);

/** Moves the dates of a line. Dates without a new start are dropped, and so is an empty line. */
function moveDates(
  line: string,
  { oldZone, newZone, isSameZone }: SeriesMove,
  newStartOf: (instant: number) => number | undefined,
): string[] {
  const { name, parameters, value } = parseLine(line);
  const dates = parseDates({ parameters, value }, oldZone).map((date) => {
    const instant = instantOfDate(date);
    return { text: date.text, instant, movedInstant: newStartOf(instant) };
  });
  if (isSameZone && dates.every(({ instant, movedInstant }) => movedInstant === instant)) return [line];
  const tzid = /TZID="?([^;"]+)/i.exec(parameters)?.[1];
  const zone = tzid !== undefined && isSameZone ? tzid : newZone;
  const formatLike = (instant: number, template: string): string => {
    const form = valueFormOf(template);
    if (form === 'date') return formatCompact(instant).slice(0, 8);
    return form === 'utc' ? `${formatCompact(instant)}Z` : formatCompact(clockOf(zone).toLocalTime(instant));
  };
  const movedDates = dates.flatMap(({ text, instant, movedInstant }) => {
    if (movedInstant === undefined) return [];
    const [periodStart = '', periodEnd] = text.split('/');
    const movedStart = formatLike(movedInstant, periodStart);
    if (!periodEnd) return [movedStart];
    // A period ends at a time, which moves along, or has a duration, which stays.
    const [endDate] = parseDates({ parameters, value: periodEnd }, oldZone);
    const movedEnd = endDate
      ? formatLike(movedInstant + instantOfDate(endDate) - instant, periodEnd)
      : periodEnd;
    return [`${movedStart}/${movedEnd}`];
  });
  if (movedDates.length === 0) return [];
  const newParameters = parameters.replace(/(TZID=)"?[^;"]+"?/i, (_all, key: string) => `${key}${zone}`);
  return [`${name}${newParameters && `;${newParameters}`}:${[...new Set(movedDates)].join(',')}`];
}

/** Whether a rule gives a start, ignoring COUNT and UNTIL. */
export function includesStart(line: string, start: EventTime): boolean {
  const parts = readRule(parseLine(line).value);
  if (!parts) return false;
  const local = clockOf(recurrenceZoneOf(start)).toLocalTime(startInstantOf(start));
  const starts = expandRule(withoutCount(parts), local, sharedLimits, false);
  return starts !== undefined && givesStart(starts, local);
}
