import { Temporal } from 'temporal-polyfill';
import { Refused } from '../api/refusal.ts';
import { inZone, momentOf, zonedOf, type Times } from '../calendar/week.ts';
import type { EventFieldsFragment, EventInput } from '../gql/graphql.ts';

/** New times of an event, on the clocks of the page. */
export interface Move {
  readonly before: Times;
  readonly after: Times;
  readonly zone: string;
}

/** The times as they are sent: a moment has its offset, so that the zone that is stored beside it stays. */
export function inputOfTimes(
  { allDay, start, end }: Times,
  zone: string,
  wasAllDay = allDay,
): Required<Pick<EventInput, 'start' | 'end'>> {
  const switched = wasAllDay !== allDay;
  const at = (local: Times['start']) =>
    allDay
      ? { date: local.toPlainDate().toString(), ...(switched && { dateTime: null }) }
      : { dateTime: momentOf(local, zone), ...(switched && { date: null, timeZone: zone }) };
  return { start: at(start), end: at(end) };
}

/**
 * Creates the patch that moves a series by the move of one of its events: by the same difference of local times in the
 * series' zone, so that the hour stays the same all year. The gateway moves the rules and changed instances. Throws if no
 * such patch exists.
 */
export function movedSeries(series: EventFieldsFragment, move: Move): Pick<EventInput, 'start' | 'end'> {
  const shift = shiftOf(series, move);
  const { start, end } = localTimes(series, shift.zone);
  return inputOfTimes(
    { allDay: move.after.allDay, start: start.add(shift.by), end: end.add(shift.endBy) },
    shift.zone,
  );
}

function shiftOf(series: EventFieldsFragment, { before, after, zone }: Move) {
  if (before.allDay !== after.allDay) {
    throw new Refused(
      'cannot',
      'A series cannot be changed between whole days and hours here. Change this event alone, or make a new series.',
    );
  }
  const own = before.allDay ? zone : (series.start?.timeZone ?? zone);
  const between = (from: Times['start'], to: Times['start']): Temporal.Duration =>
    onClocksOf(own, from, zone).until(onClocksOf(own, to, zone), { largestUnit: 'day' });
  return { zone: own, by: between(before.start, after.start), endBy: between(before.end, after.end) };
}

const onClocksOf = (other: string, local: Times['start'], zone: string): Temporal.PlainDateTime =>
  inZone(local, zone).withTimeZone(other).toPlainDateTime();

function localTimes(
  { start, end }: EventFieldsFragment,
  zone: string,
): { start: Temporal.PlainDateTime; end: Temporal.PlainDateTime } {
  const local = (time: EventFieldsFragment['start']): Temporal.PlainDateTime =>
    time?.dateTime
      ? zonedOf(time.dateTime, zone).toPlainDateTime()
      : Temporal.PlainDate.from(time?.date ?? '').toPlainDateTime();
  return { start: local(start), end: local(end) };
}
