import { instanceOf, isApart, seenOn, type EventRecord, type StoredEvent } from './model/record.ts';
import { listedRecord } from './list/nodes.ts';
import { composeOn, occurs } from './recurrence/compose.ts';

/** What a store found for an id: the event that has it, and the series that the id or the event speaks of. */
export interface FoundEvent {
  readonly event: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/**
 * The event that an id names on a calendar: a stored one, or an occurrence of a series, changed or not. Undefined when
 * there is none, also for an occurrence that the series has no more.
 */
export function findEvent(
  { event, series }: FoundEvent,
  eventId: string,
  calendarId: string,
): EventRecord | undefined {
  if (event && !event.instance) return shownOn(event, calendarId);
  const original = event?.instance?.original ?? instanceOf(eventId)?.original;
  if (original === undefined || !series) return undefined;
  const seen = event && isApart(event, series, calendarId) ? series : seenOn(series, calendarId);
  if (!occurs(seen, original)) return undefined;
  return shownOn(composeOn(series, original, event, calendarId), calendarId);
}

/** An exception whose series has no such occurrence any more, as lists show it: cancelled, and not to be changed. */
export function findRemoved({ event, series }: FoundEvent, calendarId: string): EventRecord | undefined {
  if (!event?.instance || !series) return undefined;
  const record = listedRecord({ record: event, series }, calendarId);
  return record.copies[calendarId] && record;
}

const shownOn = (record: EventRecord, calendarId: string): EventRecord | undefined =>
  record.copies[calendarId] ? seenOn(record, calendarId) : undefined;

/** Joins two look-ups: of the id, and of the series that the id names. */
export const foundIn = (event: StoredEvent | undefined, series: StoredEvent | undefined): FoundEvent => ({
  event: event?.record,
  series: event?.series ?? series?.record,
});
