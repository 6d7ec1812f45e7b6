import type { Path, Reason, WarningReason } from '../../core/errors.ts';
import { Report } from '../../core/report.ts';
import { addressKey, isEmail } from '../../core/text/email.ts';
import { isTimeZone, toIanaZone } from '../../core/time/time-zone.ts';
import { printOffset } from '../../core/time/local-time.ts';
import { clockOf, zoneSpelling } from '../../core/time/zone-clock.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { formatCompact, parseLocal, valueFormOf } from '../../recurrence/lines.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';
import {
  type Component,
  type ContentLine,
  parameterOf,
  type Property,
  rawValueOf,
  readProperty,
} from '../../icalendar/parse.ts';
import type { ZoneDefinition } from '../../icalendar/zone-definition.ts';
import type { EventPatch } from '../model/fields.ts';

/** Time zones of a file. */
export interface FileZones {
  /** Zone of floating times. */
  readonly floating: string;
  /** Zone of the calendar that receives the events. */
  readonly calendar: string;
  readonly definitions: ReadonlyMap<string, ZoneDefinition>;
}

/** VEVENT as the body of an import. */
export interface ImportedComponent {
  readonly index: number;
  /** A changed instance of a series (RECURRENCE-ID). */
  readonly isInstance: boolean;
  readonly body: EventPatch;
  /** Issues and warnings of the text, by paths that begin with `icalendar` and the index. */
  readonly report: Report;
  /** Converts a path of the body, which begins with `event`, to one of the file. */
  readonly toFilePath: (path: Path) => Path;
}

const hourMs = 3_600_000;
/** Ten years with three leap days, for which the clock of a zone has to match. */
const comparedMs = 3653 * dayMs;
/** Calendar years that ten years are part of. */
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

/** Stands for a start that is missing or wrong. */
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

/** Reads a VEVENT as the body of an import. */
export function readComponent(component: Component, index: number, zones: FileZones): ImportedComponent {
  const report = new Report();
  const reader = createReader(component, index, zones, report);
  const body = { ...reader.texts(), ...reader.people(), ...reader.times() } as EventPatch;
  const isInstance = component.lines.some(({ name }) => name === 'RECURRENCE-ID');
  return { index, isInstance, body, report, toFilePath: (path) => reader.toFilePath(body, path) };
}

function createReader(component: Component, index: number, zones: FileZones, report: Report) {
  const pathTo = (name: string, ...rest: Path): Path => ['icalendar', index, name, ...rest];
  const linesOf = (name: string): ContentLine[] => component.lines.filter((line) => line.name === name);
  const issue = (name: string, message: string, reason: Reason = 'invalid'): void =>
    report.issue(pathTo(name), reason, message);
  const warn = (path: Path, message: string, reason: WarningReason = 'ignored'): void =>
    report.warn(path, reason, message);

  /** Decoded properties of a name. One that is not valid is an issue. */
  const propertiesOf = (name: string): Property[] =>
    linesOf(name).flatMap((line) => {
      const property = readProperty(line);
      if (!property) issue(name, `Line ${line.line} of the text is not a valid property.`);
      return property ?? [];
    });
  const textOf = (name: string): string | undefined => {
    const value = propertiesOf(name)[0]?.values.join(',');
    return value === '' ? undefined : value;
  };

  /** Value of an enumeration by its name in iCalendar. */
  function choiceOf<Value>(name: string, values: Readonly<Record<string, Value>>): Value | undefined {
    const text = textOf(name)?.toUpperCase();
    const value = text === undefined ? undefined : values[text];
    if (text !== undefined && value === undefined)
      warn(pathTo(name), `${name} is none of ${Object.keys(values).join(', ')}: your value was ignored.`);
    return value;
  }

  function texts(): Record<string, unknown> {
    const sequence = textOf('SEQUENCE');
    const created = linesOf('CREATED').map(rawValueOf)[0]?.trim();
    if (created !== undefined && valueFormOf(created) !== 'utc')
      warn(pathTo('CREATED'), 'CREATED is not a time in UTC: your value was ignored.');
    return defined({
      iCalUID: textOf('UID'),
      summary: textOf('SUMMARY'),
      description: textOf('DESCRIPTION'),
      location: textOf('LOCATION'),
      status: choiceOf('STATUS', {
        CONFIRMED: 'confirmed',
        TENTATIVE: 'tentative',
        CANCELLED: 'cancelled',
      }),
      visibility: choiceOf('CLASS', {
        PUBLIC: 'public',
        PRIVATE: 'private',
        CONFIDENTIAL: 'confidential',
      }),
      transparency: choiceOf('TRANSP', { OPAQUE: 'opaque', TRANSPARENT: 'transparent' }),
      sequence: sequence === undefined ? undefined : Number(sequence),
      created:
        created !== undefined && valueFormOf(created) === 'utc' ? isoInstant(parseLocal(created)) : undefined,
    });
  }

  /** Organizer and guests. Without a guest other than the organizer, the event is the calendar owner's own. */
  function people(): Pick<EventPatch, 'attendees' | 'organizer'> {
    const organizers = propertiesOf('ORGANIZER');
    const organizer = organizers[0] && addressOf(organizers[0]);
    if (organizers[0] && organizer === undefined)
      warn(pathTo('ORGANIZER'), 'The organizer has no e-mail address: your value was ignored.');
    const guests = new Map<string, NonNullable<NonNullable<EventPatch['attendees']>[number]>>();
    const guestLines = linesOf('ATTENDEE').length;
    if (guestLines > maxGuestLines)
      issue(
        'ATTENDEE',
        `An event may list ${maxGuestLines} guests; this one lists ${guestLines}.`,
        'tooMany',
      );
    const listed = guestLines > maxGuestLines ? [] : propertiesOf('ATTENDEE');
    for (const [position, property] of listed.entries()) {
      const email = addressOf(property);
      if (email === undefined) {
        warn(pathTo('ATTENDEE', position), 'The guest has no e-mail address: this entry was ignored.');
        continue;
      }
      const key = addressKey(email);
      if (guests.has(key))
        warn(pathTo('ATTENDEE', position), 'The address is listed twice: the last entry counts.');
      guests.set(key, guestOf(property, email));
    }
    const organizerKey = organizer === undefined ? undefined : addressKey(organizer);
    if (![...guests.keys()].some((key) => key !== organizerKey)) return {};
    const displayName = organizers[0] && nameOf(organizers[0]);
    return {
      attendees: [...guests.values()],
      ...(organizer !== undefined && { organizer: defined({ email: organizer, displayName }) }),
    };
  }

  /** Time of a property; undefined, with an issue, if it is not one. */
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
    // Occurrences are costly to compute, and the first ones tell most zones apart.
    return [comparedFirstMs, comparedMs].every((length) =>
      occurrencesOf({
        start: { dateTime: isoLocal(start.local), timeZone: zone },
        recurrence: recurrenceLines(start, zone),
      })
        .between(first, first + length, maxCompared)
        .starts.every(isEqualAt),
    );
  }

  /** Recurrence lines by the zone of the series. Dates in a zone that only the file defines are in that of the series. */
  function recurrenceLines(start: FileTime, seriesZone: string): string[] {
    const rules = ['RRULE', 'EXRULE'].flatMap((name) =>
      linesOf(name).flatMap((line) => {
        const rule = rawValueOf(line).replace(/\s/g, '');
        return rule === '' ? [] : [`${name}:${withExactUntil(rule, start, seriesZone)}`];
      }),
    );
    const dates = ['RDATE', 'EXDATE'].flatMap((name) =>
      linesOf(name).flatMap((line): string[] => {
        const value = rawValueOf(line).trim();
        const property = value === '' ? undefined : readProperty(line);
        if (!property) return [];
        if (start.isDay) return [`${name};VALUE=DATE:${value.replace(/(?:T\d+)?Z|T\d+/gi, '')}`];
        if (property.type === 'date' || /^\d{8}(?:,\d{8})*$/.test(value))
          return [`${name};VALUE=DATE:${value}`];
        const tzid = parameterOf(property, 'tzid');
        const zone = tzid === start.tzid ? seriesZone : (namedZone(tzid) ?? seriesZone);
        const parameters = `${property.type === 'period' ? ';VALUE=PERIOD' : ''};TZID=${zone}`;
        return [
          `${name}${/Z(?:,|\/|$)/.test(value) ? parameters.replace(/;TZID=.*/, '') : parameters}:${value}`,
        ];
      }),
    );
    return [...rules, ...dates];
  }

  function times(): Record<string, unknown> {
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
      return defined({ recurrence, originalStartTime: original });
    }
    const end = endOf(start, clock, duration);
    return defined({
      start: toEventTime(start, clock),
      end: end && toEventTime(end.time, end.clock),
      endTimeUnspecified: end?.isUnspecified,
      recurrence,
      originalStartTime: original,
    });
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

  return { texts, people, times, toFilePath: createPathMap(linesOf, pathTo) };
}

/** Limit of the guests of one event, among whom some may be listed twice. The rules of events allow fewer. */
const maxGuestLines = 1_000;

/** Names of properties by fields of the body. */
const propertyNames: Readonly<Record<string, string>> = {
  iCalUID: 'UID',
  start: 'DTSTART',
  originalStartTime: 'RECURRENCE-ID',
  recurringEventId: 'RECURRENCE-ID',
  attendees: 'ATTENDEE',
  visibility: 'CLASS',
  transparency: 'TRANSP',
};

const createPathMap =
  (linesOf: (name: string) => readonly ContentLine[], pathTo: (name: string, ...rest: Path) => Path) =>
  ({ recurrence }: EventPatch, [, field, position]: Path): Path => {
    const name = String(field);
    if (name === 'end')
      return pathTo(['DTEND', 'DURATION'].find((property) => linesOf(property).length > 0) ?? 'DTSTART');
    if (name === 'recurrence')
      return pathTo(/^\w+/.exec(recurrence?.[Number(position)] ?? '')?.[0] ?? 'RRULE');
    return pathTo(
      propertyNames[name] ?? name.toUpperCase(),
      ...(name === 'attendees' && position !== undefined ? [position] : []),
    );
  };

/** Properties that an import reads, or that mean nothing after it. */
export const readProperties: ReadonlySet<string> = new Set([
  ...['UID', 'SUMMARY', 'DESCRIPTION', 'LOCATION', 'STATUS', 'CLASS', 'TRANSP', 'SEQUENCE', 'CREATED'],
  ...['ORGANIZER', 'ATTENDEE', 'DTSTART', 'DTEND', 'DURATION', 'RRULE', 'EXRULE', 'RDATE', 'EXDATE'],
  ...['RECURRENCE-ID', 'DTSTAMP', 'LAST-MODIFIED'],
]);

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** Address of a person, from the parameter EMAIL (RFC 7986) or the URI. */
function addressOf(property: Property): string | undefined {
  const uri = String(property.values[0]).trim();
  const address = /^mailto:([^?]*)/i.exec(uri)?.[1] ?? uri;
  return [parameterOf(property, 'email'), decodeAddress(address)].find(
    (text) => text !== undefined && isEmail(text),
  );
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const nameOf = (property: Property): string | undefined => parameterOf(property, 'cn') || undefined;

const responses: Readonly<Record<string, 'accepted' | 'declined' | 'tentative'>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};
const resourceTypes: ReadonlySet<string> = new Set(['RESOURCE', 'ROOM']);

function guestOf(property: Property, email: string) {
  const parameter = (name: string): string | undefined => parameterOf(property, name)?.toUpperCase();
  return defined({
    email,
    displayName: nameOf(property),
    responseStatus: responses[parameter('partstat') ?? ''] ?? ('needsAction' as const),
    optional: ['OPT-PARTICIPANT', 'NON-PARTICIPANT'].includes(parameter('role') ?? '') || undefined,
    resource: resourceTypes.has(parameter('cutype') ?? '') || undefined,
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
const isoInstant = (at: number): string => new Date(at).toISOString();

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
