import { groupByKey } from '../core/json.ts';
import { memoize } from '../core/memoize.ts';
import { listOffsetChanges, type ZoneChange, clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { formatCompact, parseLocal, valueFormOf } from '../recurrence/rule.ts';
import { wrapComponent, formatContentLine, formatTextLine } from './content-lines.ts';
import { dayMs, lowerBound } from '../recurrence/calendar-days.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';
import { occurrencesOf } from '../recurrence/occurrences.ts';
import { type Component, type ContentLine, rawValueOf, readProperty } from './parse.ts';

/** Maximum number of clock changes in a VTIMEZONE: two a year for a thousand years. */
const maxChanges = 2000;
const yearMs = 365.25 * 86_400_000;

/** A change of a zone's clocks, with the kind and name of the observance that begins. */
interface ObservanceOnset extends ZoneChange {
  readonly kind: 'STANDARD' | 'DAYLIGHT';
  readonly name: string;
}

/** Writes the VTIMEZONE of a zone (RFC 5545, section 3.6.5) for times between two instants (epoch ms). */
export const formatTimeZone = (zone: string, from: number, to: number): readonly string[] =>
  formatZoneCached(zone, Math.floor(from / yearMs), Math.ceil(to / yearMs));

/** Number of cached VTIMEZONEs, by zone and years. All mails of a change need the same ones. */
const maxCachedZones = 64;

const formatZoneCached = memoize(maxCachedZones, (zone: string, fromYear: number, toYear: number) => {
  const observanceAt = createObservanceLookup(zone);
  const changes = listOffsetChanges(zone, fromYear * yearMs, toYear * yearMs, maxChanges);
  const observances = groupByKey(
    changes.map((change): ObservanceOnset => ({ ...change, ...observanceAt(change.at) })),
    ({ kind, name, offsetBefore, offsetAfter }) => JSON.stringify([kind, name, offsetBefore, offsetAfter]),
  );
  return wrapComponent('VTIMEZONE', [
    formatTextLine('TZID', zone),
    ...[...observances.values()].flatMap(formatObservance),
  ]);
});

/**
 * Writes one observance. RDATE repeats DTSTART, since libical and ical.js ignore DTSTART if there is an RDATE. Each onset has a
 * line of its own, since ical.js reads only the first value of a line.
 */
function formatObservance(changes: readonly [ObservanceOnset, ...ObservanceOnset[]]): string[] {
  const [{ kind, name, offsetBefore, offsetAfter }] = changes;
  const starts = changes.map(({ at }) => formatCompact(at + offsetBefore));
  return wrapComponent(kind, [
    formatContentLine('DTSTART', starts[0] as string),
    ...starts.map((start) => formatContentLine('RDATE', start)),
    formatContentLine('TZOFFSETFROM', formatUtcOffset(offsetBefore)),
    formatContentLine('TZOFFSETTO', formatUtcOffset(offsetAfter)),
    formatTextLine('TZNAME', name),
  ]);
}

/** Formats an offset as `+hhmm`, or `+hhmmss` for offsets of long ago that have seconds. */
function formatUtcOffset(offsetMs: number): string {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const [hours, minutes, secondsOfMinute] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${offsetMs < 0 ? '-' : '+'}${hours}${minutes}${secondsOfMinute === '00' ? '' : secondsOfMinute}`;
}

/** Creates a lookup of the observance of a zone at an instant: its name, and whether it is daylight time. */
function createObservanceLookup(
  timeZone: string,
): (instant: number) => Pick<ObservanceOnset, 'kind' | 'name'> {
  const [shortNameAt, longNameAt] = (['short', 'long'] as const).map((timeZoneName) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName });
    return (instant: number): string =>
      (format.formatToParts(instant).find(({ type }) => type === 'timeZoneName') as Intl.DateTimeFormatPart)
        .value;
  }) as [(instant: number) => string, (instant: number) => string];
  return (instant) => ({
    kind: /Summer|Daylight/.test(longNameAt(instant)) ? 'DAYLIGHT' : 'STANDARD',
    name: shortNameAt(instant),
  });
}

/** Offsets from UTC that a VTIMEZONE defines. `local` is a local time in epoch milliseconds, as if it were in UTC. */
export interface ZoneDefinition {
  /** Name of the zone in the IANA database, if the definition says it (X-LIC-LOCATION). */
  readonly location: string | undefined;
  /** Returns the offset (ms) at a local time. */
  readonly offsetAt: (local: number) => number;
  /** Whether a zone of the IANA database has the same offsets throughout a year. */
  readonly hasSameOffsetsInYear: (zone: string, year: number) => boolean;
}

/** Time from which a definition has another offset. */
interface Onset {
  /** Local time (ms as if in UTC) by the offset before the onset. */
  readonly local: number;
  readonly offsetMs: number;
  readonly offsetBeforeMs: number;
}

/** Begin of the years for which onsets are computed, besides the first one: many definitions start in 1601. */
const onsetRangeStartMs = Date.UTC(1900, 0, 1);
/** End of the years for which onsets are computed: series of today last ten years beyond it. */
const onsetRangeEndMs = Date.UTC(2100, 0, 1);
/** Maximum number of onsets by the rule of an observance: more than four a year. */
const maxOnsetsPerRule = 1000;
/** Maximum number of onsets in all definitions of a text, to bound its memory. IANA's zones have 300 each at most. */
export const maxOnsetsPerText = 50_000;
/** Maximum number of STANDARD and DAYLIGHT components in a VTIMEZONE: no zone has changed its rules more often. */
const maxObservances = 500;

/**
 * Reads a VTIMEZONE and lets other requests run in between. Undefined if it has no offsets, or has them by
 * rules that are not yearly, by more than 500 observances, or by more onsets than `budget` has left.
 * `throwIfGone` stops the work if the client is gone.
 */
export async function readZoneDefinition(
  { lines, components }: Component,
  budget: { remainingOnsets: number },
  throwIfGone: () => void,
): Promise<ZoneDefinition | undefined> {
  if (components.length > maxObservances) return undefined;
  const observances = await mapInTurns(components, (component) => {
    throwIfGone();
    const onsets = budget.remainingOnsets > 0 ? readOnsets(component) : undefined;
    budget.remainingOnsets -= onsets?.length ?? 0;
    return onsets;
  });
  if (observances.includes(undefined)) return undefined;
  const onsets = observances.flatMap((observance) => observance ?? []).sort((a, b) => a.local - b.local);
  const [firstOnset] = onsets;
  if (!firstOnset) return undefined;
  const onsetTimes = onsets.map(({ local }) => local);
  const offsetAt = (local: number): number =>
    onsets[lowerBound(onsetTimes, local + 1) - 1]?.offsetMs ?? firstOnset.offsetBeforeMs;
  const location = lines.find(({ name }) => name === 'X-LIC-LOCATION');
  return {
    location: location && rawValueOf(location).trim(),
    offsetAt,
    hasSameOffsetsInYear: memoize(maxComparedYears, (zone, year) =>
      matchesClockInYear(offsetAt, clockOf(zone), year),
    ),
  };
}

/** Number of compared years, of all zones, whose results are cached. */
const maxComparedYears = 1000;
const quarterHourMs = 900_000;

/** Compares a definition with a clock: once for each day of a year, and each quarter of an hour on days with a clock change. */
function matchesClockInYear(offsetAt: ZoneDefinition['offsetAt'], clock: ZoneClock, year: number): boolean {
  const end = Date.UTC(year + 1, 0, 1);
  let offsetBefore: number | undefined;
  for (let day = Date.UTC(year, 0, 1); day < end; day += dayMs) {
    const offset = sharedOffsetAt(offsetAt, clock, day + dayMs - quarterHourMs);
    const isEqual =
      offset === offsetBefore ||
      Array.from({ length: dayMs / quarterHourMs }, (_, quarter) => day + quarter * quarterHourMs).every(
        (local) => sharedOffsetAt(offsetAt, clock, local) !== undefined,
      );
    if (offset === undefined || !isEqual) return false;
    offsetBefore = offset;
  }
  return true;
}

/** Returns the offset (ms) that both a clock and a definition have at a local time; undefined if they differ. */
function sharedOffsetAt(
  offsetAt: ZoneDefinition['offsetAt'],
  clock: ZoneClock,
  local: number,
): number | undefined {
  const at = clock.toInstant(local);
  // A skipped local time is compared as the one after the gap.
  const existingLocal = clock.toLocalTime(at);
  return offsetAt(existingLocal) === existingLocal - at ? existingLocal - at : undefined;
}

/** Reads the onsets of a STANDARD or DAYLIGHT component; undefined if it lacks an offset or its rule is not yearly. */
function readOnsets({ lines }: Component): Onset[] | undefined {
  const linesOf = (name: string): ContentLine[] => lines.filter((line) => line.name === name);
  const valueOf = (name: string): string => linesOf(name).map(rawValueOf)[0]?.trim() ?? '';
  const [offsetMs, offsetBeforeMs] = [
    parseOffset(valueOf('TZOFFSETTO')),
    parseOffset(valueOf('TZOFFSETFROM')),
  ];
  const startText = valueOf('DTSTART');
  const [rule, ...otherRules] = linesOf('RRULE').map(rawValueOf);
  if (offsetMs === undefined || offsetBeforeMs === undefined || valueFormOf(startText) === null)
    return undefined;
  if (otherRules.length > 0 || (rule !== undefined && !isYearlyRule(rule))) return undefined;
  const firstLocalStart = parseLocal(startText);
  const ruleStarts =
    rule === undefined
      ? []
      : occurrencesOf({
          start: { dateTime: new Date(firstLocalStart).toISOString(), timeZone: 'UTC' },
          recurrence: [`RRULE:${withLocalUntil(rule, offsetBeforeMs)}`],
        }).between(onsetRangeStartMs, onsetRangeEndMs, maxOnsetsPerRule).starts;
  const dates = linesOf('RDATE').flatMap((line) => readProperty(line)?.values ?? []);
  const listedStarts = dates.flatMap((date) => (typeof date === 'string' ? [Date.parse(`${date}Z`)] : []));
  return [...new Set([firstLocalStart, ...ruleStarts, ...listedStarts])]
    .filter((local) => !Number.isNaN(local))
    .map((local) => ({ local, offsetMs, offsetBeforeMs }));
}

/** Whether a rule is yearly without times of day, and therefore cheap to expand. */
const isYearlyRule = (rule: string): boolean =>
  /(?:^|;)FREQ=YEARLY(?:;|$)/i.test(rule) && !/BY(?:HOUR|MINUTE|SECOND)=/i.test(rule);

/** Converts UNTIL, which is in UTC, to the local time in which the starts of an observance are. */
const withLocalUntil = (rule: string, offsetMs: number): string =>
  rule.replace(
    /(?<=UNTIL=)(\d{8}T\d{6})Z/i,
    (_match, time: string) => `${formatCompact(parseLocal(time) + offsetMs)}Z`,
  );

/** Parses an offset such as +0130 to milliseconds. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const totalSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -totalSeconds : totalSeconds) * 1000;
}
