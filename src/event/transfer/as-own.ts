import { attendeeKey, type EventBody } from '../model/fields.ts';
import {
  noStamp,
  originalStartOf,
  recordAsOnCalendar,
  type EventCopy,
  type EventRecord,
} from '../model/record.ts';
import type { SeriesState } from '../event.store.ts';
import { composeInstance, composeOn } from '../instances/compose.ts';
import { asShown, removedGuests } from '../instances/instance-guests.ts';
import { exceptionOf } from '../instances/exception.ts';
import { isCreator, seenGuests, seesGuests, type EventContext } from '../visibility/event-context.ts';

/** An event on a guest's calendar, as the calendar's owner sees it. */
type ViewOf = (record: EventRecord) => EventContext;

/** A foreign event as the guest's own, with what the guest sees; undefined where that is no more than a removal. */
export function ownEvent(
  { record, exceptions }: SeriesState,
  viewOf: ViewOf,
  calendarId: string,
): SeriesState | undefined {
  if (record.copies[calendarId]?.state === 'uninvited') return undefined;
  const own = ownRecord(viewOf(recordAsOnCalendar(record, calendarId)));
  return {
    record: own,
    exceptions: exceptions.flatMap((one) => ownException(own, record, one, viewOf, calendarId) ?? []),
  };
}

/** An instance to which a guest was invited without its series. */
export function ownInstance(
  series: EventRecord,
  exception: EventRecord,
  viewOf: ViewOf,
  calendarId: string,
): EventRecord | undefined {
  const own = exception.copies[calendarId];
  if (!own || own.state === 'uninvited' || exception.instance?.emptied) return undefined;
  const { instance: _instance, ...record } = ownRecord(
    viewOf(composeOn(series, originalStartOf(exception), exception, calendarId)),
  );
  return {
    ...record,
    core: { ...record.core, recurringEventId: own.id.slice(0, -(originalStartOf(exception).length + 1)) },
  };
}

function ownException(
  own: EventRecord,
  series: EventRecord,
  exception: EventRecord,
  viewOf: ViewOf,
  calendarId: string,
): EventRecord | undefined {
  const original = originalStartOf(exception);
  const copy = exception.copies[calendarId];
  if (exception.instance?.emptied) return undefined;
  // Where the guest is not invited to it, the series has no such occurrence for the guest.
  if (copy ? copy.state === 'uninvited' : exception.core.attendees)
    return without(own, exception, copy, calendarId);
  const next = ownRecord(viewOf(composeOn(series, original, exception, calendarId)));
  const before = composeInstance(own, original);
  const made = exceptionOf(own, undefined, {
    before,
    next: {
      ...next,
      core: { ...next.core, recurringEventId: before.core.recurringEventId ?? '' },
      instance: before.instance ?? { series: { calendarId, eventId: '' }, original, answers: {} },
    },
    invites: false,
  });
  const hides = viewOf(recordAsOnCalendar(series, calendarId));
  const coreStamp = seesGuests(hides) ? exception.coreStamp : exception.openStamp;
  const ownCopy = made.copies[calendarId];
  const isSame = Object.keys(made.core).length === 0 && coreStamp.tag === noStamp.tag && !copy;
  if (isSame || !ownCopy) return undefined;
  return {
    ...made,
    coreStamp,
    openStamp: coreStamp,
    copies: { [calendarId]: { ...ownCopy, stamp: copy?.stamp ?? noStamp } },
  };
}

function without(
  series: EventRecord,
  exception: EventRecord,
  copy: EventCopy | undefined,
  calendarId: string,
): EventRecord {
  const original = originalStartOf(exception);
  const eventId = series.copies[calendarId]?.id ?? '';
  // One that never changed would be taken for what the series has.
  const stamp =
    [copy?.stamp, exception.coreStamp].find((one) => one && one.tag !== noStamp.tag) ?? series.coreStamp;
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

function ownRecord(context: EventContext): EventRecord {
  const { record, copy, calendar } = context;
  const { guest: _guest, remains: _remains, apart: _apart, ...own } = copy;
  const coreStamp = seesGuests(context) ? record.coreStamp : record.openStamp;
  return {
    ...record,
    homeId: calendar.id,
    core: seenCore(context),
    coreStamp,
    openStamp: coreStamp,
    copies: { [calendar.id]: own satisfies EventCopy },
  };
}

/** What all share, but for what the calendar's owner does not see. */
function seenCore(context: EventContext): EventBody {
  const { source, attendees, ...core } = context.record.core;
  const removed = removedGuests({ record: context.record });
  const guests =
    attendees &&
    seenGuests(context).map((entry) =>
      attendeeKey(entry) === context.owner ? entry : asShown(entry, removed),
    );
  return { ...core, ...(guests && { attendees: guests }), ...(source && isCreator(context) && { source }) };
}
