import type { EventInput } from '@fullcalendar/react';
import { Temporal } from 'temporal-polyfill';
import { mayWrite, type Calendar } from '../calendars/calendar.ts';
import { titleOf } from './event-card.tsx';
import { moveStart } from './time-shift.ts';
import { timesOf, parseZonedTime, type CalendarEvent, type Times } from './event-times.ts';

// Converts between events of the page and those of FullCalendar, which comments call the library.
/** An event as the grid shows it. */
export interface GridEvent {
  readonly event: CalendarEvent;
  readonly color: string;
  readonly isEditable: boolean;
}

const minDisplayMs = 60_000;

/**
 * Converts an event for the library: one entry, or none if its times are not visible. The library sorts by
 * `rank`, so that editable events come first.
 */
export function toLibraryEvents({ event, color, isEditable }: GridEvent, zone: string): EventInput[] {
  const times = timesOf(event, zone);
  if (!times) return [];
  const { start, end } = event;
  const hasNoLength = !times.allDay && start?.dateTime === end?.dateTime;
  return [
    {
      id: event.nodeId,
      title: titleOf(event),
      allDay: times.allDay,
      color,
      editable: isEditable,
      rank: isEditable ? 0 : 1,
      status: event.status,
      start: start?.date ?? start?.dateTime ?? undefined,
      end: hasNoLength
        ? Date.parse(end?.dateTime ?? '') + minDisplayMs
        : (end?.date ?? end?.dateTime ?? undefined),
      // The library redraws a card when this object changes.
      source: event,
    },
  ];
}

/** Parses a time in the library's format: a date, or a date and time with its offset. */
const parseLibraryTime = (allDay: boolean, text: string, zone: string): Times['start'] =>
  allDay ? Temporal.PlainDate.from(text).toPlainDateTime() : parseZonedTime(text, zone);

export const toPlainDate = (instant: Date, zone: string): Temporal.PlainDate =>
  parseZonedTime(instant.toISOString(), zone).toPlainDate();

/** A selection or event of the library. */
interface LibraryTimes {
  readonly allDay: boolean;
  readonly startStr: string;
  readonly endStr?: string;
}

/** Converts times of the library. Without an end they last a day or an hour. */
export function fromLibraryTimes({ allDay, startStr, endStr }: LibraryTimes, zone: string): Times {
  const start = parseLibraryTime(allDay, startStr, zone);
  return {
    allDay,
    start,
    end: endStr ? parseLibraryTime(allDay, endStr, zone) : start.add(allDay ? { days: 1 } : { hours: 1 }),
  };
}

/** Returns the times after a drop. Between all-day and timed the length becomes a day or an hour; else it is kept. */
export function timesAfterDrop(
  previousTimes: Times,
  { allDay, startStr }: Pick<LibraryTimes, 'allDay' | 'startStr'>,
  zone: string,
): Times {
  const times = fromLibraryTimes({ allDay, startStr }, zone);
  return previousTimes.allDay === allDay ? moveStart(previousTimes, times.start, zone) : times;
}

/**
 * Leaves out copies of a meeting of which an earlier calendar has one: events with its iCalUID and start. Free/busy
 * readers see no iCalUID, so their copies are found by the id, which the calendars of guests share; a copy with
 * details replaces them. The organizer's copy on a writable calendar stays, as only there the meeting can be changed.
 */
export function withoutCopies(
  events: readonly CalendarEvent[],
  calendars: readonly Calendar[],
): readonly CalendarEvent[] {
  const writableIds = new Set(calendars.filter(mayWrite).map(({ id }) => id));
  const isChangeable = ({ calendarId, organizer }: CalendarEvent): boolean =>
    organizer?.self === true && writableIds.has(calendarId);
  const shownByStart = new Map<number, CalendarEvent[]>();
  for (const event of events) {
    const startMs = Date.parse(event.start?.date ?? event.start?.dateTime ?? '');
    const shownEvents = shownByStart.get(startMs) ?? [];
    shownByStart.set(startMs, shownEvents);
    const index = shownEvents.findIndex(({ iCalUID, id }) =>
      iCalUID && event.iCalUID ? iCalUID === event.iCalUID : id === event.id,
    );
    const shownEvent = shownEvents[index];
    if (!shownEvent || (isChangeable(event) && !isChangeable(shownEvent))) shownEvents.push(event);
    else if (!shownEvent.iCalUID && event.iCalUID) shownEvents[index] = event;
  }
  const shownEvents = new Set([...shownByStart.values()].flat());
  return events.filter((event) => shownEvents.has(event));
}

/** Returns events with the times of pending moves, and the moved events that are not loaded for the visible days. */
export function withPendingMoves(
  events: readonly CalendarEvent[],
  movedEvents: ReadonlyMap<string, CalendarEvent>,
): readonly CalendarEvent[] {
  const loadedIds = new Set(events.map(({ nodeId }) => nodeId));
  const loadedEvents = events.map((event) => {
    const movedEvent = movedEvents.get(event.nodeId);
    return movedEvent ? { ...event, start: movedEvent.start, end: movedEvent.end } : event;
  });
  return [...loadedEvents, ...[...movedEvents.values()].filter(({ nodeId }) => !loadedIds.has(nodeId))];
}
