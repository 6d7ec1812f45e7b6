import type { Viewer } from '../access/permissions.ts';
import { resolveCalendarRef, openCalendar } from '../calendar/calendar.access.ts';
import { requireValid } from '../core/errors.ts';
import type { RequestKey } from '../core/runtime/request-loader.ts';
import { argumentIssues, eventNotFoundError, type GetEventArgs } from './event.requests.ts';
import type { ChangeState } from './event.store.ts';
import type { InstanceDependencies } from './list/instances.ts';
import { composeListedRecord } from './list/instance-nodes.ts';
import { type EventRecord, parseInstanceId, isDetached, recordAsOnCalendar } from './model/record.ts';
import { composeOnCalendar, hasOccurrence } from './instances/compose.ts';
import { isExpired, retentionCutoff } from './instances/removed-instances.ts';
import { seesGuests } from './visibility/event-context.ts';
import { type EventView, viewOf } from './visibility/event-view.ts';
import { looksLikeSeries } from './visibility/visible-state.ts';

/** Event stored under an id, and the series that the id or the event refers to. */
type EventLookup = Pick<ChangeState, 'event' | 'series'>;

/** Finds the event that an id names on a calendar: a stored event, or an instance of a series, changed or not. */
export function findEvent(
  { event, series }: EventLookup,
  eventId: string,
  calendarId: string,
): EventRecord | undefined {
  if (event && !event.instance) return recordIfShown(event, calendarId);
  const original = event?.instance?.original ?? parseInstanceId(eventId)?.original;
  if (original === undefined || !series) return undefined;
  const isDetachedHere = event !== undefined && isDetached(event, series, calendarId);
  const shownSeries = isDetachedHere ? series : recordAsOnCalendar(series, calendarId);
  if (!hasOccurrence(shownSeries, original)) return undefined;
  return recordIfShown(composeOnCalendar(series, original, event, calendarId), calendarId);
}

/** Finds an exception whose series lost the occurrence: it shows as cancelled and cannot be changed. */
function findOrphanedException({ event, series }: EventLookup, calendarId: string): EventRecord | undefined {
  if (!event?.instance || !series) return undefined;
  // A calendar whose owner was removed from the series does not learn of instances that were changed later.
  if (!event.copies[calendarId] && series.copies[calendarId]?.state === 'uninvited') return undefined;
  const record = composeListedRecord({ record: event, series }, calendarId);
  return record.copies[calendarId] && record;
}

/** Record as a calendar shows it; undefined if the calendar does not have it. */
const recordIfShown = (record: EventRecord, calendarId: string): EventRecord | undefined =>
  record.copies[calendarId] ? recordAsOnCalendar(record, calendarId) : undefined;

/** Reads an event, or an instance of a series. Throws NOT_FOUND if the viewer never saw it, or it was removed long ago. */
export async function getEvent(
  viewer: Viewer,
  args: GetEventArgs,
  { readCalendar, readEvent, eventContext, clock }: InstanceDependencies,
  request: RequestKey,
): Promise<EventView> {
  const ref = resolveCalendarRef(args.calendarId, viewer);
  const openedCalendar = openCalendar(await readCalendar(request, ref), ref, viewer, 'freeBusyReader');
  const calendarId = openedCalendar.calendar.id;
  const seriesId = parseInstanceId(args.eventId)?.seriesId;
  const [event, series] = await Promise.all([
    readEvent(request, { calendarId, eventId: args.eventId }),
    seriesId === undefined ? undefined : readEvent(request, { calendarId, eventId: seriesId }),
  ]);
  const lookup = { event: event?.record, series: event?.series ?? series?.record };
  const foundRecord = findEvent(lookup, args.eventId, calendarId);
  const orphanedException = foundRecord ? undefined : findOrphanedException(lookup, calendarId);
  const shownRecord = foundRecord ?? orphanedException;
  if (!shownRecord) throw eventNotFoundError();
  const context = eventContext(shownRecord, openedCalendar, viewer);
  if (orphanedException && event) {
    const isExpiredRecord = isExpired(event.record, retentionCutoff(clock()));
    if (isExpiredRecord || looksLikeSeries(calendarId, event, !seesGuests(context), viewer.identity))
      throw eventNotFoundError();
  }
  requireValid(argumentIssues(args));
  return viewOf(context, args);
}
