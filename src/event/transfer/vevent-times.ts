import { definedFields } from '../../core/json.ts';
import { isTimeZone, toIanaZone } from '../../core/time/time-zone.ts';
import { formatOffset } from '../../core/time/local-time.ts';
import { clockOf, zoneSpelling } from '../../core/time/zone-clock.ts';
import {
  type ContentLine,
  parameterOf,
  type Property,
  rawValueOf,
  type ComponentReader,
} from '../../icalendar/parse.ts';
import type { ZoneDefinition } from '../../icalendar/time-zone.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { formatCompact, parseLocal, valueFormOf } from '../../recurrence/rule.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import type { EventPatch } from '../model/fields.ts';

/** Time zones of a file. */
export interface FileZones {
  /** Zone of floating times. */
  readonly floatingZone: string;
  /** Zone of the calendar that receives the events. */
  readonly calendarZone: string;
  readonly definitions: ReadonlyMap<string, ZoneDefinition>;
}

const hourMs = 3_600_000;
/** Span in which a zone must have the offsets of a VTIMEZONE: ten years with three leap days. */
const comparedSpanMs = 3653 * dayMs;
/** Calendar years that this span can touch. */
const comparedYearCount = 11;
/** Occurrences whose times are compared: those of ten years of a daily series. */
const maxComparedOccurrences = 3653;
/** Span that is compared first: half a year, in which most zones change their offset. */
const firstComparedSpanMs = 200 * dayMs;

/** Local time of the file, or a day. */
interface FileTime {
  /** Epoch milliseconds as if in UTC. */
  readonly localMs: number;
  readonly isDay: boolean;
  /** TZID of the property; `UTC` for a time in UTC; absent for a floating time. */
  readonly tzid?: string | undefined;
  /** Instant of a computed time (epoch ms), since its local time may occur twice. */
  readonly instantMs?: number;
}

/** Placeholder for a missing or invalid start. */
const unknownTime: FileTime = { localMs: 0, isDay: false };

/** Clock of a time zone of the file. */
interface FileClock {
  /** Name of an IANA zone; absent for the offsets of a VTIMEZONE that no zone has. */
  readonly zone?: string;
  readonly toInstant: (localMs: number) => number;
  readonly toLocal: (instantMs: number) => number;
}

function createZoneClock(name: string): FileClock {
  const clock = clockOf(name);
  return {
    zone: zoneSpelling(name),
    toInstant: (localMs) => clock.toInstant(localMs),
    toLocal: (instantMs) => clock.toLocalTime(instantMs),
  };
}

/** Clock with the constant offset that a definition has at a local time. */
function clockOfDefinition({ offsetAt }: ZoneDefinition, nearLocalMs: number): FileClock {
  const offsetMs = offsetAt(nearLocalMs);
  return { toInstant: (localMs) => localMs - offsetMs, toLocal: (instantMs) => instantMs + offsetMs };
}

/** Reads the times of a VEVENT as fields of a body: start, end, recurrence and original start. */
export function readTimes(
  { linesOf, propertyOf, propertiesOf, textOf, pathTo, issue, warn }: ComponentReader,
  zones: FileZones,
): Record<string, unknown> {
  /** Time of a property; undefined, with an issue, for other values. */
  function readTime(property: Property): FileTime | undefined {
    // Reads the raw text, because a decoded value hides surplus digits.
    const raw = property.rawValue.trim().replace(/[-:]/g, '');
    const text = property.type === 'date' ? raw.replace(/T\d{6}Z?$/, '') : raw;
    const form = valueFormOf(text);
    if (form === null) {
      issue(property.name, `${property.name} is not a date or a time of the calendar.`);
      return undefined;
    }
    const tzid = form === 'utc' ? 'UTC' : form === 'date' ? undefined : parameterOf(property, 'tzid');
    return { localMs: parseLocal(text), isDay: form === 'date', tzid };
  }

  const readSingleTime = (name: string): FileTime | undefined => {
    const [property] = propertiesOf(name);
    return property && readTime(property);
  };

  /** Zone by its name in the IANA database or of Windows. */
  const namedZone = (tzid: string | undefined): string | undefined => {
    const zone = tzid === undefined ? zones.floatingZone : toIanaZone(tzid);
    return isTimeZone(zone) ? zone : undefined;
  };

  /** Clock of a time; undefined, with an issue, for an unknown zone. */
  function findClock(name: string, { tzid, localMs, isDay }: FileTime): FileClock | undefined {
    const zone = isDay ? 'UTC' : namedZone(tzid);
    if (zone !== undefined) return createZoneClock(zone);
    const definition = zones.definitions.get(tzid ?? '');
    if (definition) return clockOfDefinition(definition, localMs);
    issue(
      name,
      `The time zone ${JSON.stringify(tzid)} is neither one of IANA or Windows, nor defined in the text by offsets and yearly rules.`,
    );
    return undefined;
  }

  /**
   * Clock of a series. For a VTIMEZONE: that of the first zone with the same offsets at all its occurrences.
   */
  function findSeriesClock(start: FileTime): FileClock | undefined {
    const clock = findClock('DTSTART', start);
    const definition = zones.definitions.get(start.tzid ?? '');
    if (!clock || clock.zone !== undefined || !definition) return clock;
    const candidates = [
      definition.location,
      zoneForOffset(definition.offsetAt(start.localMs)),
      zones.calendarZone,
    ];
    const matchingZone = candidates.find(
      (zone) => zone !== undefined && isTimeZone(zone) && hasOffsetsOf(definition, start, zone),
    );
    if (matchingZone !== undefined) return createZoneClock(matchingZone);
    issue(
      'DTSTART',
      `No zone of IANA has the offsets that the text defines for the time zone ${JSON.stringify(start.tzid)}, which a recurring event needs.`,
    );
    return undefined;
  }

  /**
   * Whether a zone has the offsets of a definition, in all years of the compared span or at all occurrences
   * in it.
   */
  function hasOffsetsOf(
    { offsetAt, hasSameOffsetsInYear }: ZoneDefinition,
    start: FileTime,
    zone: string,
  ): boolean {
    const clock = clockOf(zone);
    const firstStartMs = clock.toInstant(start.localMs);
    const isEqualAt = (instantMs: number): boolean =>
      offsetAt(clock.toLocalTime(instantMs)) === clock.toLocalTime(instantMs) - instantMs;
    if (!isEqualAt(firstStartMs)) return false;
    const firstYear = new Date(start.localMs).getUTCFullYear();
    const years = Array.from({ length: comparedYearCount }, (_, index) => firstYear + index);
    if (years.every((year) => hasSameOffsetsInYear(zone, year))) return true;
    const occurrences = occurrencesOf({
      start: { dateTime: formatLocal(start.localMs), timeZone: zone },
      recurrence: recurrenceLines(start, zone),
    });
    // Occurrences are costly to compute, and the first ones tell most zones apart.
    return [firstComparedSpanMs, comparedSpanMs].every((spanMs) => {
      const { starts, hasMore } = occurrences.between(
        firstStartMs,
        firstStartMs + spanMs,
        maxComparedOccurrences,
      );
      return !hasMore && starts.every(isEqualAt);
    });
  }

  const hasValue = (line: ContentLine): boolean => rawValueOf(line).trim() !== '';

  const dateLists = ['RDATE', 'EXDATE']
    .flatMap(linesOf)
    .filter(hasValue)
    .flatMap((line) => propertyOf(line) ?? []);

  /** Recurrence lines in the zone of the series, which also stands for zones that only the file defines. */
  function recurrenceLines(start: FileTime, seriesZone: string): string[] {
    const rules = ['RRULE', 'EXRULE'].flatMap((name) =>
      linesOf(name).flatMap((line) => {
        const rule = rawValueOf(line).replace(/\s/g, '');
        return rule === '' ? [] : [`${name}:${withExactUntil(rule, start, seriesZone)}`];
      }),
    );
    const dates = dateLists.map((property): string => {
      const { name, type } = property;
      const value = property.rawValue.trim();
      // An all-day series has days only, so times of day are cut off.
      if (start.isDay) return `${name};VALUE=DATE:${value.replace(/(?:T\d+)?Z|T\d+/gi, '')}`;
      if (type === 'date' || /^\d{8}(?:,\d{8})*$/.test(value)) return `${name};VALUE=DATE:${value}`;
      const tzid = parameterOf(property, 'tzid');
      const zone = tzid === start.tzid ? seriesZone : (namedZone(tzid) ?? seriesZone);
      const parameters = `${type === 'period' ? ';VALUE=PERIOD' : ''};TZID=${zone}`;
      // A value in UTC must not have a TZID.
      return `${name}${/Z(?:,|\/|$)/.test(value) ? parameters.replace(/;TZID=.*/, '') : parameters}:${value}`;
    });
    return [...rules, ...dates];
  }

  function readOriginalStart(): EventPatch['originalStartTime'] {
    const [property] = propertiesOf('RECURRENCE-ID');
    if (!property) return undefined;
    if (parameterOf(property, 'range') !== undefined)
      issue(
        'RECURRENCE-ID',
        'A change of all following instances (RANGE) cannot be imported: export the series as several ones.',
      );
    const time = readTime(property);
    const clock = time && findClock('RECURRENCE-ID', time);
    return clock && toEventTime(time, clock);
  }

  interface EventEnd {
    readonly time: FileTime;
    readonly clock: FileClock;
    readonly isUnspecified?: true;
  }

  /** End of an event; an event without length lasts an hour, or a day. */
  function computeEnd(
    start: FileTime,
    clock: FileClock,
    duration: Duration | undefined,
  ): EventEnd | undefined {
    const sentEnd =
      linesOf('DTEND').length > 0
        ? readDtend(start, clock)
        : duration && endAfterDuration(start, clock, duration);
    if (!sentEnd) return undefined;
    const isEmpty =
      sentEnd.time.isDay === start.isDay &&
      (sentEnd.time.instantMs ?? sentEnd.clock.toInstant(sentEnd.time.localMs)) ===
        clock.toInstant(start.localMs);
    if (!isEmpty) return sentEnd;
    if (start.isDay) return { time: { localMs: start.localMs + dayMs, isDay: true }, clock };
    return { ...endAt(clock.toInstant(start.localMs) + hourMs, start, clock), isUnspecified: true };
  }

  function readDtend(start: FileTime, clock: FileClock): EventEnd | undefined {
    const time = readSingleTime('DTEND');
    if (!time) return undefined;
    if (time.tzid === start.tzid && clock.zone !== undefined && !start.isDay) return { time, clock };
    const endClock = findClock('DTEND', time);
    return endClock && { time, clock: endClock };
  }

  /** Duration of the event: zero without the property; undefined, with an issue, if it is invalid. */
  function readDuration(): Duration | undefined {
    const duration = parseDuration(textOf('DURATION')?.trim() ?? 'PT0S');
    if (!duration) issue('DURATION', 'DURATION must be a duration of RFC 5545, such as PT1H30M or P1D.');
    return duration;
  }

  /** End after a duration, whose days are those of the calendar and whose hours are exact. */
  function endAfterDuration(start: FileTime, clock: FileClock, { days, ms }: Duration): EventEnd {
    const endLocalMs = start.localMs + days * dayMs;
    if (!start.isDay) return endAt(clock.toInstant(endLocalMs) + ms, start, clock);
    return { time: { ...start, localMs: endLocalMs + Math.ceil(ms / dayMs) * dayMs }, clock };
  }

  const endAt = (instantMs: number, start: FileTime, clock: FileClock): EventEnd => ({
    time: { ...start, localMs: clock.toLocal(instantMs), instantMs },
    clock,
  });

  const start = readSingleTime('DTSTART');
  const original = readOriginalStart();
  const duration = readDuration();
  const recurringName = ['RRULE', 'EXRULE', 'RDATE'].find((name) => linesOf(name).some(hasValue));
  const isInstance = linesOf('RECURRENCE-ID').length > 0;
  if (recurringName !== undefined && isInstance)
    warn(pathTo(recurringName), `An instance does not recur itself: its ${recurringName} was ignored.`);
  const hasRecurrence = recurringName !== undefined && !isInstance;
  const clock = start && (hasRecurrence ? findSeriesClock(start) : findClock('DTSTART', start));
  const recurrence = hasRecurrence
    ? recurrenceLines(start ?? unknownTime, clock?.zone ?? zones.floatingZone)
    : undefined;
  if (!start || !clock) {
    // The other times are checked all the same.
    readSingleTime('DTEND');
    return definedFields({ recurrence, originalStartTime: original });
  }
  const end = computeEnd(start, clock, duration);
  return definedFields({
    start: toEventTime(start, clock),
    end: end && toEventTime(end.time, end.clock),
    endTimeUnspecified: end?.isUnspecified,
    recurrence,
    originalStartTime: original,
  });
}

/**
 * Converts UNTIL to the kind of the series: a day if it is all-day, otherwise a time in UTC. As in other
 * programs, a day in a timed series means its midnight, and a local time is in the zone of the series.
 */
const withExactUntil = (rule: string, { isDay }: FileTime, zone: string): string =>
  rule.replace(/(?<=(?:^|;)UNTIL=)[^;]*/i, (until) => {
    const form = valueFormOf(until);
    if (form === null || (isDay ? form === 'date' : form === 'utc')) return until;
    if (isDay) return until.slice(0, 8);
    return `${formatCompact(clockOf(zone).toInstant(parseLocal(until)))}Z`;
  });

const formatLocal = (localMs: number): string => new Date(localMs).toISOString().slice(0, 19);

function toEventTime({ localMs, isDay, tzid, instantMs }: FileTime, { zone, toInstant }: FileClock) {
  const localTime = formatLocal(localMs);
  if (isDay) return { date: localTime.slice(0, 10) };
  if (zone === undefined) return { dateTime: `${localTime}${formatOffset(localMs - toInstant(localMs))}` };
  const offset = tzid === 'UTC' ? 'Z' : instantMs === undefined ? '' : formatOffset(localMs - instantMs);
  return { dateTime: localTime + offset, timeZone: zone };
}

/** Zone with a constant offset of whole hours, whose name has the opposite sign. */
function zoneForOffset(zoneOffsetMs: number): string | undefined {
  const hours = zoneOffsetMs / hourMs;
  return Number.isInteger(hours) ? `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}` : undefined;
}

const durationPattern = /^([+-]?)P(?:(\d+)W|(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/i;

interface Duration {
  readonly days: number;
  /** Exact milliseconds beside the days. */
  readonly ms: number;
}

/** Parses a duration (RFC 5545, section 3.3.6) of at most some thousand years. */
function parseDuration(text: string): Duration | undefined {
  const match = durationPattern.exec(text);
  if (!match || !/\d/.test(text) || text.length > 24) return undefined;
  const [, sign, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  const factor = sign === '-' ? -1 : 1;
  const totalDays = Number(weeks) * 7 + Number(days);
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return totalDays * dayMs + ms > maxDurationMs ? undefined : { days: factor * totalDays, ms: factor * ms };
}

const maxDurationMs = 3_000_000 * dayMs;
