import { instantAt, offsetAt } from '../core/time/local-time.ts';
import { isTimeZone, zoneOfWindows } from '../core/time/time-zone.ts';
import { type EventTime, kindOf } from '../core/time/time.ts';
import { compact, formOf, numberOf, partsOf } from './lines.ts';

/** Tools that need the clocks of all zones and the occurrences of series: servers have them, the checks of browsers do not. */
export interface TimeTools {
  /** A zone in the spelling of the IANA database. */
  readonly spelled: (zone: string) => string;
  /**
   * The starts of a timed series' occurrences (`yyyymmddThhmmssZ`) on some of the days of its zone (`yyyymmdd`);
   * undefined for more than `most`, and where the search would take too long.
   */
  readonly startsOn: (
    series: { readonly start: EventTime; readonly recurrence: readonly string[] },
    days: readonly string[],
    most: number,
  ) => readonly string[] | undefined;
}

/** Tools without clocks and occurrences: days stand for what starts on them. */
export const withoutClocks: TimeTools = {
  spelled: (zone) => zone,
  startsOn: (_series, days) => days.map((day) => `${day}T000000Z`),
};

interface LineContext {
  /** Start of the event as it will be; absent where that is not known: then lines are only spelled. */
  readonly start: EventTime | undefined;
  /** Zone of the calendar. */
  readonly zone: string;
  readonly tools: TimeTools;
}

/** A line in the form in which it is stored. */
export interface StoredLine {
  /** Lines that it becomes: none where nothing is left of it, several where one would be too long. */
  readonly lines: readonly string[];
  /** True where only the spelling of zones differs. */
  readonly isSame: boolean;
  /** The line names more days or occurrences than one series may exclude. */
  readonly tooMany?: true;
}

export const maxExcludedOccurrences = 2_500;
export const tooManyExcluded = `EXDATE lines of days may name at most ${maxExcludedOccurrences} days in all, and exclude at most as many occurrences. Change the rule, or end it with UNTIL.`;
const datesInLine = 400;
const printable = /^[\x20-\x7e]*$/;
const isExtra = (part: string): boolean => part === '' || /^X-/i.test(part);

/** The lines of a recurrence in the forms in which they are stored (contract, section 14). Lines that break a rule stay as they are. */
export function storedLines(
  sent: readonly string[],
  { start: given, zone, tools }: LineContext,
): StoredLine[] {
  const start = kindOf(given) === null ? undefined : given;
  const spelled = sent.map((text) => spelledLine(text, { start, zone, tools }));
  if (start?.dateTime === undefined) return spelled;
  const others = spelled.flatMap(({ lines }) => lines.filter((text) => !text.startsWith('EXDATE')));
  if (!others.some((text) => text.startsWith('R'))) return spelled;
  let [left, daysLeft] = [maxExcludedOccurrences, maxExcludedOccurrences];
  return spelled.map((one) => {
    const days = daysExcluded(one.lines[0] ?? '');
    if (!days) return one;
    daysLeft -= days.length;
    const starts = daysLeft < 0 ? undefined : tools.startsOn({ start, recurrence: others }, days, left);
    if (!starts) return { ...one, tooMany: true };
    left -= starts.length;
    return { lines: excludingLines('EXDATE', starts), isSame: false };
  });
}

/** Lines of dates that a series excludes, none longer than a line may be. */
export function excludingLines(name: string, dates: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < dates.length; at += datesInLine)
    lines.push(`${name}:${dates.slice(at, at + datesInLine).join(',')}`);
  return lines;
}

/** The days that an EXDATE of a timed series names, each once; undefined for a line of another kind. */
function daysExcluded(text: string): string[] | undefined {
  const [, parameters, value = ''] = /^EXDATE((?:;VALUE=DATE(?:-TIME)?)?):(.*)$/.exec(text) ?? [];
  const days = value.split(',');
  return parameters !== undefined && days.every((day) => formOf(day) === 'date')
    ? [...new Set(days)]
    : undefined;
}

/** A line by itself: its name and parts in upper case, without what says nothing, its dates as the kind of the start asks for. */
function spelledLine(sent: string, facts: LineContext): StoredLine {
  const trimmed = sent.trim();
  const { name, parameters: given, value } = partsOf(trimmed);
  const kind = name.toUpperCase();
  // Upper case would turn a foreign letter into another one.
  if (kind === '' || !printable.test(trimmed)) return { lines: [sent], isSame: true };
  const parameters = given
    .split(';')
    .filter((part) => !isExtra(part))
    .map((part) => parameterOf(part));
  const written = kind.endsWith('RULE')
    ? ruleOf(value, facts)
    : datesOf(kind, parameters, value.toUpperCase().replace(/;+$/, ''), facts);
  const text = `${[kind, ...parameters].join(';')}:${written}`;
  return { lines: [withZone(text, facts.tools.spelled)], isSame: text === sent };
}

function parameterOf(part: string): string {
  const [name = '', value] = part.split(/=(.*)/s);
  if (value === undefined) return part;
  if (/^VALUE$/i.test(name)) return `VALUE=${value.toUpperCase()}`;
  if (!/^TZID$/i.test(name)) return part;
  return `TZID=${zoneOfWindows(value.replace(/^"(.*)"$/, '$1')) ?? value}`;
}

const withZone = (text: string, spelled: TimeTools['spelled']): string =>
  text.replace(/^([^:]*;TZID="?)([^;:"]+)/, (_all, before: string, zone: string) => before + spelled(zone));

function ruleOf(value: string, { start, zone }: LineContext): string {
  const isDay = start?.date !== undefined;
  const parts = value.toUpperCase().replace(/;+$/, '').split(';');
  return parts
    .filter((part) => !(part.startsWith('X-') || (isDay && /^BY(HOUR|MINUTE|SECOND)=/.test(part))))
    .map((part) => {
      const until = /^UNTIL=(.*)$/.exec(part)?.[1];
      return until === undefined || !start ? part : `UNTIL=${untilOf(until, start, zone)}`;
    })
    .join(';');
}

function untilOf(text: string, start: EventTime, calendarZone: string): string {
  if (start.date !== undefined) return dayOf(text, start, calendarZone);
  if (formOf(text) !== 'date') return text;
  const own = start.timeZone ?? 'UTC';
  if (!isTimeZone(own)) return text;
  return `${compact(instantAt(numberOf(text) + 86_399_000, own))}Z`;
}

/** The day of a date or a time of an all-day series; a text that is neither stays. */
function dayOf(text: string, { timeZone }: EventTime, calendarZone: string): string {
  const form = formOf(text);
  if (form === null) return text;
  const day = text.slice(0, 8);
  if (form !== 'utc' || /T(?:000000|235959)Z$/.test(text)) return day;
  const zone = [timeZone, calendarZone].find((name) => name !== undefined && isTimeZone(name)) ?? 'UTC';
  const instant = numberOf(text);
  return compact(instant + offsetAt(instant, zone)).slice(0, 8);
}

/** The dates of a line. Changes `parameters`, where the kind of its values changes. */
function datesOf(kind: string, parameters: string[], value: string, { start, zone }: LineContext): string {
  if (kind !== 'EXDATE' || start?.date === undefined) return value;
  const dates = value.split(',');
  if (parameters.includes('VALUE=DATE') || !dates.every((date) => formOf(date) !== null)) return value;
  // A time in UTC beside a TZID says two things.
  const isLocal = parameters.some((part) => part.startsWith('TZID='));
  if (isLocal && dates.some((date) => formOf(date) === 'utc')) return value;
  parameters.splice(0, parameters.length, 'VALUE=DATE');
  return [...new Set(dates.map((date) => dayOf(date, start, zone)))].join(',');
}
