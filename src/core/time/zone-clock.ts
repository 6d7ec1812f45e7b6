import { Temporal } from 'temporal-polyfill';
import { memoize } from '../remembered.ts';
import { isTimeZone } from './time-zone.ts';

/** A change of a zone's offset. `at`: epoch milliseconds; `before` and `after`: offsets from UTC in milliseconds. */
export interface ZoneChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const dayMs = 86_400_000;

/**
 * Lists the offset changes that determine all local times between two instants, in order, up to `maxChanges`. The first
 * is the last change before `from`, or a placeholder if the zone never changed. Throws a RangeError for an unknown zone.
 */
export function changesOf(zone: string, from: number, to: number, maxChanges: number): ZoneChange[] {
  const start = Temporal.Instant.fromEpochMilliseconds(from - dayMs).toZonedDateTimeISO(zone);
  const offset = offsetOf(start);
  const first = start.getTimeZoneTransition('previous');
  const changes = [
    first ? changeAt(first) : { at: startOfYear(from - dayMs) - offset, before: offset, after: offset },
  ];
  for (
    let next = start.getTimeZoneTransition('next');
    next && next.epochMilliseconds <= to + dayMs && changes.length < maxChanges;
    next = next.getTimeZoneTransition('next')
  ) {
    changes.push(changeAt(next));
  }
  return changes;
}

const offsetOf = ({ offsetNanoseconds }: Temporal.ZonedDateTime): number => offsetNanoseconds / 1e6;

const changeAt = (change: Temporal.ZonedDateTime): ZoneChange => ({
  at: change.epochMilliseconds,
  before: offsetOf(change.subtract({ seconds: 1 })),
  after: offsetOf(change),
});

const startOfYear = (instant: number): number =>
  Date.parse(`${new Date(instant).toISOString().slice(0, -20)}-01-01T00:00:00Z`);

/** Converts between instants and local times of one zone. Local times are epoch milliseconds as if in UTC. */
export interface ZoneClock {
  toLocal(instant: number): number;
  /** Skipped local times move forward by the gap; of a repeated one, the first counts. */
  toInstant(local: number): number;
  /** Earliest instant of this or any later local time. */
  earliest(local: number): number;
  /** First local time from which on all local times map to this instant or later. Earlier ones do so only if skipped. */
  firstLocal(instant: number): number;
  /** Gap whose skipped local times map, in part, to this instant or later. */
  skippedBefore(instant: number): SkippedTimes | undefined;
}

interface SkippedTimes {
  /** First skipped local time that maps to the instant or later. */
  readonly begin: number;
  /** End of the gap, exclusive. */
  readonly end: number;
  readonly at: number;
}

/** Interval of instants with a constant offset from UTC. */
interface Segment {
  /** Instant of the change, or one long after it. */
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  readonly before: number;
}

const hourMs = 3_600_000;
/** Exceeds every historical offset. No two changes of a zone are close enough to cancel out within it. */
const maxOffsetMs = 17 * hourMs;
const lookBackMs = 60 * 24 * hourMs;
/** Longer than any change of the clocks. */
const changeMarginMs = 48 * hourMs;
const maxSegments = 16;
const maxClocks = 512;

const identity = (time: number): number => time;
const utc: ZoneClock = {
  toLocal: identity,
  toInstant: identity,
  earliest: identity,
  firstLocal: identity,
  skippedBefore: () => undefined,
};

/** Returns the clock of an IANA zone. Throws a RangeError for an unknown zone. */
export const clockOf = (zone: string): ZoneClock => (zone === 'UTC' ? utc : knownClock(zone));

const knownClock = memoize(maxClocks, (zone: string) => zone.toLowerCase(), createClock);

function createClock(zone: string): ZoneClock {
  const segmentAt = cachedSegments(zone);
  const offsetAt = (instant: number): number => segmentAt(instant).offset;
  const toLocal = (instant: number): number => instant + offsetAt(instant);
  const toInstant = (local: number): number => {
    const [before, after] = [offsetAt(local - maxOffsetMs), offsetAt(local + maxOffsetMs)];
    return before === after ? local - before : toPlainDateTime(local).toZonedDateTime(zone).epochMilliseconds;
  };
  return {
    toLocal,
    toInstant,
    earliest(local) {
      const instant = toInstant(local);
      return toLocal(instant) === local ? instant : segmentAt(instant).from;
    },
    firstLocal(instant) {
      const { from, offset, before } = segmentAt(instant);
      // Repeated local times map to their first instant.
      return before > offset ? Math.max(instant + offset, from + before) : instant + offset;
    },
    skippedBefore(instant) {
      const { from, offset, before } = segmentAt(instant);
      const end = from + offset;
      return instant + before < end ? { begin: instant + before, end, at: from } : undefined;
    },
  };
}

const toPlainDateTime = (local: number): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime();

/** Finds the segment of an instant, and caches recently used ones. */
function cachedSegments(zone: string): (instant: number) => Segment {
  const segments: Segment[] = [];
  const toZoned = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  toZoned(0);
  const findSegment = (instant: number): Segment => {
    let start = toZoned(instant - lookBackMs);
    let [from, before] = [instant - lookBackMs + changeMarginMs, offsetOf(start)];
    let change = start.getTimeZoneTransition('next');
    while (change && change.epochMilliseconds <= instant) {
      [from, before] = [change.epochMilliseconds, offsetOf(start)];
      start = change;
      change = start.getTimeZoneTransition('next');
    }
    return { from, to: change?.epochMilliseconds ?? Infinity, offset: offsetOf(start), before };
  };
  return (instant) => {
    let segment = segments.find(({ from, to }) => from <= instant && instant < to);
    if (!segment) {
      segment = findSegment(instant);
      segments.unshift(segment);
      if (segments.length > maxSegments) segments.pop();
    }
    return segment;
  };
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

const canonicalName = memoize(
  2048,
  (zone: string) => zone,
  (zone) => epoch.toZonedDateTimeISO(zone).timeZoneId,
);

/** Returns a zone in the letter case of the IANA database, without resolving links; other text unchanged. */
export const zoneSpelling = (name: string): string => (isTimeZone(name) ? canonicalName(name) : name);
