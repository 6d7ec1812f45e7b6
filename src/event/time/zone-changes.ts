import { Temporal } from 'temporal-polyfill';

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
