import { attendeeKey, type EventBody } from '../model/fields.ts';
import {
  noStamp,
  originalStartOf,
  recordAsOnCalendar,
  type EventCopy,
  type EventRecord,
} from '../model/record.ts';
import type { SeriesState } from '../event.store.ts';
import { composeInstance, composeOnCalendar } from '../instances/compose.ts';
import { entryAsShown, withdrawnGuestsOf } from '../instances/instance-guests.ts';
import { createException } from '../instances/exception.ts';
import { isCreator, visibleGuests, seesGuests, type EventContext } from '../visibility/event-context.ts';

type ContextOf = (record: EventRecord) => EventContext;

/** Converts an event of another calendar to a guest's own event with the fields that the guest sees; undefined if uninvited. */
export function asOwnEvent(
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
export function asOwnInstance(
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
  // Guests without an invitation to the instance lack this occurrence of the series.
  if (copy ? copy.state === 'uninvited' : exception.core.attendees)
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
