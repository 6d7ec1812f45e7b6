import { instantAt, offsetAt } from '../core/time/local-time.ts';
import { isTimeZone, windowsToIana } from '../core/time/time-zone.ts';
import { type EventTime, kindOf } from '../core/time/time.ts';
import { lastSecondOfDayMs } from './calendar-days.ts';
import { formatCompact, valueFormOf, parseLocal, parseLine } from './rule.ts';

/** Functions that need the clocks of all zones; browser-side validation replaces them (`browserTimeTools`). */
export interface TimeTools {
  /** Returns a zone in the spelling of the IANA database. */
  readonly canonicalZone: (zone: string) => string;
  /** Starts (`yyyymmddThhmmssZ`) on days (`yyyymmdd`); undefined for more than `maxStarts`, or if the search would take too long. */
  readonly startsOn: (
    series: { readonly start: EventTime; readonly recurrence: readonly string[] },
    days: readonly string[],
    maxStarts: number,
  ) => readonly string[] | undefined;
}

/** Tools for browsers. Each day counts as one occurrence, since occurrences cannot be computed there. */
export const browserTimeTools: TimeTools = {
  canonicalZone: (zone) => zone,
  startsOn: (_series, days) => days.map((day) => `${day}T000000Z`),
};

/** Properties of the series to which lines belong. */
interface LineContext {
  /** New start of the event; if unknown, only the spelling of lines is normalized. */
  readonly start: EventTime | undefined;
  /** Time zone of the calendar. */
  readonly zone: string;
  readonly tools: TimeTools;
}

/** Stored form of one sent line. */
export interface StoredLine {
  /** Stored lines: none if nothing is excluded any more, several if one would be too long. */
  readonly lines: readonly string[];
  /** Whether the stored line differs from the sent one at most in the spelling of zones. */
  readonly isUnchanged: boolean;
  /** Set if the line excludes more days or occurrences than a series may exclude. */
  readonly excludesTooMany?: true;
}

/**
 * Maximum number of days that the EXDATE lines of a series may name, and of occurrences that they may
 * exclude.
 */
export const maxExcludedOccurrences = 2_500;
export const tooManyExcludedMessage = `EXDATE lines of days may name at most ${maxExcludedOccurrences} days in all, and exclude at most as many occurrences. Change the rule, or end it with UNTIL.`;
/** Maximum number of dates in an EXDATE line, which keeps lines below the limit of their length. */
const maxDatesPerLine = 400;
const printablePattern = /^[\x20-\x7e]*$/;
/** Whether a parameter has no meaning here: empty, or an extension. */
const isRedundantParameter = (part: string): boolean => part === '' || /^X-/i.test(part);

/** Converts recurrence lines to their stored form, which RFC 5545 and Google's API share. Invalid lines stay unchanged. */
export function toStoredLines(
  sentLines: readonly string[],
  { start: sentStart, zone, tools }: LineContext,
): StoredLine[] {
  const start = kindOf(sentStart) === null ? undefined : sentStart;
  const storedLines = sentLines.map((text) => normalizeLine(text, { start, zone, tools }));
  if (start?.dateTime === undefined) return storedLines;
  const otherLines = storedLines.flatMap(({ lines }) => lines.filter((text) => !text.startsWith('EXDATE')));
  if (!otherLines.some((text) => text.startsWith('R'))) return storedLines;
  let [remainingOccurrences, remainingDays] = [maxExcludedOccurrences, maxExcludedOccurrences];
  return storedLines.map((line) => {
    const days = excludedDaysOf(line.lines[0] ?? '');
    if (!days) return line;
    remainingDays -= days.length;
    const starts =
      remainingDays < 0
        ? undefined
        : tools.startsOn({ start, recurrence: otherLines }, days, remainingOccurrences);
    if (!starts) return { ...line, excludesTooMany: true };
    remainingOccurrences -= starts.length;
    return { lines: createExclusionLines('EXDATE', starts), isUnchanged: false };
  });
}

/** Creates lines with these dates, at most `maxDatesPerLine` each. */
export function createExclusionLines(name: string, dates: readonly string[]): string[] {
  const lines: string[] = [];
  for (let offset = 0; offset < dates.length; offset += maxDatesPerLine)
    lines.push(`${name}:${dates.slice(offset, offset + maxDatesPerLine).join(',')}`);
  return lines;
}

/** Returns the days of an EXDATE line that names only days; undefined for other lines. */
function excludedDaysOf(text: string): string[] | undefined {
  const [, parameters, value = ''] = /^EXDATE((?:;VALUE=DATE(?:-TIME)?)?):(.*)$/.exec(text) ?? [];
  const days = value.split(',');
  return parameters !== undefined && days.every((day) => valueFormOf(day) === 'date')
    ? [...new Set(days)]
    : undefined;
}

/** Normalizes a line: upper case, without redundant parts, with dates of the kind of the start. */
function normalizeLine(sentLine: string, context: LineContext): StoredLine {
  const trimmedLine = sentLine.trim();
  const { name: propertyName, parameters: sentParameters, value } = parseLine(trimmedLine);
  // Upper case could turn other letters into ASCII.
  if (propertyName === '' || !printablePattern.test(trimmedLine))
    return { lines: [sentLine], isUnchanged: true };
  const parameters = sentParameters
    .split(';')
    .filter((part) => !isRedundantParameter(part))
    .map((part) => normalizeParameter(part));
  const storedValue = propertyName.endsWith('RULE')
    ? normalizeRule(value, context)
    : normalizeDates(propertyName, parameters, value.toUpperCase().replace(/;+$/, ''), context);
  const storedText = `${[propertyName, ...parameters].join(';')}:${storedValue}`;
  return {
    lines: [respellZone(storedText, context.tools.canonicalZone)],
    isUnchanged: storedText === sentLine,
  };
}

function normalizeParameter(part: string): string {
  const [name = '', value] = part.split(/=(.*)/s);
  if (value === undefined) return part;
  if (/^VALUE$/i.test(name)) return `VALUE=${value.toUpperCase()}`;
  if (!/^TZID$/i.test(name)) return part;
  return `TZID=${windowsToIana(value.replace(/^"(.*)"$/, '$1')) ?? value}`;
}

const respellZone = (line: string, canonicalZone: TimeTools['canonicalZone']): string =>
  line.replace(
    /^([^:]*;TZID="?)([^;:"]+)/,
    (_all, prefix: string, zone: string) => prefix + canonicalZone(zone),
  );

function normalizeRule(value: string, { start, zone }: LineContext): string {
  const isAllDay = start?.date !== undefined;
  const parts = value.toUpperCase().replace(/;+$/, '').split(';');
  return parts
    .filter((part) => !(part.startsWith('X-') || (isAllDay && /^BY(HOUR|MINUTE|SECOND)=/.test(part))))
    .map((part) => {
      const until = /^UNTIL=(.*)$/.exec(part)?.[1];
      return until === undefined || !start ? part : `UNTIL=${normalizeUntil(until, start, zone)}`;
    })
    .join(';');
}

function normalizeUntil(text: string, start: EventTime, calendarZone: string): string {
  if (start.date !== undefined) return toDay(text, start, calendarZone);
  if (valueFormOf(text) !== 'date') return text;
  const zone = start.timeZone ?? 'UTC';
  if (!isTimeZone(zone)) return text;
  return `${formatCompact(instantAt(parseLocal(text) + lastSecondOfDayMs, zone))}Z`;
}

/** Reduces a date or time of an all-day series to its day; other text stays unchanged. */
function toDay(text: string, { timeZone }: EventTime, calendarZone: string): string {
  const form = valueFormOf(text);
  if (form === null) return text;
  const day = text.slice(0, 8);
  if (form !== 'utc' || /T(?:000000|235959)Z$/.test(text)) return day;
  const zone = [timeZone, calendarZone].find((name) => name !== undefined && isTimeZone(name)) ?? 'UTC';
  const instant = parseLocal(text);
  return formatCompact(instant + offsetAt(instant, zone)).slice(0, 8);
}

/** Normalizes the dates of a line. Replaces `parameters` if the kind of the values changes. */
function normalizeDates(
  propertyName: string,
  parameters: string[],
  value: string,
  { start, zone }: LineContext,
): string {
  if (propertyName !== 'EXDATE' || start?.date === undefined) return value;
  const dates = value.split(',');
  if (parameters.includes('VALUE=DATE') || !dates.every((date) => valueFormOf(date) !== null)) return value;
  // A UTC time contradicts TZID.
  const hasTzid = parameters.some((part) => part.startsWith('TZID='));
  if (hasTzid && dates.some((date) => valueFormOf(date) === 'utc')) return value;
  parameters.splice(0, parameters.length, 'VALUE=DATE');
  return [...new Set(dates.map((date) => toDay(date, start, zone)))].join(',');
}
