import type ICAL from 'ical.js';
import { readICalendar, type ReadEvent } from './mail.harness.ts';
import type { ReceivedMail } from './mailbox.ts';

/** A calendar's reading of a mail, the same for every library. Times are instants; all-day times are dates. */
export type Reading = ReturnType<typeof readMail>;
export type EventReading = ReturnType<typeof readEvent>;

/** Upper bound for the starts of endless series. */
const maxStartMs = Date.UTC(2028, 0, 1);

/** Reads a mail with ical.js. */
export function readMail({ calendarText }: ReceivedMail) {
  const { root, events } = readICalendar({ calendar: { content: calendarText } });
  return { method: String(root.getFirstPropertyValue('method')), events: events.map(readEvent) };
}

function readEvent({ component, readInstants, readInstant, starts }: ReadEvent) {
  const readText = (name: string): string | null => component.getFirstPropertyValue(name) as string | null;
  const isAllDay = (name: string): boolean =>
    (component.getFirstPropertyValue(name) as ICAL.Time | null)?.isDate ?? false;
  const formatTime = (timeMs: number, name: string): string =>
    isAllDay(name) ? new Date(timeMs).toISOString().slice(0, 10) : new Date(timeMs).toISOString();
  const readTime = (name: string): string | null => {
    const instantMs = readInstant(name);
    return instantMs === undefined ? null : formatTime(instantMs, name);
  };
  return {
    uid: readText('uid') ?? '',
    sequence: Number(component.getFirstPropertyValue('sequence')),
    stamp: readTime('dtstamp') ?? '',
    recurrenceId: readTime('recurrence-id'),
    start: readTime('dtstart'),
    end: readTime('dtend'),
    summary: readText('summary'),
    description: readText('description'),
    location: readText('location'),
    status: readText('status'),
    comment: readText('comment'),
    organizer: addressOf(readText('organizer')),
    attendees: component.getAllProperties('attendee').map((property) => {
      const readParameter = (name: string): string => String(property.getParameter(name) ?? '');
      return {
        address: addressOf(property.getFirstValue() as string),
        name: readParameter('cn'),
        type: readParameter('cutype'),
        role: readParameter('role'),
        status: readParameter('partstat'),
        /** Whether the mail asks this guest for a response. */
        asked: readParameter('rsvp') === 'TRUE',
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
