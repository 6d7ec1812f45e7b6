import type { ReactNode } from 'react';
import { spokenTimes, timesOf, type CalendarEvent } from '../calendar/week.ts';
import { KnownGuest } from './guest-fields.tsx';
import { useSeriesRule } from './use-series-rule.ts';

interface ViewProps {
  readonly event: CalendarEvent;
  readonly zone: string;
  readonly calendarName: string;
  /** The colour of the event. */
  readonly children: ReactNode;
}

/** The details of an event, without a form. */
export function EventView({ event, zone, calendarName, children }: ViewProps) {
  const times = timesOf(event, zone);
  const series = useSeriesRule(event, zone);
  const rows: readonly (readonly [name: string, value: ReactNode])[] = [
    ['When', times && spokenTimes(times)],
    ['Repeats', event.recurringEventId && (series?.words ?? 'One of a series')],
    ['Place', event.location],
    ['Organizer', event.organizer?.email],
    [
      'Guests',
      event.attendees?.length ? (
        <ul>
          {event.attendees.map((guest, index) => (
            <li key={index}>
              <KnownGuest email={guest.email ?? ''} known={guest} />
            </li>
          ))}
        </ul>
      ) : undefined,
    ],
    ['Description', event.description],
    ['Calendar', calendarName],
    ['Colour', children],
    ['Time zone', times?.allDay ? undefined : (event.start?.timeZone ?? zone)],
  ];
  return (
    <dl className="details">
      {rows.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
