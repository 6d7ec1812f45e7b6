import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';
import {
  describeOwnTimes,
  describeTimes,
  formatShortTime,
  type CalendarEvent,
  type Times,
} from './event-times.ts';

interface CardProps {
  readonly event: CalendarEvent;
  /** Times to show: those under the pointer during a drag, else the event's own. */
  readonly times: Times | undefined;
  /** Time zone of the page. */
  readonly zone: string;
  /** A block also shows end and place. Screen readers always get them. */
  readonly layout: 'line' | 'block';
}

/** Shows an event in a view: title, times and place. */
export function EventCard({ event, times, zone, layout }: CardProps) {
  const { recurringEventId, visibility, location } = event;
  const ownTimes = describeOwnTimes(event, zone);
  return (
    <>
      <span
        className="event-title"
        title={[titleOf(event), times && describeTimes(times), ownTimes].filter(Boolean).join(', ')}
      >
        {recurringEventId && <Icon name="repeat" />}
        {visibility === 'private' && <Icon name="lock" />}
        {titleOf(event)}
      </span>{' '}
      {times && !times.allDay && (
        <span className="event-time" aria-hidden="true">
          {formatShortTime(times.start)}
          {layout === 'block' && <span className="event-end-time"> – {formatShortTime(times.end)}</span>}
        </span>
      )}
      <ScreenReaderText>{times ? describeTimes(times) : ''}</ScreenReaderText>{' '}
      {location &&
        (layout === 'block' ? (
          <span className="event-place">{location}</span>
        ) : (
          <ScreenReaderText>{location}</ScreenReaderText>
        ))}{' '}
      <ScreenReaderText>{[describeMarks(event), ownTimes].filter(Boolean).join(', ')}</ScreenReaderText>
    </>
  );
}

/** Title of an event; a placeholder if the event has none. */
export const titleOf = ({ summary }: CalendarEvent): string => summary || '(no title)';

/** Describes the marks of an event that are visible as icons and line styles only. */
const describeMarks = ({ status, visibility, recurringEventId, attendees }: CalendarEvent): string =>
  [
    status === 'tentative' && 'tentative',
    visibility === 'private' && 'private',
    recurringEventId && 'one of a series',
    attendees?.length && (attendees.length === 1 ? '1 guest' : `${attendees.length} guests`),
  ]
    .filter(Boolean)
    .join(', ');

const ScreenReaderText = ({ children }: { readonly children: ReactNode }) => (
  <span className="hidden">{children}</span>
);
