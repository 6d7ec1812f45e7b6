import type { Temporal } from 'temporal-polyfill';
import { timesOf, type CalendarEvent, type Times } from './week.ts';

/** An event as a day shows it. */
export interface Placed {
  readonly event: CalendarEvent;
  readonly times: Times;
  /** Minutes of the day, cut off at its ends. */
  readonly from: number;
  readonly to: number;
  /** Side by side with what goes on at the same time. */
  readonly lane: number;
  readonly lanes: number;
}

export interface DayPlan {
  readonly date: Temporal.PlainDate;
  readonly allDay: readonly Placed[];
  readonly timed: readonly Placed[];
}

const dayMinutes = 24 * 60;
/** What is shorter is drawn as long as this. */
const leastMinutes = 25;

export function planDay(date: Temporal.PlainDate, events: readonly CalendarEvent[], zone: string): DayPlan {
  const midnight = date.toPlainDateTime();
  const minutes = (time: Temporal.PlainDateTime): number => Math.min(dayMinutes, Math.max(0, midnight.until(time).total('minutes')));
  const shown = events.flatMap((event) => {
    const times = timesOf(event, zone);
    if (!times) return [];
    const from = minutes(times.start);
    const to = minutes(times.end);
    return to > from ? [{ event, times, from, to, lane: 0, lanes: 1 }] : [];
  });
  return { date, allDay: shown.filter(({ times }) => times.allDay), timed: inLanes(shown.filter(({ times }) => !times.allDay)) };
}

/** Events that overlap, directly or through others, share the width of the day. */
function inLanes(placed: readonly Placed[]): readonly Placed[] {
  const sorted = placed.toSorted((one, other) => one.from - other.from || other.to - one.to);
  const result: Placed[] = [];
  let group: Placed[] = [];
  let ends: number[] = [];
  const close = (): void => {
    result.push(...group.map((one) => ({ ...one, lanes: ends.length })));
    group = [];
    ends = [];
  };
  for (const one of sorted) {
    if (ends.every((end) => end <= one.from)) close();
    const free = ends.findIndex((end) => end <= one.from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = Math.max(one.to, one.from + leastMinutes);
    group.push({ ...one, lane });
  }
  close();
  return result;
}
