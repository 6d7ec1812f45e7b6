import { withoutNulls } from '../../core/kernel/patch.ts';
import { lengthOf } from '../recurrence/compose.ts';
import { lastEnd } from '../recurrence/occurrences.ts';
import { instantOf } from '../time/time.ts';
import type { EventTime } from '../model/fields.ts';
import type { EventRecord } from '../model/record.ts';

/** When something of an event may take place: epoch milliseconds; `to` is not included and may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Where the event stands in the order of starts. */
  readonly start: number;
}

const never: Span = { from: Infinity, to: -Infinity, start: Infinity };

/**
 * The span by which a store looks an event up on a calendar, days being understood in the calendar's zone: of a series
 * from its first start to its last end, of an exception its own time and that of the occurrence it stands for.
 */
export function spanOf(record: EventRecord, zone: string, series?: EventRecord): Span {
  const { core, instance } = record;
  if (!instance)
    return (core.recurrence ?? []).length > 0
      ? seriesSpan(record, zone)
      : singleSpan(core.start ?? core.originalStartTime, core.end, zone);
  const length = series ? lengthOf(series) : 0;
  const from = originalMoment(instance.original, zone);
  const [start, end] = [ownTime(core.start), ownTime(core.end)];
  const own =
    start || end ? singleSpan(start ?? end, end ?? start, zone) : { from, to: from + length, start: from };
  return {
    from: Math.min(own.from, from),
    to: Math.max(own.to, from + length, own.from + length, from + 1),
    start: own.start,
  };
}

/** Whether it depends on the calendar's zone when an event takes place: it begins or ends with a day. */
export function hasDays({ core: { start, end, originalStartTime }, instance }: EventRecord): boolean {
  if (instance && !instance.original.includes('T')) return true;
  return [start, end, originalStartTime].some((time) => typeof time?.date === 'string');
}

/** A time that an exception has of its own: it may hold nulls over what its series has, or a zone alone. */
function ownTime(time: EventTime | undefined): EventTime | undefined {
  const { date, dateTime } = time ?? {};
  return date || dateTime ? withoutNulls({ ...time }) : undefined;
}

function singleSpan(start: EventTime | undefined, end: EventTime | undefined, zone: string): Span {
  const [from, to] = [start && instantOf(start, zone), end && instantOf(end, zone)];
  // An event without a usable end takes up its start.
  return typeof from === 'number' ? { from, to: Math.max(to ?? from, from + 1), start: from } : never;
}

function seriesSpan({ core }: EventRecord, zone: string): Span {
  const { from, to } = singleSpan(core.start, core.end, zone);
  const last = lastEnd(core);
  // Days are counted as in UTC there, and zones are up to 14 hours apart from it.
  // Starts of occurrences are whole seconds.
  return {
    from: Math.floor(from / 1000) * 1000,
    to:
      last === undefined
        ? Infinity
        : Math.max(to, last + (core.start?.date === undefined ? 0 : 14 * 3_600_000)),
    start: from,
  };
}

/** When an occurrence starts that is named by its original start, a day in the zone. */
export function originalMoment(original: string, zone: string): number {
  const [, year, month, day, time] = /^(\d{4})(\d{2})(\d{2})(?:T(\d{6})Z)?$/.exec(original) ?? [];
  if (time === undefined) return instantOf({ date: `${year}-${month}-${day}` }, zone) ?? NaN;
  return Date.parse(`${year}-${month}-${day}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}Z`);
}
