import type { StoredEvent } from './event.store.ts';
import type { EventRecord } from './model/record.ts';
import { composeInstance, occurs } from './recurrence/compose.ts';
import { instanceOf } from './model/record.ts';

/** What a store found for an id: the event that has it, and the series that the id or the event speaks of. */
export interface FoundEvent {
  readonly event: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/**
 * The event that an id names on a calendar: a stored one, or an occurrence of a series, changed or not. Undefined when
 * there is none, also for an occurrence that the series has no more.
 */
export function findEvent({ event, series }: FoundEvent, eventId: string): EventRecord | undefined {
  if (event && !event.instance) return event;
  const original = event?.instance?.original ?? instanceOf(eventId)?.original;
  if (original === undefined || !series || !occurs(series, original)) return undefined;
  return composeInstance(series, original, event);
}

/** The same of two look-ups: of the id, and of the series that the id speaks of. */
export const foundIn = (event: StoredEvent | undefined, series: StoredEvent | undefined): FoundEvent => ({
  event: event?.record,
  series: event?.series ?? series?.record,
});
