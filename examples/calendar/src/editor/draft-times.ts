import { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { EventInput } from '../gql/graphql.ts';
import { differs, draftOf, type Draft } from './draft.ts';
import { inputOfTimes, type Move } from './moved-series.ts';

/** New times of a form: as sent, and as a move from the times that were read. */
export interface NewTimes {
  readonly input: Pick<EventInput, 'start' | 'end'>;
  readonly move: Move | undefined;
}

/** The times that were typed; one that was not touched is the moment that was read, also in the hour that comes twice. */
function timesIn(draft: Draft, before: Draft | undefined, read: Times | undefined): Times {
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

/** The times of a form to store; undefined where they stay as they were read. */
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
