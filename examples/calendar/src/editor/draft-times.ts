import { Temporal } from 'temporal-polyfill';
import { momentOf, type Times } from '../calendar/week.ts';
import type { EventInput } from '../gql/graphql.ts';
import { differs, type Draft } from './draft.ts';

/** The times of a form; undefined where its fields hold none. */
export function timesIn({ allDay, startDate, startTime, endDate, endTime }: Draft): Times | undefined {
  try {
    const at = (date: string, time: string): Temporal.PlainDateTime => Temporal.PlainDateTime.from(allDay ? date : `${date}T${time}`);
    const end = at(endDate, endTime);
    return { allDay, start: at(startDate, startTime), end: allDay ? end.add({ days: 1 }) : end };
  } catch {
    return undefined;
  }
}

/** The times to send; nothing where they stay as they are. */
export function timesInputOf(draft: Draft, before: Draft | undefined, zone: string): Pick<EventInput, 'start' | 'end'> | undefined {
  // A series needs a zone in which it repeats.
  const getsZone = before?.zoned === false && differs(before, draft, 'repeats');
  if (before && !differs(before, draft, 'times') && !getsZone) return undefined;
  const switched = before && before.allDay !== draft.allDay;
  if (draft.allDay) {
    const clear = switched && { dateTime: null };
    return { start: { date: draft.startDate, ...clear }, end: { date: dayAfter(draft.endDate), ...clear } };
  }
  const clear = switched && { date: null };
  // An event that is there keeps its own.
  const inZone = (!before || switched || getsZone) && { timeZone: zone };
  const at = (date: string, time: string) => ({ dateTime: momentAt(date, time, zone), ...inZone, ...clear });
  return { start: at(draft.startDate, draft.startTime), end: at(draft.endDate, draft.endTime) };
}

/** What is no date or time goes as it was typed: the gateway says at which field it is missing. */
function momentAt(date: string, time: string, zone: string): string {
  const local = `${date}T${time}`;
  try {
    return momentOf(Temporal.PlainDateTime.from(local), zone);
  } catch {
    return local;
  }
}

function dayAfter(date: string): string {
  try {
    return Temporal.PlainDate.from(date).add({ days: 1 }).toString();
  } catch {
    return date;
  }
}
