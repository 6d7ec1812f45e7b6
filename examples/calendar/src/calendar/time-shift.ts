import { Temporal } from 'temporal-polyfill';
import { toZonedTime, type Times } from './event-times.ts';

/** Difference by which an event, or only its end, moves. */
export interface TimeShift {
  readonly days: number;
  readonly minutes: number;
  readonly isEndOnly: boolean;
}

const stepMinutes = 15;
const dayDirections: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
const timeDirections: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** Returns the shift of a key: Alt with an arrow moves an event; Alt, Shift and up or down move its end. */
export function timeShiftForKey(
  { key, altKey, shiftKey }: Pick<KeyboardEvent, 'key' | 'altKey' | 'shiftKey'>,
  allDay: boolean,
): TimeShift | undefined {
  if (!altKey) return undefined;
  const days = shiftKey ? undefined : dayDirections[key];
  if (days !== undefined) return { days, minutes: 0, isEndOnly: false };
  const steps = timeDirections[key];
  if (steps === undefined || (allDay && !shiftKey)) return undefined;
  return { days: allDay ? steps : 0, minutes: allDay ? 0 : steps * stepMinutes, isEndOnly: shiftKey };
}

/** Applies a shift. Minutes are elapsed time, also when the clocks change; days keep the time on the clock. */
export function shiftTimes(times: Times, { days, minutes, isEndOnly }: TimeShift, zone: string): Times {
  if (!isEndOnly) return moveStart(times, times.start.add({ days, minutes }), zone);
  const end = times.end.add({ days, minutes });
  return Temporal.ZonedDateTime.compare(toZonedTime(times.start, zone), toZonedTime(end, zone)) < 0
    ? { ...times, end }
    : times;
}

/** Moves times to another start and keeps their length. */
export function moveStart(times: Times, start: Times['start'], zone: string): Times {
  const length = times.allDay
    ? times.start.toPlainDate().until(times.end.toPlainDate())
    : toZonedTime(times.start, zone).until(toZonedTime(times.end, zone), { largestUnit: 'hours' });
  return { ...times, start, end: start.add(length) };
}
