import { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from '../calendar/event-times.ts';
import type { EventInput } from '../gql/graphql.ts';
import { isGroupChanged, draftOf, isDate, type Draft } from './draft.ts';
import { toTimesInput, type TimesChange } from './series-move.ts';

/** New times of an event. */
export interface NewTimes {
  /** The times as sent for a single event. */
  readonly input: Pick<EventInput, 'start' | 'end'>;
  /** The change from the stored times, by which a series moves; undefined for a new event. */
  readonly move: TimesChange | undefined;
}

/**
 * Reads the typed times. A time that is the same as in `storedDraft` keeps its stored instant, even in the
 * hour that clocks repeat in autumn.
 */
export function readTypedTimes(draft: Draft, storedDraft?: Draft, storedTimes?: Times): Times {
  const { allDay } = draft;
  const readSide = (side: 'start' | 'end'): Times['start'] => {
    const fields = [`${side}Date`, `${side}Time`, `${side}Zone`] as const;
    const isUntouched =
      storedDraft?.allDay === allDay && fields.every((field) => storedDraft[field] === draft[field]);
    if (storedTimes && isUntouched) return storedTimes[side];
    const [date, time, timeZone] = fields.map((field) => draft[field]) as [string, string, string];
    if (allDay) return Temporal.PlainDateTime.from(date).add({ days: side === 'end' ? 1 : 0 });
    return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timeZone);
  };
  return { allDay, start: readSide('start'), end: readSide('end') };
}

/** Builds the new times to store from the form; undefined if nothing is to be stored. */
export function buildNewTimes(
  draft: Draft,
  event: CalendarEvent | undefined,
  zone: string,
): NewTimes | undefined {
  const draftBefore = event && draftOf(event, zone);
  // A series needs a time zone in which it repeats.
  const lacksSeriesZone = draftBefore?.zoned === false && isGroupChanged(draftBefore, draft, 'repeats');
  if (draftBefore && !isGroupChanged(draftBefore, draft, 'times') && !lacksSeriesZone) return undefined;
  const { allDay, startZone, endZone } = draft;
  const storedTimes = event && timesOf(event, zone);
  const after = readTypedTimes(draft, draftBefore, storedTimes);
  const { start, end } = toTimesInput(after, zone, draftBefore?.allDay);
  const hasNewZones = draftBefore?.startZone !== startZone || draftBefore.endZone !== endZone;
  const sendsZones = !allDay && (hasNewZones || lacksSeriesZone || draftBefore.allDay);
  return {
    input: sendsZones
      ? { start: { ...start, timeZone: startZone }, end: { ...end, timeZone: endZone } }
      : { start, end },
    move: storedTimes && {
      before: storedTimes,
      after,
      zone,
      ...(sendsZones && { newZones: { start: startZone, end: endZone } }),
    },
  };
}

/** Start of an event as typed. */
export type DraftStart = Pick<Draft, 'startDate' | 'startTime'>;

/** Whether a start is complete. In an all-day event, the hidden time of the form counts too. */
export const isCompleteStart = ({ startDate, startTime }: DraftStart): boolean =>
  isDate(startDate) && startTime !== '';
export const hasCompleteTimes = (draft: Draft): boolean =>
  isCompleteStart(draft) && isDate(draft.endDate) && draft.endTime !== '';

/** Changes the start and moves the end along. The length of the event is that from `lastCompleteStart`. */
export function moveDraftStart(
  draft: Draft,
  lastCompleteStart: DraftStart,
  change: Partial<DraftStart>,
): Partial<Draft> {
  const after = { ...draft, ...change };
  if (!hasCompleteTimes(after) || !isCompleteStart(lastCompleteStart)) return change;
  const toLocal = (date: string, time: string): Temporal.PlainDateTime =>
    Temporal.PlainDateTime.from(draft.allDay ? date : `${date}T${time}`);
  const length = toLocal(lastCompleteStart.startDate, lastCompleteStart.startTime).until(
    toLocal(draft.endDate, draft.endTime),
    {
      largestUnit: 'day',
    },
  );
  // An end before the start is an input to correct, not a length to keep.
  if (length.sign < 0) return change;
  const end = toLocal(after.startDate, after.startTime).add(length);
  return {
    ...change,
    endDate: end.toPlainDate().toString(),
    ...(!draft.allDay && { endTime: end.toPlainTime().toString({ smallestUnit: 'minute' }) }),
  };
}
