import type { CalendarRecord } from '../calendar/calendar.ts';
import { addressKey } from '../core/text/email.ts';
import type { EventStore, SeriesState, StandingEvent } from './event.store.ts';
import type { EventTools } from './event.find.ts';
import { asOnCalendar, type EventRecord } from './model/record.ts';
import { ownEvent, ownInstance } from './transfer/as-own.ts';
import { formOf } from './transfer/form.ts';
import { eventContextOf } from './visibility/event-context.ts';

/** How many events are read together. */
const pageSize = 1000;

/**
 * The events of a calendar in the order of their ids, each as `importEvents` takes it: REST bodies with all else that there is
 * to know of an event. An event of another calendar that is exported too stands there alone; one of a calendar that is not,
 * as if it were the guest's own.
 */
export async function* exportEvents(
  store: EventStore,
  calendar: CalendarRecord,
  isExported: (calendarId: string) => boolean,
  { model, links }: Pick<EventTools, 'model' | 'links'>,
): AsyncGenerator<object> {
  const viewer = { identity: addressKey(calendar.owner) };
  const viewOf = (record: EventRecord) =>
    eventContextOf(record, { calendar, viewer, role: 'owner', model, links });
  const stateOn = (state: SeriesState, { series }: StandingEvent): SeriesState | undefined => {
    if (state.record.homeId === calendar.id) return state;
    if (!series) return ownEvent(state, viewOf, calendar.id);
    const record = ownInstance(series, state.record, viewOf, calendar.id);
    return record && { record, exceptions: [] };
  };
  for (let behind = ''; ;) {
    const page = await store.eventsBehind(calendar.id, behind, pageSize);
    const shown = page.filter((event) => isToldHere(event, calendar.id, isExported));
    const states = await store.exceptionsOf(shown.map(({ record }) => record));
    for (const [index, event] of shown.entries()) {
      const state = stateOn(states[index] as SeriesState, event);
      if (state) yield formOf(state.record, state.exceptions, model, isExported);
    }
    if (page.length < pageSize) return;
    behind = page.at(-1)?.eventId ?? '';
  }
}

/** An instance is told with its series, and an event on its home, where these are exported. */
function isToldHere(
  event: StandingEvent,
  calendarId: string,
  isExported: (calendarId: string) => boolean,
): boolean {
  const { record, series } = asOnCalendar(calendarId, event);
  const { homeId } = series ?? record;
  if (series) return !isExported(homeId) && !series.copies[calendarId];
  return homeId === calendarId || !isExported(homeId);
}
