import type { ReactNode } from 'react';
import { describeOwnTimes, describeTimes, timesOf, type CalendarEvent } from '../calendar/event-times.ts';
import { GuestDetails } from './guest-fields.tsx';
import { useSeriesRule } from './use-series-rule.ts';

interface EventViewProps {
  readonly event: CalendarEvent;
  readonly zone: string;
  /** The calendar of the event. */
  readonly calendar: ReactNode;
  /** The colour of the event. */
  readonly children: ReactNode;
}

/** Lists the details of an event, read-only. */
export function EventView({ event, zone, calendar, children }: EventViewProps) {
  const times = timesOf(event, zone);
  const ownTimes = describeOwnTimes(event, zone);
  const seriesRule = useSeriesRule(event, zone);
  const details: readonly (readonly [name: string, content: ReactNode])[] = [
    ['When', times && describeTimes(times) + (ownTimes ? ` (${zone})` : '')],
    ['Repeats', event.recurringEventId && (seriesRule?.description ?? 'One of a series')],
    ['Place', event.location],
    ['Organizer', event.organizer?.email],
    [
      'Guests',
      event.attendees?.length ? (
        <ul>
          {event.attendees.map((guest, index) => (
            <li key={index}>
              <GuestDetails email={guest.email ?? ''} attendee={guest} />
            </li>
          ))}
        </ul>
      ) : undefined,
    ],
    ['Description', event.description],
    ['Calendar', calendar],
    ['Colour', children],
    ['Time zone', times?.allDay ? undefined : (ownTimes ?? zone)],
  ];
  return (
    <dl className="details">
      {details.map(
        ([name, content]) =>
          content && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{content}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
