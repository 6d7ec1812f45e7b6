import type ICAL from 'ical.js';
import { readObject, type ReadEvent } from './mail.harness.ts';
import type { ReceivedMail } from './mailbox.ts';

/** A calendar's reading of a mail, the same for every library. Times are instants; all-day times are dates. */
export type Reading = ReturnType<typeof readMail>;
export type EventReading = ReturnType<typeof readEvent>;

/** Upper bound for the starts of endless series. */
const maxStartMs = Date.UTC(2028, 0, 1);

/** Reads a mail with ical.js. */
export function readMail({ calendarText }: ReceivedMail) {
  const { root, events } = readObject({ calendar: { content: calendarText } });
  return { method: String(root.getFirstPropertyValue('method')), events: events.map(readEvent) };
}

function readEvent({ component, readInstants, readInstant, starts }: ReadEvent) {
  const text = (name: string): string | null => component.getFirstPropertyValue(name) as string | null;
  const isDay = (name: string): boolean =>
    (component.getFirstPropertyValue(name) as ICAL.Time | null)?.isDate ?? false;
  const formatTime = (time: number, name: string): string =>
    isDay(name) ? new Date(time).toISOString().slice(0, 10) : new Date(time).toISOString();
  const time = (name: string): string | null => {
    const instant = readInstant(name);
    return instant === undefined ? null : formatTime(instant, name);
  };
  return {
    uid: text('uid') ?? '',
    sequence: Number(component.getFirstPropertyValue('sequence')),
    stamp: time('dtstamp') ?? '',
    recurrenceId: time('recurrence-id'),
    start: time('dtstart'),
    end: time('dtend'),
    summary: text('summary'),
    description: text('description'),
    location: text('location'),
    status: text('status'),
    comment: text('comment'),
    organizer: addressOf(text('organizer')),
    attendees: component.getAllProperties('attendee').map((property) => {
      const parameter = (name: string): string => String(property.getParameter(name) ?? '');
      return {
        address: addressOf(property.getFirstValue() as string),
        name: parameter('cn'),
        type: parameter('cutype'),
        role: parameter('role'),
        status: parameter('partstat'),
        asked: parameter('rsvp') === 'TRUE',
      };
    }),
    excluded: readInstants('exdate').map((excludedInstant) => formatTime(excludedInstant, 'dtstart')),
    starts:
      component.getFirstProperty('rrule') || component.getFirstProperty('rdate')
        ? starts(maxStartMs).map((startInstant) => formatTime(startInstant, 'dtstart'))
        : null,
  };
}

const addressOf = (uri: string | null): string => decodeURIComponent((uri ?? '').replace(/^mailto:/, ''));
