import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';
import { clock, spokenTimes, type CalendarEvent, type Times } from './week.ts';

interface CardProps {
  readonly event: CalendarEvent;
  /** Times to show: those of a drag, else the event's own. */
  readonly times: Times | undefined;
  /** Space for visible text. Screen readers get all of it. */
  readonly room: 'line' | 'block';
}

/** Shows an event in a view: title, times and place. */
export function EventCard({ event, times, room }: CardProps) {
  const { recurringEventId, visibility, location } = event;
  return (
    <>
      <span className="event-title">
        {recurringEventId && <Icon name="repeat" />}
        {visibility === 'private' && <Icon name="lock" />}
        {titleOf(event)}
      </span>{' '}
      {times && !times.allDay && (
        <span className="event-time" aria-hidden="true">
          {clock(times.start)}
          {room === 'block' && ` – ${clock(times.end)}`}
        </span>
      )}
      <Hidden>{times ? spokenTimes(times) : ''}</Hidden>{' '}
      {location &&
        (room === 'block' ? (
          <span className="event-place">{location}</span>
        ) : (
          <Hidden>{location}</Hidden>
        ))}{' '}
      <Hidden>{remarksOn(event)}</Hidden>
    </>
  );
}

export const titleOf = ({ summary }: CalendarEvent): string => summary || '(no title)';

/** Describes in words what the look of an event shows. */
const remarksOn = ({ status, visibility, recurringEventId, attendees }: CalendarEvent): string =>
  [
    status === 'tentative' && 'tentative',
    visibility === 'private' && 'private',
    recurringEventId && 'one of a series',
    attendees?.length && `${attendees.length} guests`,
  ]
    .filter(Boolean)
    .join(', ');

const Hidden = ({ children }: { readonly children: ReactNode }) => <span className="hidden">{children}</span>;
