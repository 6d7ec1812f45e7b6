import { Temporal } from 'temporal-polyfill';

/** Offset of a zone from UTC at an instant, in ms. */
export const offsetMsAt = (instantMs: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;

/** The instant of a local time given as UTC: the first of two equal ones; in a gap, by the offset before the gap. */
export const instantAt = (localMs: number, zone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(localMs)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(zone).epochMilliseconds;
