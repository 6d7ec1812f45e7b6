import type { Temporal } from 'temporal-polyfill';
import { Button } from '../ui/button.tsx';
import { titleOf } from './event-card.tsx';
import { sortByStart, describeTimes, type CalendarEvent } from './event-times.ts';

/** Number of days, from the visible one on, in which the next event is searched. */
export const lookAheadDays = 14;

interface NextEventProps {
  readonly events: readonly CalendarEvent[];
  readonly date: Temporal.PlainDate;
  readonly zone: string;
  readonly onShowDay: (date: Temporal.PlainDate) => void;
}

/** Names the next event on a day without events. */
export function NextEvent({ events, date, zone, onShowDay }: NextEventProps) {
  const dayEndMs = date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
  const [nextEvent] = sortByStart(events, zone);
  if (nextEvent && nextEvent.startMs < dayEndMs) return null;
  return (
    <p className="next-event">
      No events on this day.{' '}
      {nextEvent ? (
        <Button className="link" onClick={() => onShowDay(nextEvent.times.start.toPlainDate())}>
          Next: {titleOf(nextEvent.event)}, {describeTimes(nextEvent.times)}
        </Button>
      ) : (
        `None in the next ${lookAheadDays} days.`
      )}
    </p>
  );
}
