import { Temporal } from 'temporal-polyfill';

/** The offset of a zone from UTC at an instant, in milliseconds. */
export const offsetOf = (instant: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;

/**
 * The instant of a local time that is given as if it were in UTC: the first of two, and in a gap what the offset before the
 * gap makes of it.
 */
export const instantAt = (local: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(local)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(zone).epochMilliseconds;
