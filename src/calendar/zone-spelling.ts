import { Temporal } from 'temporal-polyfill';
import { remembered } from '../core/kernel/remembered.ts';
import { isTimeZone } from '../core/time/time-zone.ts';

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

const spelled = remembered(
  2048,
  (zone: string) => zone,
  (zone) => epoch.toZonedDateTimeISO(zone).timeZoneId,
);

/** A zone in the spelling of the IANA database, a link under its own name; any other text as it is. */
export const zoneSpelling = (name: string): string => (isTimeZone(name) ? spelled(name) : name);
