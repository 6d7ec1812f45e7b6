import { Temporal } from 'temporal-polyfill';

/** Local times of one zone, written as the epoch milliseconds they would have in UTC, and the instants they name. */
export interface ZoneClock {
  toLocal(instant: number): number;
  /** A local time in a gap moves forward by the gap; of two equal local times it is the first. */
  toInstant(local: number): number;
  /** No local time from this one on names an earlier instant: exact save within hours of a change of the clocks. */
  earliest(local: number): number;
  /** How far the clocks are turned within hours of an instant, in milliseconds; mostly 0. */
  shiftNear(instant: number): number;
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

const hour = 3_600_000;
/** No zone was ever farther from UTC, and no two changes of one zone's clocks are so close that they cancel out. */
const farthest = 17 * hour;
const lookBack = 60 * 24 * hour;
const mostSegments = 16;
const mostClocks = 512;

const utc: ZoneClock = { toLocal: (instant) => instant, toInstant: (local) => local, earliest: (local) => local, shiftNear: () => 0 };
const clocks = new Map<string, ZoneClock>();

/** The clock of a zone of the IANA Time Zone Database; throws a RangeError where there is none. */
export function clockOf(zone: string): ZoneClock {
  if (zone === 'UTC') return utc;
  const key = zone.toLowerCase();
  const known = clocks.get(key);
  if (known) return known;
  if (clocks.size >= mostClocks) clocks.clear();
  const clock = createClock(zone);
  clocks.set(key, clock);
  return clock;
}

function createClock(zone: string): ZoneClock {
  const offsetAt = rememberedOffsets(zone);
  const around = (moment: number): [number, number] => [offsetAt(moment - farthest), offsetAt(moment + farthest)];
  return {
    toLocal: (instant) => instant + offsetAt(instant),
    toInstant(local) {
      const [before, after] = around(local);
      return before === after ? local - before : plain(local).toZonedDateTime(zone).epochMilliseconds;
    },
    earliest: (local) => local - Math.max(...around(local)),
    shiftNear(instant) {
      const [before, after] = [offsetAt(instant - 2 * farthest), offsetAt(instant + 2 * farthest)];
      return Math.abs(after - before);
    },
  };
}

const plain = (local: number): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(local).toZonedDateTimeISO('UTC').toPlainDateTime();

/** Offsets are the same between two changes of the clocks; the stretches last used are remembered. */
function rememberedOffsets(zone: string): (instant: number) => number {
  const segments: Segment[] = [];
  const zoned = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
  zoned(0);
  const find = (instant: number): Segment => {
    let start = zoned(instant - lookBack);
    let change = start.getTimeZoneTransition('next');
    while (change && change.epochMilliseconds <= instant) {
      start = change;
      change = start.getTimeZoneTransition('next');
    }
    return { from: start.epochMilliseconds, to: change?.epochMilliseconds ?? Infinity, offset: start.offsetNanoseconds / 1e6 };
  };
  return (instant) => {
    let segment = segments.find(({ from, to }) => from <= instant && instant < to);
    if (!segment) {
      segment = find(instant);
      segments.unshift(segment);
      if (segments.length > mostSegments) segments.pop();
    }
    return segment.offset;
  };
}
