import type { EventInput } from '@fullcalendar/react';
import { Temporal } from 'temporal-polyfill';
import { titleOf } from './event-card.tsx';
import { movedTo } from './shift.ts';
import { timesOf, zonedOf, type CalendarEvent, type Times } from './week.ts';

export interface GridEvent {
  readonly event: CalendarEvent;
  readonly color: string;
  /** Whether it may be moved. */
  readonly editable: boolean;
}

/** Converts an event for the library; none if no time of it is visible. `place` orders events of the same time and title. */
export function inputsOf({ event, color, editable }: GridEvent, place: number, zone: string): EventInput[] {
  const times = timesOf(event, zone);
  if (!times) return [];
  const { start, end } = event;
  // An event without a length gets a visible one.
  const isMoment = !times.allDay && start?.dateTime === end?.dateTime;
  return [
    {
      id: event.nodeId,
      title: titleOf(event),
      allDay: times.allDay,
      color,
      editable,
      place,
      status: event.status,
      start: start?.date ?? start?.dateTime ?? undefined,
      end: isMoment ? Date.parse(end?.dateTime ?? '') + 60_000 : (end?.date ?? end?.dateTime ?? undefined),
      // The library redraws a card when this object changes.
      shown: event,
    },
  ];
}

/** A time as the library writes it: a day, or a moment with its offset. */
const localOf = (allDay: boolean, text: string, zone: string): Times['start'] =>
  allDay ? Temporal.PlainDate.from(text).toPlainDateTime() : zonedOf(text, zone);

export const dateAt = (moment: Date, zone: string): Temporal.PlainDate =>
  zonedOf(moment.toISOString(), zone).toPlainDate();

/** A span of the library; without an end it is a day or an hour. */
export function timesAt(
  {
    allDay,
    startStr,
    endStr,
  }: { readonly allDay: boolean; readonly startStr: string; readonly endStr?: string },
  zone: string,
): Times {
  const start = localOf(allDay, startStr, zone);
  return {
    allDay,
    start,
    end: endStr ? localOf(allDay, endStr, zone) : start.add(allDay ? { days: 1 } : { hours: 1 }),
  };
}

/** A move keeps the length, save between the all-day row and the hours: a day there, an hour here. */
export function dropped(
  before: Times,
  { allDay, startStr }: { readonly allDay: boolean; readonly startStr: string },
  zone: string,
): Times {
  const empty = timesAt({ allDay, startStr }, zone);
  return before.allDay === allDay ? movedTo(before, empty.start, zone) : empty;
}
