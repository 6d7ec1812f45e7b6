import { parseDateTime } from '../../core/text/rfc3339.ts';
import { instantAt, localOf, offsetAt, printOffset } from '../../core/time/local-time.ts';
import { instantOf, type EventTime, type TimePatch } from './time.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';

/**
 * A time as a client sent it, in the spelling in which it is stored: a dateTime that names the moment that is shown
 * keeps the spelling that is shown, and one without an offset gets that of its zone. A local time that the clocks skip
 * moves forward by the length of the gap (RFC 5545, section 3.3.5).
 */
export function inStoredSpelling(
  sent: TimePatch,
  shown: EventTime | undefined,
  calendarZone: string,
): TimePatch {
  const dateTime = sent?.dateTime;
  if (!sent || typeof dateTime !== 'string' || dateTime === shown?.dateTime) return sent;
  const zone = sent.timeZone === undefined ? shown?.timeZone : (sent.timeZone ?? undefined);
  // Which moment is meant is unknown, though it may be written like the one that is shown.
  if (zone === undefined && parseDateTime(dateTime)?.offset === null) return sent;
  if (shown?.dateTime !== undefined) {
    const moment = instantOf({ dateTime, timeZone: zone }, calendarZone);
    if (moment !== null && moment === instantOf({ dateTime: shown.dateTime }, calendarZone))
      return { ...sent, dateTime: shown.dateTime };
  }
  return zone === undefined ? sent : { ...sent, dateTime: withOffset(dateTime, zone) };
}

/** A dateTime with the offset that its zone has then; as it is where it has one, or where either is none. */
export function withOffset(dateTime: string, zone: string): string {
  if (parseDateTime(dateTime)?.offset !== null || !isTimeZone(zone)) return dateTime;
  const local = localOf(dateTime);
  const instant = instantAt(local, zone);
  const offset = offsetAt(instant, zone);
  const moved = instant + offset - local;
  return `${moved === 0 ? dateTime : movedBy(dateTime, moved)}${printOffset(offset)}`;
}

/** A local time moved by whole seconds; its fraction stays, without zeros at the end. */
function movedBy(dateTime: string, ms: number): string {
  const [whole = '', fraction = ''] = dateTime.split('.');
  const digits = fraction.replace(/0+$/, '');
  return `${new Date(localOf(whole) + ms).toISOString().slice(0, 19)}${digits && `.${digits}`}`;
}
