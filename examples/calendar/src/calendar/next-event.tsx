import type { Temporal } from 'temporal-polyfill';
import { titleOf } from './event-card.tsx';
import { inZone, spokenTimes, timesOf, type CalendarEvent } from './week.ts';

/** The number of days, from the shown one on, in which the next event is looked for. */
export const daysAhead = 14;

interface NextProps {
  readonly events: readonly CalendarEvent[];
  readonly date: Temporal.PlainDate;
  readonly zone: string;
  readonly onDay: (date: Temporal.PlainDate) => void;
}

/** Says on a day without events when the next one is. */
export function NextEvent({ events, date, zone, onDay }: NextProps) {
  const end = date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
  const timed = events.flatMap((event) => {
    const times = timesOf(event, zone);
    return times ? [{ event, times, start: inZone(times.start, zone).epochMilliseconds }] : [];
  });
  if (timed.some(({ start }) => start < end)) return null;
  const [next] = timed.sort((one, other) => one.start - other.start);
  return (
    <p className="next-event">
      No events on this day.{' '}
      {next ? (
        <button type="button" className="link" onClick={() => onDay(next.times.start.toPlainDate())}>
          Next: {titleOf(next.event)}, {spokenTimes(next.times)}
        </button>
      ) : (
        `None in the next ${daysAhead} days.`
      )}
    </p>
  );
}
