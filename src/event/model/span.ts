import { lastEnd } from '../recurrence/occurrences.ts';
import { orderOf } from '../time/time.ts';
import type { EventRecord } from './record.ts';
import type { EventTime } from './fields.ts';

/** When something of an event may take place: epoch milliseconds; `to` is not included and may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** All-day events begin and end at another moment in each zone; spans are as wide as the zones are apart. */
const zonesApart = 14 * 3_600_000;

const never: Span = { from: Infinity, to: -Infinity };

/**
 * The span that stores look events up by: of a series from its first start to its last end, of an exception both its own
 * time and that of the occurrence it stands for. It may be wider than the truth, never narrower.
 */
export function spanOf(record: EventRecord, series?: EventRecord): Span {
  const { core, instance } = record;
  if (!instance) return (core.recurrence ?? []).length > 0 ? seriesSpan(record) : singleSpan(core.start, core.end);
  const start = originalStart(instance.original);
  const length = series ? lengthOf(series) : 0;
  const original: Span = { from: start - zonesApart, to: start + length + zonesApart };
  const own = core.start || core.end ? singleSpan(core.start ?? core.end, core.end ?? core.start) : original;
  return { from: Math.min(own.from, original.from), to: Math.max(own.to, original.to, own.from + length) };
}

function singleSpan(start: EventTime | undefined, end: EventTime | undefined): Span {
  const [from, to] = [momentOf(start), momentOf(end)];
  if (from === null) return never;
  const slack = start?.date === undefined ? 0 : zonesApart;
  // An event without a usable end takes up its start.
  return { from: from - slack, to: Math.max(to ?? from, from + 1) + slack };
}

function seriesSpan({ core }: EventRecord): Span {
  const { from, to } = singleSpan(core.start, core.end);
  const last = lastEnd(core);
  return { from, to: last === undefined ? Infinity : Math.max(to, last + zonesApart) };
}

/** How long one occurrence of a series takes. */
export function lengthOf({ core: { start, end } }: EventRecord): number {
  const [from, to] = [momentOf(start), momentOf(end)];
  return from === null || to === null ? 0 : Math.max(0, to - from);
}

const momentOf = (time: EventTime | undefined): number | null => (time ? orderOf(time) : null);

/** The moment that an instance's original start names; a day is taken as in UTC. */
export function originalStart(original: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/.exec(original) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
