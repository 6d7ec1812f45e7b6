import { Temporal } from 'temporal-polyfill';

/** Offset of a zone from UTC at an instant, in ms. */
export const offsetMsAt = (instant: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;

/** The instant of a local time given as UTC: the first of two equal ones; in a gap, by the offset before the gap. */
export const instantAt = (local: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(local)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(zone).epochMilliseconds;
