import { definedFields } from '../../core/patch.ts';
import { isTimeZone, toIanaZone } from '../../core/time/time-zone.ts';
import { printOffset } from '../../core/time/local-time.ts';
import { clockOf, zoneSpelling } from '../../core/time/zone-clock.ts';
import { type ContentLine, parameterOf, type Property, rawValueOf } from '../../icalendar/parse.ts';
import type { ZoneDefinition } from '../../icalendar/zone-definition.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { formatCompact, parseLocal, valueFormOf } from '../../recurrence/lines.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import type { EventPatch } from '../model/fields.ts';
import type { ComponentReader } from './component-reader.ts';

/** Time zones of a file. */
export interface FileZones {
  /** Zone of floating times. */
  readonly floating: string;
  /** Zone of the calendar that receives the events. */
  readonly calendar: string;
  readonly definitions: ReadonlyMap<string, ZoneDefinition>;
}

const hourMs = 3_600_000;
/** Ten years with three leap days, for which the clock of a zone has to match. */
const comparedMs = 3653 * dayMs;
/** Calendar years that ten years can touch. */
const comparedYears = 11;
/** Occurrences whose times are compared: those of ten years of a daily series. */
const maxCompared = 3653;
/** Half a year, in which most zones change their clock. */
const comparedFirstMs = 200 * dayMs;

/** Local time of the file, or a day. */
interface FileTime {
  /** Epoch milliseconds as if in UTC. */
  readonly local: number;
  readonly isDay: boolean;
  /** TZID of the property; `UTC` for a time in UTC; absent for a floating time. */
  readonly tzid?: string | undefined;
}

/** Placeholder for a missing or invalid start. */
const unknownTime: FileTime = { local: 0, isDay: false };

/** Clock of a time zone of the file. */
interface FileClock {
  /** Name of an IANA zone; absent for the offsets of a VTIMEZONE that no zone has. */
  readonly zone?: string;
  readonly toInstant: (local: number) => number;
  readonly toLocal: (instant: number) => number;
}

function zoneClock(name: string): FileClock {
  const clock = clockOf(name);
  return {
    zone: zoneSpelling(name),
    toInstant: (local) => clock.toInstant(local),
    toLocal: (instant) => clock.toLocal(instant),
  };
}

/** Clock of a definition near a local time, whose offset it keeps. */
function definedClock({ offsetAt }: ZoneDefinition, near: number): FileClock {
  const offset = offsetAt(near);
  return { toInstant: (local) => local - offset, toLocal: (instant) => instant + offset };
}

/** Reads the times of a VEVENT as fields of a body: start, end, recurrence and original start. */
export function readTimes(
  { linesOf, propertyOf, propertiesOf, textOf, pathTo, issue, warn }: ComponentReader,
  zones: FileZones,
): Record<string, unknown> {
  /** Time of a property; undefined, with an issue, for other values. */
  function timeOf(property: Property, line: ContentLine): FileTime | undefined {
    // The text itself, because a decoded value hides digits that are too many.
    const raw = rawValueOf(line).trim().replace(/[-:]/g, '');
    const text = property.type === 'date' ? raw.replace(/T\d{6}Z?$/, '') : raw;
    const form = valueFormOf(text);
    if (form === null) {
      issue(property.name, `${property.name} is not a date or a time of the calendar.`);
      return undefined;
    }
    const tzid = form === 'utc' ? 'UTC' : form === 'date' ? undefined : parameterOf(property, 'tzid');
    return { local: parseLocal(text), isDay: form === 'date', tzid };
  }

  const singleTimeOf = (name: string): FileTime | undefined => {
    const [line] = linesOf(name);
    const [property] = propertiesOf(name);
    return line && property && timeOf(property, line);
  };

  /** Zone by its name in the IANA database or of Windows. */
  const namedZone = (tzid: string | undefined): string | undefined => {
    const zone = tzid === undefined ? zones.floating : toIanaZone(tzid);
    return isTimeZone(zone) ? zone : undefined;
  };

  /** Clock of a time; undefined, with an issue, for an unknown zone. */
  function clockAt(name: string, { tzid, local }: FileTime): FileClock | undefined {
    const zone = namedZone(tzid);
    if (zone !== undefined) return zoneClock(zone);
    const definition = zones.definitions.get(tzid ?? '');
    if (definition) return definedClock(definition, local);
    issue(
      name,
      `The time zone ${JSON.stringify(tzid)} is neither one of IANA or Windows, nor defined in the text by offsets and yearly rules.`,
    );
    return undefined;
  }

  /** Clock of a series. Offsets of a VTIMEZONE are those of the first zone in which all its occurrences have them. */
  function seriesClock(start: FileTime): FileClock | undefined {
    const clock = clockAt('DTSTART', start);
    const definition = zones.definitions.get(start.tzid ?? '');
    if (!clock || clock.zone !== undefined || !definition) return clock;
    const candidates = [definition.location, offsetZone(definition.offsetAt(start.local)), zones.calendar];
    const match = candidates.find(
      (zone) => zone !== undefined && isTimeZone(zone) && hasOffsetsOf(definition, start, zone),
    );
    if (match !== undefined) return zoneClock(match);
    issue(
      'DTSTART',
      `No zone of IANA has the offsets that the text defines for the time zone ${JSON.stringify(start.tzid)}, which a recurring event needs.`,
    );
    return undefined;
  }

  function hasOffsetsOf({ offsetAt, hasYearOf }: ZoneDefinition, start: FileTime, zone: string): boolean {
    const clock = clockOf(zone);
    const first = clock.toInstant(start.local);
    const isEqualAt = (at: number): boolean => offsetAt(clock.toLocal(at)) === clock.toLocal(at) - at;
    if (!isEqualAt(first)) return false;
    const firstYear = new Date(start.local).getUTCFullYear();
    const years = Array.from({ length: comparedYears }, (_, index) => firstYear + index);
    if (years.every((year) => hasYearOf(zone, year))) return true;
    const occurrences = occurrencesOf({
      start: { dateTime: isoLocal(start.local), timeZone: zone },
      recurrence: recurrenceLines(start, zone),
    });
    // Occurrences are costly to compute, and the first ones tell most zones apart.
    return [comparedFirstMs, comparedMs].every((length) => {
      const { starts, hasMore } = occurrences.between(first, first + length, maxCompared);
      return !hasMore && starts.every(isEqualAt);
    });
  }

  /** Properties that list dates. */
  const dateLists = ['RDATE', 'EXDATE'].flatMap(linesOf).flatMap((line) => {
    const value = rawValueOf(line).trim();
    const property = value === '' ? undefined : propertyOf(line);
    return property ? [{ name: line.name, value, property }] : [];
  });

  /** Recurrence lines by the zone of the series. Dates in a zone that only the file defines are in that of the series. */
  function recurrenceLines(start: FileTime, seriesZone: string): string[] {
    const rules = ['RRULE', 'EXRULE'].flatMap((name) =>
      linesOf(name).flatMap((line) => {
        const rule = rawValueOf(line).replace(/\s/g, '');
        return rule === '' ? [] : [`${name}:${withExactUntil(rule, start, seriesZone)}`];
      }),
    );
    const dates = dateLists.map(({ name, value, property }): string => {
      if (start.isDay) return `${name};VALUE=DATE:${value.replace(/(?:T\d+)?Z|T\d+/gi, '')}`;
      if (property.type === 'date' || /^\d{8}(?:,\d{8})*$/.test(value)) return `${name};VALUE=DATE:${value}`;
      const tzid = parameterOf(property, 'tzid');
      const zone = tzid === start.tzid ? seriesZone : (namedZone(tzid) ?? seriesZone);
      const parameters = `${property.type === 'period' ? ';VALUE=PERIOD' : ''};TZID=${zone}`;
      return `${name}${/Z(?:,|\/|$)/.test(value) ? parameters.replace(/;TZID=.*/, '') : parameters}:${value}`;
    });
    return [...rules, ...dates];
  }

  function startClock(start: FileTime, hasRecurrence: boolean): FileClock | undefined {
    if (start.isDay) return zoneClock('UTC');
    return hasRecurrence ? seriesClock(start) : clockAt('DTSTART', start);
  }

  function originalStart(): EventPatch['originalStartTime'] {
    const [line] = linesOf('RECURRENCE-ID');
    const [property] = propertiesOf('RECURRENCE-ID');
    if (!line || !property) return undefined;
    if (parameterOf(property, 'range') !== undefined)
      issue(
        'RECURRENCE-ID',
        'A change of all following instances (RANGE) cannot be imported: export the series as several ones.',
      );
    const time = timeOf(property, line);
    const clock = time && (time.isDay ? zoneClock('UTC') : clockAt('RECURRENCE-ID', time));
    return clock && toEventTime(time, clock);
  }

  interface End {
    readonly time: FileTime;
    readonly clock: FileClock;
    readonly isUnspecified?: true;
  }

  /** End of an event. One without length lasts an hour, or a day. */
  function endOf(start: FileTime, clock: FileClock, duration: Duration | undefined): End | undefined {
    const given =
      linesOf('DTEND').length > 0
        ? givenEnd(start, clock)
        : duration && endAfterDuration(start, clock, duration);
    if (!given) return undefined;
    const isEmpty =
      given.time.isDay === start.isDay &&
      given.clock.toInstant(given.time.local) === clock.toInstant(start.local);
    if (!isEmpty) return given;
    if (start.isDay) return { time: { local: start.local + dayMs, isDay: true }, clock };
    const local = clock.toLocal(clock.toInstant(start.local) + hourMs);
    return { time: { ...start, local }, clock, isUnspecified: true };
  }

  function givenEnd(start: FileTime, clock: FileClock): End | undefined {
    const time = singleTimeOf('DTEND');
    if (!time) return undefined;
    if (time.isDay) return { time, clock: zoneClock('UTC') };
    if (time.tzid === start.tzid && clock.zone !== undefined && !start.isDay) return { time, clock };
    const endClock = clockAt('DTEND', time);
    return endClock && { time, clock: endClock };
  }

  /** Duration of the event: none without the property, and undefined, with an issue, if it is wrong. */
  function durationOf(): Duration | undefined {
    const duration = parseDuration(textOf('DURATION')?.trim() ?? 'PT0S');
    if (!duration) issue('DURATION', 'DURATION must be a duration of RFC 5545, such as PT1H30M or P1D.');
    return duration;
  }

  /** End after a duration, whose days are those of the calendar and whose hours are exact. */
  function endAfterDuration(start: FileTime, clock: FileClock, { days, ms }: Duration): End {
    const local = start.local + days * dayMs;
    return {
      time: {
        ...start,
        local: start.isDay
          ? local + Math.ceil(ms / dayMs) * dayMs
          : clock.toLocal(clock.toInstant(local) + ms),
      },
      clock,
    };
  }

  const start = singleTimeOf('DTSTART');
  const original = originalStart();
  const duration = durationOf();
  const [recurringName] = ['RRULE', 'EXRULE', 'RDATE'].filter((name) =>
    linesOf(name).some((line) => rawValueOf(line).trim() !== ''),
  );
  const isInstance = linesOf('RECURRENCE-ID').length > 0;
  if (recurringName !== undefined && isInstance)
    warn(pathTo(recurringName), `An instance does not recur itself: its ${recurringName} was ignored.`);
  const hasRecurrence = recurringName !== undefined && !isInstance;
  const clock = start && startClock(start, hasRecurrence);
  const recurrence = hasRecurrence
    ? recurrenceLines(start ?? unknownTime, clock?.zone ?? zones.floating)
    : undefined;
  if (!start || !clock) {
    // The other times are checked all the same.
    singleTimeOf('DTEND');
    return definedFields({ recurrence, originalStartTime: original });
  }
  const end = endOf(start, clock, duration);
  return definedFields({
    start: toEventTime(start, clock),
    end: end && toEventTime(end.time, end.clock),
    endTimeUnspecified: end?.isUnspecified,
    recurrence,
    originalStartTime: original,
  });
}

/**
 * UNTIL as an import needs it: a day in a series of days, otherwise an instant. As in other programs, a day ends a timed
 * series at its beginning, and a local time is one of the series.
 */
const withExactUntil = (rule: string, { isDay }: FileTime, zone: string): string =>
  rule.replace(/(?<=(?:^|;)UNTIL=)[^;]*/i, (until) => {
    const form = valueFormOf(until);
    if (form === null || (isDay ? form === 'date' : form === 'utc')) return until;
    if (isDay) return until.slice(0, 8);
    return `${formatCompact(clockOf(zone).toInstant(parseLocal(until)))}Z`;
  });

const isoLocal = (local: number): string => new Date(local).toISOString().slice(0, 19);

function toEventTime({ local, isDay, tzid }: FileTime, { zone, toInstant }: FileClock) {
  if (isDay) return { date: isoLocal(local).slice(0, 10) };
  if (zone !== undefined) return { dateTime: isoLocal(local) + (tzid === 'UTC' ? 'Z' : ''), timeZone: zone };
  return { dateTime: `${isoLocal(local)}${printOffset(local - toInstant(local))}` };
}

/** Zone with a constant offset of whole hours, whose name has the opposite sign. */
function offsetZone(offset: number): string | undefined {
  const hours = offset / hourMs;
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
