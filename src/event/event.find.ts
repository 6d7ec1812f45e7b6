import { listedRecord } from './list/nodes.ts';
import {
  type EventRecord,
  parseInstanceId,
  isDetached,
  recordAsOnCalendar,
  type StoredEvent,
} from './model/record.ts';
import { composeOn, hasOccurrence } from './instances/compose.ts';

/** Event stored under an id, and the series that the id or the event refers to. */
interface EventLookup {
  readonly event: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/** Finds the event that an id names on a calendar: a stored event, or an instance of a series, changed or not. */
export function findEvent(
  { event, series }: EventLookup,
  eventId: string,
  calendarId: string,
): EventRecord | undefined {
  if (event && !event.instance) return recordIfShown(event, calendarId);
  const original = event?.instance?.original ?? parseInstanceId(eventId)?.original;
  if (original === undefined || !series) return undefined;
  const shownSeries =
    event && isDetached(event, series, calendarId) ? series : recordAsOnCalendar(series, calendarId);
  if (!hasOccurrence(shownSeries, original)) return undefined;
  return recordIfShown(composeOn(series, original, event, calendarId), calendarId);
}

/** Finds an exception whose series lost the occurrence. It shows as cancelled and cannot be changed. */
export function findRemoved({ event, series }: EventLookup, calendarId: string): EventRecord | undefined {
  if (!event?.instance || !series) return undefined;
  // A calendar that lost the series does not learn of instances that were changed later.
  if (!event.copies[calendarId] && series.copies[calendarId]?.state === 'uninvited') return undefined;
  const record = listedRecord({ record: event, series }, calendarId);
  return record.copies[calendarId] && record;
}

const recordIfShown = (record: EventRecord, calendarId: string): EventRecord | undefined =>
  record.copies[calendarId] ? recordAsOnCalendar(record, calendarId) : undefined;

export const lookupOf = (event: StoredEvent | undefined, series: StoredEvent | undefined): EventLookup => ({
  event: event?.record,
  series: event?.series ?? series?.record,
});
