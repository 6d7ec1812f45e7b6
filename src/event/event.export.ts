import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { addressKey } from '../core/text/email.ts';
import type { EventStore, SeriesState, EventOnCalendar } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import {
  asOnCalendar,
  type EventRecord,
  noStamp,
  originalStartOf,
  recordAsOnCalendar,
  type EventCopy,
} from './model/record.ts';
import { createExportForm } from './transfer/exported-event.ts';
import {
  eventContextOf,
  isCreator,
  visibleGuests,
  seesGuests,
  type EventContext,
} from './visibility/event-context.ts';
import { attendeeKey, type EventBody } from './model/fields.ts';
import { composeInstance, composeOnCalendar } from './instances/compose.ts';
import { entryAsShown, withdrawnGuestsOf } from './instances/instance-guests.ts';
import { createException } from './instances/exception.ts';

/** Number of events that are read at once. */
const pageSize = 1000;

/**
 * Exports the events of a calendar by id, as REST bodies with the members that `importEvents` reads. An event of another
 * exported calendar is exported only there; one of a calendar that is not exported becomes the guest's own.
 */
export async function* exportEvents(
  store: EventStore,
  calendar: CalendarRecord,
  isExported: (calendarId: string) => boolean,
  { model, links }: Pick<EventTools, 'model' | 'links'>,
): AsyncGenerator<object> {
  const viewer = { identity: addressKey(calendar.owner) };
  const contextOf = (record: EventRecord) =>
    eventContextOf(record, { calendar, viewer, role: 'owner', model, links });
  const exportedStateOf = (state: SeriesState, { series }: EventOnCalendar): SeriesState | undefined => {
    if (state.record.homeId === calendar.id) return state;
    if (!series) return asOwnEvent(state, contextOf, calendar.id);
    const record = asOwnInstance(series, state.record, contextOf, calendar.id);
    return record && { record, exceptions: [] };
  };
  for (let lastId = ''; ;) {
    const page = await store.eventsAfter(calendar.id, lastId, pageSize);
    const exportedEvents = page.filter((event) => isExportedHere(event, calendar.id, isExported));
    const states = await store.exceptionsOf(exportedEvents.map(({ record }) => record));
    for (const [index, event] of exportedEvents.entries()) {
      const state = exportedStateOf(states[index] as SeriesState, event);
      if (state) yield createExportForm(state.record, state.exceptions, model, isExported);
    }
    if (page.length < pageSize) return;
    lastId = page.at(-1)?.eventId ?? '';
  }
}

/** Whether an event belongs in this calendar's file, not in that of its home calendar or with its series. */
function isExportedHere(
  event: EventOnCalendar,
  calendarId: string,
  isExported: (calendarId: string) => boolean,
): boolean {
  const { record, series } = asOnCalendar(calendarId, event);
  const { homeId } = series ?? record;
  if (series) return !isExported(homeId) && !series.copies[calendarId];
  return homeId === calendarId || !isExported(homeId);
}

type ContextOf = (record: EventRecord) => EventContext;

/** Converts an event of another calendar to a guest's own event with the fields that the guest sees; undefined if uninvited. */
function asOwnEvent(
  { record, exceptions }: SeriesState,
  contextOf: ContextOf,
  calendarId: string,
): SeriesState | undefined {
  if (record.copies[calendarId]?.state === 'uninvited') return undefined;
  const ownSeries = asOwnRecord(contextOf(recordAsOnCalendar(record, calendarId)));
  return {
    record: ownSeries,
    exceptions: exceptions.flatMap(
      (exception) => asOwnException(ownSeries, record, exception, contextOf, calendarId) ?? [],
    ),
  };
}

/** Converts an instance to which a guest was invited without its series to a single event. */
function asOwnInstance(
  series: EventRecord,
  exception: EventRecord,
  contextOf: ContextOf,
  calendarId: string,
): EventRecord | undefined {
  const copy = exception.copies[calendarId];
  if (!copy || copy.state === 'uninvited' || exception.instance?.emptied) return undefined;
  const { instance: _instance, ...record } = asOwnRecord(
    contextOf(composeOnCalendar(series, originalStartOf(exception), exception, calendarId)),
  );
  return {
    ...record,
    // The id of the series is that of the instance without `_` and the original start.
    core: { ...record.core, recurringEventId: copy.id.slice(0, -(originalStartOf(exception).length + 1)) },
  };
}

/** Converts an exception to one of the guest's own series; undefined if it equals the occurrence there. */
function asOwnException(
  ownSeries: EventRecord,
  series: EventRecord,
  exception: EventRecord,
  contextOf: ContextOf,
  calendarId: string,
): EventRecord | undefined {
  const original = originalStartOf(exception);
  const copy = exception.copies[calendarId];
  if (exception.instance?.emptied) return undefined;
  // Guests without an invitation to the instance lack this occurrence of the series. Its own list may be null.
  if (copy ? copy.state === 'uninvited' : exception.core.attendees !== undefined)
    return createRemovedInstance(ownSeries, exception, copy, calendarId);
  const next = asOwnRecord(contextOf(composeOnCalendar(series, original, exception, calendarId)));
  const before = composeInstance(ownSeries, original);
  const ownException = createException(ownSeries, undefined, {
    before,
    next: {
      ...next,
      core: { ...next.core, recurringEventId: before.core.recurringEventId ?? '' },
      instance: before.instance ?? { series: { calendarId, eventId: '' }, original, answers: {} },
    },
  });
  const seriesContext = contextOf(recordAsOnCalendar(series, calendarId));
  const coreStamp = seesGuests(seriesContext) ? exception.coreStamp : exception.openStamp;
  const ownCopy = ownException.copies[calendarId];
  const isUnchanged = Object.keys(ownException.core).length === 0 && coreStamp.tag === noStamp.tag && !copy;
  if (isUnchanged || !ownCopy) return undefined;
  return {
    ...ownException,
    coreStamp,
    openStamp: coreStamp,
    copies: { [calendarId]: { ...ownCopy, stamp: copy?.stamp ?? noStamp } },
  };
}

/** Exception that cancels an occurrence to which the guest is not invited. */
function createRemovedInstance(
  series: EventRecord,
  exception: EventRecord,
  copy: EventCopy | undefined,
  calendarId: string,
): EventRecord {
  const original = originalStartOf(exception);
  const eventId = series.copies[calendarId]?.id ?? '';
  // A copy without a stamp would count as unchanged.
  const stamp =
    [copy?.stamp, exception.coreStamp].find((candidate) => candidate && candidate.tag !== noStamp.tag) ??
    series.coreStamp;
  return {
    ...exception,
    homeId: calendarId,
    core: {},
    coreStamp: noStamp,
    openStamp: noStamp,
    copies: { [calendarId]: { id: `${eventId}_${original}`, state: 'removed', stamp, own: {} } },
    instance: { series: { calendarId, eventId }, original, answers: {} },
  };
}

/** Record of a guest's own event, with the fields and stamps that the guest sees. */
function asOwnRecord(context: EventContext): EventRecord {
  const { record, copy, calendar } = context;
  const { guest: _guest, remains: _remains, apart: _apart, ...copyWithoutGuest } = copy;
  const coreStamp = seesGuests(context) ? record.coreStamp : record.openStamp;
  return {
    ...record,
    homeId: calendar.id,
    core: visibleCore(context),
    coreStamp,
    openStamp: coreStamp,
    copies: { [calendar.id]: copyWithoutGuest satisfies EventCopy },
  };
}

/** Core of an event without parts that the calendar's owner does not see. */
function visibleCore(context: EventContext): EventBody {
  const { source, attendees, ...core } = context.record.core;
  const withdrawnKeys = withdrawnGuestsOf({ record: context.record });
  const guests =
    attendees &&
    visibleGuests(context).map((entry) =>
      attendeeKey(entry) === context.owner ? entry : entryAsShown(entry, withdrawnKeys),
    );
  return { ...core, ...(guests && { attendees: guests }), ...(source && isCreator(context) && { source }) };
}
