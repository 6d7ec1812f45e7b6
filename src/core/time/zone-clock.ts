import { Temporal } from 'temporal-polyfill';
import { memoize } from '../memoize.ts';
import { isTimeZone } from './time-zone.ts';

/** A change of a zone's offset. `at`: epoch milliseconds; offsets are from UTC, in milliseconds. */
export interface ZoneChange {
  readonly at: number;
  readonly offsetBefore: number;
  readonly offsetAfter: number;
}

const dayMs = 86_400_000;

/**
 * Lists the offset changes that determine all local times between two instants, in order, up to `maxChanges`. The first
 * is the last change before `from`, or a placeholder if the zone never changed. Throws a RangeError for an unknown zone.
 */
export function listOffsetChanges(zone: string, from: number, to: number, maxChanges: number): ZoneChange[] {
  const start = Temporal.Instant.fromEpochMilliseconds(from - dayMs).toZonedDateTimeISO(zone);
  const offset = offsetOf(start);
  const previousChange = start.getTimeZoneTransition('previous');
  const changes = [
    previousChange
      ? toZoneChange(previousChange)
      : { at: startOfYear(from - dayMs) - offset, offsetBefore: offset, offsetAfter: offset },
  ];
  for (
    let nextChange = start.getTimeZoneTransition('next');
    nextChange && nextChange.epochMilliseconds <= to + dayMs && changes.length < maxChanges;
    nextChange = nextChange.getTimeZoneTransition('next')
  ) {
    changes.push(toZoneChange(nextChange));
  }
  return changes;
}

const offsetOf = ({ offsetNanoseconds }: Temporal.ZonedDateTime): number => offsetNanoseconds / 1e6;

const toZoneChange = (change: Temporal.ZonedDateTime): ZoneChange => ({
  at: change.epochMilliseconds,
  offsetBefore: offsetOf(change.subtract({ seconds: 1 })),
  offsetAfter: offsetOf(change),
});

// The part after the year has 20 characters; the year itself may have a sign and six digits.
const startOfYear = (instant: number): number =>
  Date.parse(`${new Date(instant).toISOString().slice(0, -20)}-01-01T00:00:00Z`);

/** Converts between instants and local times of one zone. Local times are epoch milliseconds as if in UTC. */
export interface ZoneClock {
  toLocalTime(instant: number): number;
  /** Skipped local times move forward by the gap; of a repeated one, the first counts. */
  toInstant(localTime: number): number;
  /** Earliest instant of this or any later local time. */
  earliestInstant(localTime: number): number;
  /** First local time from which on all local times map to this instant or later. Earlier ones do so only if skipped. */
  firstLocalTime(instant: number): number;
  /** Gap whose skipped local times map, in part, to this instant or later. */
  skippedTimesBefore(instant: number): SkippedTimes | undefined;
}

/** Local times that the clocks skip, as far as they map to an instant or later. */
interface SkippedTimes {
  /** First skipped local time that maps to the instant or later. */
  readonly begin: number;
  /** End of the gap, exclusive. */
  readonly end: number;
  /** Instant of the change of the clocks. */
  readonly at: number;
}

/** Interval of instants with a constant offset from UTC. */
interface Segment {
  /** Instant of the change, or one long after it. */
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** Offset before the change. */
  readonly offsetBefore: number;
}

const hourMs = 3_600_000;
/** Exceeds every historical offset. No two changes of a zone are close enough to cancel out within it. */
const maxOffsetMs = 17 * hourMs;
/** Distance before an instant from which changes of its zone are searched. */
const lookBackMs = 60 * 24 * hourMs;
/** Longer than any change of the clocks. */
const changeMarginMs = 48 * hourMs;
/** Cached segments of one zone. */
const maxSegments = 16;
const maxClocks = 512;
const maxCachedNames = 2048;

const toSameTime = (time: number): number => time;
const utcClock: ZoneClock = {
  toLocalTime: toSameTime,
  toInstant: toSameTime,
  earliestInstant: toSameTime,
  firstLocalTime: toSameTime,
  skippedTimesBefore: () => undefined,
};

/** Returns the clock of an IANA zone. Throws a RangeError for an unknown zone. */
export const clockOf = (zone: string): ZoneClock =>
  zone === 'UTC' ? utcClock : cachedClock(zone.toLowerCase());

const cachedClock = memoize(maxClocks, (zone: string): ZoneClock => {
  const segmentAt = createSegmentFinder(zone);
  const offsetAt = (instant: number): number => segmentAt(instant).offset;
  const toLocalTime = (instant: number): number => instant + offsetAt(instant);
  const toInstant = (localTime: number): number => {
    const [offsetBefore, offsetAfter] = [
      offsetAt(localTime - maxOffsetMs),
      offsetAt(localTime + maxOffsetMs),
    ];
    return offsetBefore === offsetAfter
      ? localTime - offsetBefore
      : toPlainDateTime(localTime).toZonedDateTime(zone).epochMilliseconds;
  };
  return {
    toLocalTime,
    toInstant,
    earliestInstant(localTime) {
      const instant = toInstant(localTime);
      return toLocalTime(instant) === localTime ? instant : segmentAt(instant).start;
    },
    firstLocalTime(instant) {
      const { start, offset, offsetBefore } = segmentAt(instant);
      // Repeated local times map to their first instant.
      return offsetBefore > offset ? Math.max(instant + offset, start + offsetBefore) : instant + offset;
    },
    skippedTimesBefore(instant) {
      const { start, offset, offsetBefore } = segmentAt(instant);
      const [begin, end] = [instant + offsetBefore, start + offset];
      return begin < end ? { begin, end, at: start } : undefined;
    },
  };
});

const toPlainDateTime = (localTime: number): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(localTime).toZonedDateTimeISO('UTC').toPlainDateTime();

/** Finds the segment of an instant, and caches recently used ones. */
function createSegmentFinder(zone: string): (instant: number) => Segment {
  const segments: Segment[] = [];
  const toZonedTime = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  // Throws a RangeError for an unknown zone.
  toZonedTime(0);
  const findSegment = (instant: number): Segment => {
    let zonedTime = toZonedTime(instant - lookBackMs);
    let [start, offsetBefore] = [instant - lookBackMs + changeMarginMs, offsetOf(zonedTime)];
    let change = zonedTime.getTimeZoneTransition('next');
    while (change && change.epochMilliseconds <= instant) {
      [start, offsetBefore] = [change.epochMilliseconds, offsetOf(zonedTime)];
      zonedTime = change;
      change = zonedTime.getTimeZoneTransition('next');
    }
    return { start, end: change?.epochMilliseconds ?? Infinity, offset: offsetOf(zonedTime), offsetBefore };
  };
  return (instant) => {
    let segment = segments.find(({ start, end }) => start <= instant && instant < end);
    if (!segment) {
      segment = findSegment(instant);
      segments.unshift(segment);
      if (segments.length > maxSegments) segments.pop();
    }
    return segment;
  };
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

const canonicalNameOf = memoize(maxCachedNames, (zone: string) => epoch.toZonedDateTimeISO(zone).timeZoneId);

/** Returns a zone in the letter case of the IANA database, without resolving links; other text unchanged. */
export const zoneSpelling = (name: string): string => (isTimeZone(name) ? canonicalNameOf(name) : name);
