import { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { EventInput } from '../gql/graphql.ts';
import { differs, draftOf, isDate, type Draft } from './draft.ts';
import { inputOfTimes, type Move } from './moved-series.ts';

/** New times of a form: as sent, and as a move from the times that were read. */
export interface NewTimes {
  readonly input: Pick<EventInput, 'start' | 'end'>;
  readonly move: Move | undefined;
}

/** The typed times. One that was not touched is the moment that was read, also in an hour that the clocks repeat. */
export function timesIn(draft: Draft, before: Draft | undefined, read: Times | undefined): Times {
  const { allDay, startDate, startTime, endDate, endTime } = draft;
  const at = (date: string, time: string): Temporal.PlainDateTime =>
    Temporal.PlainDateTime.from(allDay ? date : `${date}T${time}`);
  const isAsRead = (date: 'startDate' | 'endDate', time: 'startTime' | 'endTime'): boolean =>
    before?.allDay === allDay && before[date] === draft[date] && before[time] === draft[time];
  return {
    allDay,
    start: read && isAsRead('startDate', 'startTime') ? read.start : at(startDate, startTime),
    end:
      read && isAsRead('endDate', 'endTime') ? read.end : at(endDate, endTime).add({ days: allDay ? 1 : 0 }),
  };
}

/** The times of a form to store; undefined if they are unchanged. */
export function newTimesOf(
  draft: Draft,
  event: CalendarEvent | undefined,
  zone: string,
): NewTimes | undefined {
  const before = event && draftOf(event, zone);
  // A series needs a zone in which it repeats.
  const getsZone = before?.zoned === false && differs(before, draft, 'repeats');
  if (before && !differs(before, draft, 'times') && !getsZone) return undefined;
  const read = event && timesOf(event, zone);
  const after = timesIn(draft, before, read);
  const { start, end } = inputOfTimes(after, zone, before?.allDay);
  // An event that is there keeps its own.
  const inZone = !draft.allDay && (!before || getsZone) && { timeZone: zone };
  return {
    input: { start: { ...start, ...inZone }, end: { ...end, ...inZone } },
    move: read && { before: read, after, zone },
  };
}

export type Start = Pick<Draft, 'startDate' | 'startTime'>;

export const isWholeStart = ({ startDate, startTime }: Start): boolean =>
  isDate(startDate) && startTime !== '';

/** Changes the start of a form, and moves its end along: the length from `before`, the last whole start, is kept. */
export function moveStart(draft: Draft, before: Start, change: Partial<Start>): Partial<Draft> {
  const after = { ...draft, ...change };
  const { endDate, endTime } = draft;
  if (!isWholeStart(after) || !isWholeStart(before) || !isDate(endDate) || endTime === '') return change;
  const at = (date: string, time: string): Temporal.PlainDateTime =>
    Temporal.PlainDateTime.from(draft.allDay ? date : `${date}T${time}`);
  const length = at(before.startDate, before.startTime).until(at(endDate, endTime), { largestUnit: 'day' });
  const end = at(after.startDate, after.startTime).add(length);
  return {
    ...change,
    endDate: end.toPlainDate().toString(),
    ...(!draft.allDay && { endTime: end.toPlainTime().toString({ smallestUnit: 'minute' }) }),
  };
}
