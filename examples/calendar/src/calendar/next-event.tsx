import type { Temporal } from 'temporal-polyfill';
import { titleOf } from './event-card.tsx';
import { inZone, spokenTimes, timesOf, type CalendarEvent } from './week.ts';

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
  const datedEvents = events.flatMap((event) => {
    const times = timesOf(event, zone);
    return times ? [{ event, times, startMs: inZone(times.start, zone).epochMilliseconds }] : [];
  });
  if (datedEvents.some(({ startMs }) => startMs < dayEndMs)) return null;
  const [nextEvent] = datedEvents.sort((earlier, later) => earlier.startMs - later.startMs);
  return (
    <p className="next-event">
      No events on this day.{' '}
      {nextEvent ? (
        <button type="button" className="link" onClick={() => onShowDay(nextEvent.times.start.toPlainDate())}>
          Next: {titleOf(nextEvent.event)}, {spokenTimes(nextEvent.times)}
        </button>
      ) : (
        `None in the next ${lookAheadDays} days.`
      )}
    </p>
  );
}
