import { maxLengthOf } from '../core/fields/values.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { type ConferenceMaker, createConferenceMaker } from './conference/create.ts';
import { listedRecord } from './list/nodes.ts';
import type { EventModel } from './model/model.ts';
import {
  type EventRecord,
  parseInstanceId,
  isDetached,
  recordAsOnCalendar,
  type StoredEvent,
} from './model/record.ts';
import { composeOn, hasOccurrence } from './instances/compose.ts';
import type { Links } from './visibility/event-context.ts';

/** Loaded event with an id, and the series that the id or the event refers to. */
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
  const record = listedRecord({ record: event, series }, calendarId);
  return record.copies[calendarId] && record;
}

const recordIfShown = (record: EventRecord, calendarId: string): EventRecord | undefined =>
  record.copies[calendarId] ? recordAsOnCalendar(record, calendarId) : undefined;

export const lookupOf = (event: StoredEvent | undefined, series: StoredEvent | undefined): EventLookup => ({
  event: event?.record,
  series: event?.series ?? series?.record,
});

/** Dependencies of the event service's functions, fixed for its lifetime. */
export interface EventTools {
  readonly model: EventModel;
  readonly clock: Clock;
  readonly links: Links & {
    readonly call: string;
  };
  /** Key that signs conference data, and seals sync tokens and cursors. */
  readonly signingSecret: string;
  /** Sends mails to guests. */
  readonly mails?: boolean;
  /** Place in a trace that mails continue; empty outside of a trace. */
  readonly traceparent?: () => string;
}

export function conferenceMakerFor(
  { signingSecret, links, model }: EventTools,
  eventId: string,
  summary: string | undefined,
): ConferenceMaker {
  const label = model.field('conferenceData').fields.get('entryPoints')?.fields.get('label');
  const maxLabelLength = maxLengthOf(label?.value);
  return createConferenceMaker({ eventId, summary, linkBase: links.call, maxLabelLength }, signingSecret);
}
