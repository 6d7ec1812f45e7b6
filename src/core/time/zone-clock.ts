import { Temporal } from 'temporal-polyfill';
import { remembered } from '../remembered.ts';
import { isTimeZone } from './time-zone.ts';

/** When a zone's clocks were changed, and how far they were ahead of UTC: all in milliseconds. */
export interface ZoneChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const day = 86_400_000;

/**
 * The changes of a zone's clocks by which all its local times between two instants can be told, in order and at most so
 * many: the first is the last one before, or a moment of that year from which nothing changed. Throws a RangeError for an unknown zone.
 */
export function changesOf(zone: string, from: number, to: number, most: number): ZoneChange[] {
  const zoned = Temporal.Instant.fromEpochMilliseconds(from - day).toZonedDateTimeISO(zone);
  const offset = offsetOf(zoned);
  const first = zoned.getTimeZoneTransition('previous');
  const changes = [
    first ? changeAt(first) : { at: yearBegin(from - day) - offset, before: offset, after: offset },
  ];
  for (
    let next = zoned.getTimeZoneTransition('next');
    next && next.epochMilliseconds <= to + day && changes.length < most;
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

const yearBegin = (instant: number): number =>
  Date.parse(`${new Date(instant).toISOString().slice(0, -20)}-01-01T00:00:00Z`);

/** Local times of one zone, written as the epoch milliseconds they would have in UTC, and the instants they name. */
export interface ZoneClock {
  toLocal(instant: number): number;
  /** A local time in a gap moves forward by the gap; of two equal local times it is the first. */
  toInstant(local: number): number;
  /** The earliest instant that this local time or one behind it names. */
  earliest(local: number): number;
  /** The first local time that names an instant from this one on; those behind it do so too, and of those before it only skipped ones. */
  firstLocal(instant: number): number;
  /** The local times that the clocks skipped, if some of them name this instant or one behind it, and when that was. */
  skippedBefore(instant: number): Skipped | undefined;
}

interface Skipped {
  /** The first local time that names the instant or one behind it. */
  readonly begin: number;
  /** Of the gap; not included. */
  readonly end: number;
  readonly at: number;
}

/** Instants of one offset from UTC. */
interface Segment {
  /** When the clocks were changed, or an instant long after that. */
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  /** The offset before `from`. */
  readonly before: number;
}

const hour = 3_600_000;
/** No zone was ever farther from UTC, and no two changes of one zone's clocks are so close that they cancel out. */
const farthest = 17 * hour;
const lookBack = 60 * 24 * hour;
/** Longer than any change of the clocks. */
const settled = 48 * hour;
const mostSegments = 16;
const mostClocks = 512;

const same = (moment: number): number => moment;
const utc: ZoneClock = {
  toLocal: same,
  toInstant: same,
  earliest: same,
  firstLocal: same,
  skippedBefore: () => undefined,
};

/** The clock of a zone of the IANA Time Zone Database; throws a RangeError where there is none. */
export const clockOf = (zone: string): ZoneClock => (zone === 'UTC' ? utc : knownClock(zone));

const knownClock = remembered(mostClocks, (zone: string) => zone.toLowerCase(), createClock);

function createClock(zone: string): ZoneClock {
  const segmentAt = rememberedSegments(zone);
  const offsetAt = (instant: number): number => segmentAt(instant).offset;
  const toLocal = (instant: number): number => instant + offsetAt(instant);
  const toInstant = (local: number): number => {
    const [before, after] = [offsetAt(local - farthest), offsetAt(local + farthest)];
    return before === after ? local - before : plain(local).toZonedDateTime(zone).epochMilliseconds;
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
      // What the clocks repeat names the first time.
      return before > offset ? Math.max(instant + offset, from + before) : instant + offset;
    },
    skippedBefore(instant) {
      const { from, offset, before } = segmentAt(instant);
      const end = from + offset;
      return instant + before < end ? { begin: instant + before, end, at: from } : undefined;
    },
  };
}

const plain = (local: number): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime();

/** Offsets are the same between two changes of the clocks; the stretches last used are remembered. */
function rememberedSegments(zone: string): (instant: number) => Segment {
  const segments: Segment[] = [];
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  zoned(0);
  const find = (instant: number): Segment => {
    let start = zoned(instant - lookBack);
    let [from, before] = [instant - lookBack + settled, offsetOf(start)];
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
      segment = find(instant);
      segments.unshift(segment);
      if (segments.length > mostSegments) segments.pop();
    }
    return segment;
  };
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

const spelled = remembered(
  2048,
  (zone: string) => zone,
  (zone) => epoch.toZonedDateTimeISO(zone).timeZoneId,
);

/** A zone in the spelling of the IANA database, a link under its own name; any other text as it is. */
export const zoneSpelling = (name: string): string => (isTimeZone(name) ? spelled(name) : name);
