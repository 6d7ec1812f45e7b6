import { maxNameLength } from '../core/text/email.ts';
import type { EventTime } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { type Occurrences, occurrencesOf } from '../recurrence/occurrences.ts';
import { parseOriginalStart } from '../recurrence/original-start.ts';
import { formatCompact, parseLine, readRule } from '../recurrence/rule.ts';
import { includesStart } from '../recurrence/series-move.ts';
import { instantOfDate, parseDates, parseUntil } from '../recurrence/recurrence-set.ts';
import {
  cleanText,
  wrapComponent,
  formatContentLine,
  toSupportedZone,
  toMailtoUri,
  tzidOf,
  toSingleLine,
  type LineParameters,
  formatTextLine,
  escapeText,
  type TimeProperty,
  formatTimeProperty,
  type CalendarTime,
  toCalendarTime,
} from './content-lines.ts';

/** Organizer or guest. */
interface Person {
  readonly email: string;
  readonly displayName?: string | undefined;
}

/** Guest of an event, as its ATTENDEE shows it. */
interface Guest extends Person {
  readonly responseStatus?: keyof typeof participationStatuses | undefined;
  readonly optional?: boolean | undefined;
  readonly resource?: boolean | undefined;
}

/** An event, a series or an instance, as its VEVENT shows it. */
export interface WritableEvent {
  readonly uid: string;
  /** Time of the latest change, for DTSTAMP. */
  readonly changedAt: Date;
  readonly sequence?: number | undefined;
  readonly start?: EventTime | undefined;
  readonly end?: EventTime | undefined;
  readonly recurrence: readonly string[];
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  /** Absent: the VEVENT has no STATUS. */
  readonly status?: 'confirmed' | 'tentative' | 'cancelled' | undefined;
  readonly organizer: Person;
  readonly attendees: readonly Guest[];
  /** Asks guests for a response who have given none. */
  readonly requestsReply?: boolean;
  /** Content lines after all others. */
  readonly furtherLines?: readonly string[];
}

/** An instance of a series that differs from it. */
interface ChangedInstance {
  /** Original start: `yyyymmdd`, or `yyyymmddThhmmssZ` in UTC. */
  readonly original: string;
  readonly event: WritableEvent;
}

/** Instances of a series that its recurrence set does not describe. */
interface SeriesInstances {
  readonly changedInstances: readonly ChangedInstance[];
  /** Original starts at which nothing takes place. */
  readonly excludedOriginals: readonly string[];
}

/** Content line, or property with times that becomes lines in `formatVevent`. */
type EventLine = string | TimeProperty;

/** Ten years with three leap days. */
const tenYearsMs = 3653 * 86_400_000;
/** Maximum number of starts that are compared with EXRULEs. */
const maxStarts = 20_000;
/** Starts that are expanded in one step. */
const startsPerPage = 1000;

/** Last start that the lines must describe; endless series are described for ten years. */
const lastStartOf = (event: WritableEvent, start: CalendarTime, now: number): number =>
  occurrencesOf(event).lastStart() ?? Math.max(start.at, now) + tenYearsMs;

/** DTSTART of a series. A local time that occurs twice names the first, so a start at the second is moved one hour earlier. */
function toDtstart({ at, zone }: CalendarTime): CalendarTime {
  if (zone === undefined) return { at };
  const clock = clockOf(zone);
  return { at: clock.toInstant(clock.toLocalTime(at)), zone };
}

/**
 * Writes the recurrence set as the gateway expands it: no RDATE before the start, no durations, EXRULEs (RFC 2445) as EXDATEs. Readers
 * differ about a start that no rule gives, and about its part in COUNT, so it is also an RDATE, and COUNT is written as UNTIL.
 */
function formatRecurrence(
  event: WritableEvent,
  start: CalendarTime,
  now: number,
  excludedTimes: readonly CalendarTime[],
): { readonly lines: readonly EventLine[]; readonly expandedStartCount: number } {
  const { zone = 'UTC' } = start;
  const isAllDay = start.zone === undefined;
  const lines = event.recurrence.map(parseLine);
  const readDates = (propertyName: string): CalendarTime[] =>
    lines
      .filter(({ name }) => name === propertyName)
      .flatMap((line) => parseDates(line, zone))
      .map((date) => (isAllDay ? { at: date.local } : { at: instantOfDate(date), zone: date.zone }));
  const dtstart = toDtstart(start);
  // A moved DTSTART is excluded, and the actual start added as an RDATE.
  const [excludedStart, addedStart] = dtstart.at === start.at ? [[], []] : [[dtstart], [start]];
  const rules = lines
    .filter(({ name, value }) => name === 'RRULE' && readRule(value) !== undefined)
    .map(({ value }) => ({ value, givesStart: includesStart(`RRULE:${value}`, event.start ?? {}) }));
  const needsStartAsRdate = rules.length > 0 && !rules.some(({ givesStart }) => givesStart);
  const excludedByRules = listStartsExcludedByRules(event, start, now);
  const writtenLines = [
    ...rules.map(({ value, givesStart }) =>
      formatContentLine(
        'RRULE',
        formatRule(givesStart ? value : replaceCountByUntil(value, event), zone, isAllDay),
      ),
    ),
    {
      name: 'RDATE',
      times: uniqueTimes([
        ...(needsStartAsRdate ? [start] : addedStart),
        ...readDates('RDATE').filter(({ at }) => at >= start.at),
      ]).map(toUtcTime),
    },
    {
      name: 'EXDATE',
      times: uniqueTimes([
        ...excludedStart,
        ...readDates('EXDATE'),
        ...excludedByRules.starts,
        ...excludedTimes,
      ]),
    },
  ];
  return { lines: writtenLines, expandedStartCount: excludedByRules.expandedStartCount };
}

/** Replaces COUNT in a rule by UNTIL. Rules without COUNT stay the same. */
function replaceCountByUntil(value: string, { start }: WritableEvent): string {
  const lastRuleStart = /COUNT=/i.test(value)
    ? occurrencesOf({ start, recurrence: [`RRULE:${value}`] }).lastStart()
    : undefined;
  return lastRuleStart === undefined
    ? value
    : value.replace(/COUNT=[^;]*/i, `UNTIL=${formatCompact(lastRuleStart)}Z`);
}

/** Formats a rule with FREQ first; UNTIL is a date for all-day series, else a UTC time. */
function formatRule(value: string, zone: string, isAllDay: boolean): string {
  const parts = value
    .toUpperCase()
    .replace(/[^A-Z0-9=;,+-]/g, '')
    .split(';')
    .map((part) => {
      if (!part.startsWith('UNTIL=')) return part;
      const until = formatCompact(parseUntil(part.slice('UNTIL='.length), clockOf(zone)));
      // The first eight characters are the date.
      return `UNTIL=${isAllDay ? until.slice(0, 8) : `${until}Z`}`;
    });
  return [
    ...parts.filter((part) => part.startsWith('FREQ=')),
    ...parts.filter((part) => !part.startsWith('FREQ=')),
  ].join(';');
}

/** Lists the starts that EXRULEs exclude. `expandedStartCount`: the number of starts that were expanded for this. */
function listStartsExcludedByRules(
  event: WritableEvent,
  start: CalendarTime,
  now: number,
): { readonly starts: readonly CalendarTime[]; readonly expandedStartCount: number } {
  const recurrence = event.recurrence.filter((line) => parseLine(line).name !== 'EXRULE');
  if (recurrence.length === event.recurrence.length) return { starts: [], expandedStartCount: 0 };
  const seriesWithoutExrules = { ...event, recurrence };
  const starts = listStarts(
    occurrencesOf(seriesWithoutExrules),
    lastStartOf(seriesWithoutExrules, start, now),
  );
  const remainingStarts = new Set(listStarts(occurrencesOf(event), Math.max(start.at, ...starts.slice(-1))));
  return {
    starts: starts.filter((at) => !remainingStarts.has(at)).map((at) => ({ at, zone: start.zone })),
    expandedStartCount: starts.length + remainingStarts.size,
  };
}

/** Expands the starts up to `lastStart` (epoch ms), at most `maxStarts`. */
function listStarts(occurrences: Occurrences, lastStart: number): number[] {
  const starts: number[] = [];
  for (let hasMore = true; hasMore && starts.length < maxStarts;) {
    const page = occurrences.between((starts.at(-1) ?? -Infinity) + 1, lastStart + 1, startsPerPage);
    starts.push(...page.starts);
    hasMore = page.hasMore;
  }
  return starts;
}

/** Returns a time without its zone: libical ignores the TZID of an RDATE. */
const toUtcTime = ({ at, zone }: CalendarTime): CalendarTime =>
  zone === undefined ? { at } : { at, zone: 'UTC' };

const uniqueTimes = (times: readonly CalendarTime[]): CalendarTime[] => [
  ...new Map(times.map((time) => [time.at, time])).values(),
];

const participationStatuses = {
  needsAction: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
} as const;

/** VEVENT whose times are not formatted yet; see `formatVevent`. */
export interface WrittenEvent {
  readonly lines: readonly EventLine[];
  /** Latest end of its instances (epoch ms). */
  readonly lastEnd: number;
  /** Number of starts of the series that were expanded to write it. */
  readonly expandedStartCount?: number;
}

/** Writes a series without end for ten years from `now` (epoch ms), and its changed instances. */
export function writeSeries(
  series: WritableEvent,
  { changedInstances, excludedOriginals }: SeriesInstances,
  now: number,
): WrittenEvent[] {
  const start = toCalendarTime(series.start);
  if (!start || series.recurrence.length === 0) return [writeEvent(series)];
  const { zone = 'UTC' } = start;
  const excludedStarts = excludedOriginals.map((original) => parseOriginalTime(original, zone));
  const { lines, expandedStartCount } = formatRecurrence(series, start, now, excludedStarts);
  const writtenSeries = writeComponent(series, undefined, lines, toDtstart(start));
  return [
    {
      ...writtenSeries,
      lastEnd: lastStartOf(series, start, now) + writtenSeries.lastEnd - start.at,
      expandedStartCount,
    },
    ...changedInstances.map(({ original, event }) => writeInstance(event, original, zone)),
  ];
}

/** Writes an instance. `zone`: the zone in which its series recurs. */
export const writeInstance = (event: WritableEvent, original: string, zone: string): WrittenEvent =>
  writeComponent(event, parseOriginalTime(original, zone));

/** Writes an event that does not recur. */
export const writeEvent = (event: WritableEvent): WrittenEvent => writeComponent(event);

function parseOriginalTime(original: string, zone: string): CalendarTime {
  const at = parseOriginalStart(original);
  return original.includes('T') ? { at, zone: toSupportedZone(zone) } : { at };
}

/**
 * Writes a VEVENT. `dtstart`: the DTSTART of a series if it differs from the event's start; DTEND moves with
 * it.
 */
function writeComponent(
  event: WritableEvent,
  originalTime?: CalendarTime,
  recurrence: readonly EventLine[] = [],
  dtstart?: CalendarTime,
): WrittenEvent {
  const { organizer, requestsReply = false, status } = event;
  const [start, end] = [toCalendarTime(event.start), toCalendarTime(event.end)];
  const shiftMs = dtstart && start ? start.at - dtstart.at : 0;
  const hasDuration = start !== undefined && end !== undefined && end.at > start.at;
  const timeProperties = (name: string, time: CalendarTime | undefined): EventLine[] =>
    time ? [{ name, times: [time] }] : [];
  const textLines = (name: string, value: string | undefined): EventLine[] =>
    value ? [formatTextLine(name, value)] : [];
  return {
    lastEnd: hasDuration ? end.at : (start?.at ?? -Infinity),
    lines: [
      formatTextLine('UID', event.uid),
      formatContentLine('DTSTAMP', `${formatCompact(event.changedAt.getTime())}Z`),
      formatContentLine('SEQUENCE', String(event.sequence ?? 0)),
      ...timeProperties('RECURRENCE-ID', originalTime),
      ...timeProperties('DTSTART', dtstart ?? start),
      ...timeProperties('DTEND', hasDuration ? { ...end, at: end.at - shiftMs } : undefined),
      ...recurrence,
      formatContentLine('SUMMARY', escapeText(event.summary ?? '')),
      ...textLines('DESCRIPTION', event.description),
      ...textLines('LOCATION', event.location),
      ...(status === undefined ? [] : [formatContentLine('STATUS', status.toUpperCase())]),
      formatContentLine('ORGANIZER', toMailtoUri(organizer.email), { CN: displayNameOf(organizer) }),
      ...event.attendees.map((attendee) =>
        formatContentLine(
          'ATTENDEE',
          toMailtoUri(attendee.email),
          formatAttendeeParameters(attendee, requestsReply),
        ),
      ),
      ...(event.furtherLines ?? []),
    ],
  };
}

/** Returns the name of a person, shortened; the address of a person without a name. */
const displayNameOf = ({ displayName = '', email }: Person): string =>
  [...(toSingleLine(displayName) === '' ? email : cleanText(displayName))].slice(0, maxNameLength).join('');

function formatAttendeeParameters(guest: Guest, requestsReply: boolean): LineParameters {
  const { responseStatus = 'needsAction', optional, resource } = guest;
  return {
    CN: displayNameOf(guest),
    CUTYPE: resource ? 'RESOURCE' : 'INDIVIDUAL',
    ROLE: optional ? 'OPT-PARTICIPANT' : 'REQ-PARTICIPANT',
    PARTSTAT: participationStatuses[responseStatus],
    RSVP: requestsReply && responseStatus === 'needsAction' ? 'TRUE' : undefined,
  };
}

/** Lines of a VEVENT, not folded. */
export const formatVevent = ({ lines }: WrittenEvent): string[] =>
  wrapComponent(
    'VEVENT',
    lines.flatMap((line) => (typeof line === 'string' ? [line] : formatTimeProperty(line))),
  );

/** Returns the zones that an event names, each of which needs a VTIMEZONE, and the number and range of its times (epoch ms). */
export function zoneUsageOf({ lines, lastEnd }: WrittenEvent): {
  readonly zones: ReadonlySet<string>;
  readonly timeCount: number;
  readonly from: number;
  readonly to: number;
} {
  const times = lines.flatMap((line) => (typeof line === 'string' ? [] : line.times));
  return {
    timeCount: times.length,
    zones: new Set(times.map(tzidOf).filter((zone) => zone !== undefined)),
    from: times.reduce((earliest, { at }) => Math.min(earliest, at), Infinity),
    to: times.reduce((latest, { at }) => Math.max(latest, at), lastEnd),
  };
}
