import type { CalendarRecord } from '../calendar/calendar.ts';
import { addressKey } from '../core/text/email.ts';
import type { EventStore, SeriesState, EventOnCalendar } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { asOnCalendar, type EventRecord } from './model/record.ts';
import { asOwnEvent, asOwnInstance } from './transfer/to-own-event.ts';
import { createExportForm } from './transfer/exported-event.ts';
import { eventContextOf } from './visibility/event-context.ts';

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
