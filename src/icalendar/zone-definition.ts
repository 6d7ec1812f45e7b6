import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dayMs, lowerBound } from '../recurrence/calendar-days.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';
import { occurrencesOf } from '../recurrence/occurrences.ts';
import { formatCompact, parseLocal, valueFormOf } from '../recurrence/lines.ts';
import { type Component, type ContentLine, rawValueOf, readProperty } from './parse.ts';

/** Offsets from UTC that a VTIMEZONE defines. */
export interface ZoneDefinition {
  /** Name of the zone in the IANA database, if the definition says it (X-LIC-LOCATION). */
  readonly location: string | undefined;
  /** Offset (ms) at a local time, which is in epoch milliseconds as if in UTC. */
  readonly offsetAt: (local: number) => number;
  /** Whether a zone has these offsets in a whole year. */
  readonly hasSameOffsetsInYear: (zone: string, year: number) => boolean;
}

/** Time from which a definition has another offset (ms). */
interface Onset {
  /** Local time (ms as if in UTC) by the offset before the onset. */
  readonly local: number;
  readonly offset: number;
  readonly offsetBefore: number;
}

/** Begin of the years for which onsets are computed, besides the first one: many definitions start in 1601. */
const onsetRangeStartMs = Date.UTC(1900, 0, 1);
/** End of the years for which onsets are computed: series of today last ten years beyond it. */
const onsetRangeEndMs = Date.UTC(2100, 0, 1);
/** Onsets that the rule of an observance may have: more than four a year. */
const maxOnsetsPerRule = 1000;
/** Onsets of all definitions of a text, which bounds its memory. IANA's zones have 300 each at most. */
export const maxOnsetsPerText = 50_000;
/** STANDARD and DAYLIGHT components of a VTIMEZONE: no zone has changed its rules more often. */
const maxObservances = 500;

/**
 * Reads a VTIMEZONE and lets other requests run in between. Undefined if it has no offsets, or has them by
 * rules that are not yearly, by more than 500 observances, or by more onsets than `budget` has left.
 */
export async function readZoneDefinition(
  { lines, components }: Component,
  budget: { onsetsLeft: number },
  throwIfGone: () => void,
): Promise<ZoneDefinition | undefined> {
  if (components.length > maxObservances) return undefined;
  const observances = await mapInTurns(components, (component) => {
    throwIfGone();
    const onsets = budget.onsetsLeft > 0 ? onsetsOf(component) : undefined;
    budget.onsetsLeft -= onsets?.length ?? 0;
    return onsets;
  });
  if (observances.includes(undefined)) return undefined;
  const onsets = observances.flatMap((observance) => observance ?? []).sort((a, b) => a.local - b.local);
  const [firstOnset] = onsets;
  if (!firstOnset) return undefined;
  const onsetTimes = onsets.map(({ local }) => local);
  const offsetAt = (local: number): number =>
    onsets[lowerBound(onsetTimes, local + 1) - 1]?.offset ?? firstOnset.offsetBefore;
  const hasOffsetsByYear = new Map<string, boolean>();
  const location = lines.find(({ name }) => name === 'X-LIC-LOCATION');
  return {
    location: location && rawValueOf(location).trim(),
    offsetAt,
    hasSameOffsetsInYear(zone, year) {
      const key = `${year} ${zone}`;
      const hasOffsets = hasOffsetsByYear.get(key) ?? hasOffsetsInYear(offsetAt, clockOf(zone), year);
      hasOffsetsByYear.set(key, hasOffsets);
      return hasOffsets;
    },
  };
}

const quarterMs = 900_000;

/** Compares each day of a year, and each quarter of an hour of days with an onset. */
function hasOffsetsInYear(offsetAt: ZoneDefinition['offsetAt'], clock: ZoneClock, year: number): boolean {
  const end = Date.UTC(year + 1, 0, 1);
  let offsetBefore: number | undefined;
  for (let day = Date.UTC(year, 0, 1); day < end; day += dayMs) {
    const offset = sharedOffset(offsetAt, clock, day + dayMs - quarterMs);
    const isEqual =
      offset === offsetBefore ||
      Array.from({ length: dayMs / quarterMs }, (_, quarter) => day + quarter * quarterMs).every(
        (local) => sharedOffset(offsetAt, clock, local) !== undefined,
      );
    if (offset === undefined || !isEqual) return false;
    offsetBefore = offset;
  }
  return true;
}

/** Offset (ms) that a clock and a definition have at a local time; undefined if they differ. */
function sharedOffset(
  offsetAt: ZoneDefinition['offsetAt'],
  clock: ZoneClock,
  local: number,
): number | undefined {
  const at = clock.toInstant(local);
  // A skipped local time is compared as the one after the gap.
  const existing = clock.toLocalTime(at);
  return offsetAt(existing) === existing - at ? existing - at : undefined;
}

/** Onsets of a STANDARD or DAYLIGHT component. */
function onsetsOf({ lines }: Component): Onset[] | undefined {
  const linesOf = (name: string): ContentLine[] => lines.filter((line) => line.name === name);
  const valueOf = (name: string): string => linesOf(name).map(rawValueOf)[0]?.trim() ?? '';
  const [offset, offsetBefore] = [parseOffset(valueOf('TZOFFSETTO')), parseOffset(valueOf('TZOFFSETFROM'))];
  const startText = valueOf('DTSTART');
  const [rule, ...otherRules] = linesOf('RRULE').map(rawValueOf);
  if (offset === undefined || offsetBefore === undefined || valueFormOf(startText) === null) return undefined;
  if (otherRules.length > 0 || (rule !== undefined && !isYearlyRule(rule))) return undefined;
  const start = parseLocal(startText);
  const starts =
    rule === undefined
      ? []
      : occurrencesOf({
          start: { dateTime: new Date(start).toISOString(), timeZone: 'UTC' },
          recurrence: [`RRULE:${withLocalUntil(rule, offsetBefore)}`],
        }).between(onsetRangeStartMs, onsetRangeEndMs, maxOnsetsPerRule).starts;
  const dates = linesOf('RDATE').flatMap((line) => readProperty(line)?.values ?? []);
  const listedStarts = dates.flatMap((date) => (typeof date === 'string' ? [Date.parse(`${date}Z`)] : []));
  return [...new Set([start, ...starts, ...listedStarts])]
    .filter((local) => !Number.isNaN(local))
    .map((local) => ({ local, offset, offsetBefore }));
}

/** Whether a rule is yearly without times of day, and therefore cheap to expand. */
const isYearlyRule = (rule: string): boolean =>
  /(?:^|;)FREQ=YEARLY(?:;|$)/i.test(rule) && !/BY(?:HOUR|MINUTE|SECOND)=/i.test(rule);

/** Converts UNTIL, which is in UTC, to the local time in which the starts of an observance are. */
const withLocalUntil = (rule: string, offset: number): string =>
  rule.replace(
    /(?<=UNTIL=)(\d{8}T\d{6})Z/i,
    (_match, time: string) => `${formatCompact(parseLocal(time) + offset)}Z`,
  );

/** Parses an offset such as +0130 in milliseconds. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const totalSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -totalSeconds : totalSeconds) * 1000;
}
