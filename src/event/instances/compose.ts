import { patch } from '../../core/patch.ts';
import type { EventBody } from '../model/fields.ts';
import { type EventTime, orderOf } from '../../core/time/time.ts';
import {
  homeReference,
  wasNeverVisible,
  isDetached,
  noStamp,
  recordAsOnCalendar,
  stateOn,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { originalAt, startOf, timeAt } from '../../recurrence/original-start.ts';
import { answered } from './instance-guests.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';

/** How long one occurrence of a series takes, in milliseconds. */
export function lengthOf({ core: { start, end } }: EventRecord): number {
  const [from, to] = [start && orderOf(start), end && orderOf(end)];
  return typeof from === 'number' && typeof to === 'number' ? Math.max(0, to - from) : 0;
}

/** Whether a series has an occurrence that starts then. */
export function occurs({ core }: EventRecord, original: string): boolean {
  const isDay = !original.includes('T');
  if (isDay !== (core.start?.date !== undefined) || (core.recurrence ?? []).length === 0) return false;
  const start = startOf(original);
  return !Number.isNaN(start) && originalAt(start, isDay) === original && occurrencesOf(core).has(start);
}

/** An occurrence as an event: its series with what its exception changes. The caller made sure that it is an occurrence. */
export function composeInstance(series: EventRecord, original: string, exception?: EventRecord): EventRecord {
  const part = exception?.instance ?? { series: homeReference(series), original, answers: {} };
  const isCancelled = series.core.status === 'cancelled';
  return {
    key: exception?.key ?? `${series.key}_${original}`,
    version: exception?.version ?? 0,
    homeId: series.homeId,
    core: coreOf(series, original, part, exception),
    coreStamp: both(series.coreStamp, exception?.coreStamp),
    openStamp: both(series.openStamp, exception?.openStamp),
    copies: copiesOf(series, original, exception),
    instance: isCancelled ? { ...part, cancelledWithSeries: true } : part,
  };
}

/** One occurrence as a calendar shows it: of a series that was taken away, what the calendar's owner knew of it by then. */
export function composeOn(
  series: EventRecord,
  original: string,
  exception: EventRecord | undefined,
  calendarId: string,
): EventRecord {
  if (exception && isDetached(exception, series, calendarId))
    return recordAsOnCalendar(composeInstance(series, original, exception), calendarId);
  const from = recordAsOnCalendar(series, calendarId);
  return recordAsOnCalendar(
    composeInstance(from, original, from === series ? exception : undefined),
    calendarId,
  );
}

/** Two stamps as one: it changes with either. */
function both(ofSeries: Stamp, own: Stamp | undefined): Stamp {
  if (!own || own.tag === noStamp.tag) return ofSeries;
  return { tag: `${ofSeries.tag}_${own.tag}`, at: ofSeries.at > own.at ? ofSeries.at : own.at };
}

function coreOf(
  series: EventRecord,
  original: string,
  part: InstancePart,
  exception: EventRecord | undefined,
): EventBody {
  const { recurrence: _rules, start, end, ...inherited } = series.core;
  const from = startOf(original);
  const begins = start && timeAt(from, likeOf(original, start));
  const plain: EventBody = {
    ...inherited,
    recurringEventId: part.series.eventId,
    ...(begins && { start: begins, originalStartTime: begins }),
    ...(start && end && { end: timeAt(from + lengthOf(series), end) }),
  };
  const core: { -readonly [Name in keyof EventBody]: EventBody[Name] } = {
    ...patch(plain, exception?.core ?? {}),
  };
  if (exception && core.attendees) core.attendees = answered(core.attendees, series, exception);
  // Cancelled with its series, whatever it shows by itself.
  if (series.core.status === 'cancelled') core.status = 'cancelled';
  return core;
}

/** An original start of the other kind is left from before the series changed its kind. */
function likeOf(original: string, start: EventTime): EventTime {
  const isDay = !original.includes('T');
  if (isDay === (start.date !== undefined)) return start;
  const { timeZone } = start;
  return isDay ? { date: '' } : { dateTime: '', ...(timeZone !== undefined && { timeZone }) };
}

function copiesOf(
  series: EventRecord,
  original: string,
  exception: EventRecord | undefined,
): Record<string, EventCopy> {
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, ofSeries] of Object.entries(series.copies)) {
    const own = exception?.copies[calendarId];
    if (exception && own && isDetached(exception, series, calendarId)) {
      copies[calendarId] = own;
      continue;
    }
    const state = stateOn(calendarId, series, exception);
    if (state === undefined) continue;
    copies[calendarId] = {
      id: `${ofSeries.id}_${original}`,
      state,
      stamp: both(ofSeries.stamp, own?.stamp),
      own: patch(ofSeries.own, own?.own ?? {}) ?? {},
      ...(ofSeries.guest !== undefined && { guest: ofSeries.guest }),
      ...viewersOf(ofSeries, own, exception?.instance?.emptied === true),
      ...(state === 'uninvited' && own?.remains && { remains: own.remains }),
    };
  }
  for (const [calendarId, own] of Object.entries(exception?.copies ?? {}))
    if (!wasNeverVisible(own)) copies[calendarId] ??= own;
  return copies;
}

/** Users' own settings on an occurrence, else on its series; of an emptied exception those on the series alone. */
function viewersOf(
  ofSeries: EventCopy,
  own: EventCopy | undefined,
  emptied: boolean,
): Pick<EventCopy, 'viewers'> {
  if (!own?.viewers) return ofSeries.viewers ? { viewers: ofSeries.viewers } : {};
  const viewers = Object.entries(own.viewers).map(
    ([identity, part]) =>
      [identity, emptied ? { ...part, own: ofSeries.viewers?.[identity]?.own ?? {} } : part] as const,
  );
  return { viewers: { ...ofSeries.viewers, ...Object.fromEntries(viewers) } };
}
