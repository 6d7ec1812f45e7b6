import { longestOf } from '../core/fields/values.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { type ConferenceMaker, createConferenceMaker } from './conference/create.ts';
import { listedRecord } from './list/nodes.ts';
import type { EventModel } from './model/model.ts';
import {
  type EventRecord,
  instanceOf,
  isDetached,
  recordAsOnCalendar,
  type StoredEvent,
} from './model/record.ts';
import { composeOn, occurs } from './instances/compose.ts';
import type { Links } from './visibility/event-context.ts';

/** What a store found for an id: the event that has it, and the series that the id or the event speaks of. */
interface EventLookup {
  readonly event: EventRecord | undefined;
  readonly series: EventRecord | undefined;
}

/** The event that an id names on a calendar: a stored one, or an occurrence that its series has, changed or not. */
export function findEvent(
  { event, series }: EventLookup,
  eventId: string,
  calendarId: string,
): EventRecord | undefined {
  if (event && !event.instance) return shownOn(event, calendarId);
  const original = event?.instance?.original ?? instanceOf(eventId)?.original;
  if (original === undefined || !series) return undefined;
  const seen =
    event && isDetached(event, series, calendarId) ? series : recordAsOnCalendar(series, calendarId);
  if (!occurs(seen, original)) return undefined;
  return shownOn(composeOn(series, original, event, calendarId), calendarId);
}

/** An exception whose series has no such occurrence any more, as lists show it: cancelled, and not to be changed. */
export function findRemoved({ event, series }: EventLookup, calendarId: string): EventRecord | undefined {
  if (!event?.instance || !series) return undefined;
  const record = listedRecord({ record: event, series }, calendarId);
  return record.copies[calendarId] && record;
}

const shownOn = (record: EventRecord, calendarId: string): EventRecord | undefined =>
  record.copies[calendarId] ? recordAsOnCalendar(record, calendarId) : undefined;

/** Joins two look-ups: of the id, and of the series that the id names. */
export const foundIn = (event: StoredEvent | undefined, series: StoredEvent | undefined): EventLookup => ({
  event: event?.record,
  series: event?.series ?? series?.record,
});

/** Dependencies of all work with events, fixed for the service's life. */
export interface EventTools {
  readonly model: EventModel;
  readonly clock: Clock;
  readonly links: Links & {
    /** The base of the links of calls. */
    readonly call: string;
  };
  /** The key of the signatures on conference data, sync tokens and cursors. */
  readonly signingSecret: string;
  /** Guests are told by mail. */
  readonly mails?: boolean;
  /** The place in a trace from which on mails are sent; empty outside of one. */
  readonly place?: () => string;
}

/** Conferences for one event, signed with the server's key. */
export function conferencesFor(
  { signingSecret, links, model }: EventTools,
  eventId: string,
  summary: string | undefined,
): ConferenceMaker {
  const label = model.field('conferenceData').fields.get('entryPoints')?.fields.get('label');
  const longestLabel = longestOf(label?.value);
  return createConferenceMaker({ eventId, summary, linkBase: links.call, longestLabel }, signingSecret);
}
