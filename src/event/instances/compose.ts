import { mapValues, patch } from '../../core/json.ts';
import type { EventBody } from '../model/fields.ts';
import { type EventTime, comparableTimeOf } from '../../core/time/time.ts';
import {
  homeReference,
  wasNeverVisible,
  isDetached,
  noStamp,
  recordAsOnCalendar,
  copyStateOn,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { formatOriginalStart, parseOriginalStart, eventTimeAt } from '../../recurrence/original-start.ts';
import { guestsWithResponses } from './instance-guests.ts';
import { occurrencesOf } from '../../recurrence/occurrences.ts';

/** Duration of an event; 0 if its start or end is missing or invalid. */
export function durationMsOf({ core: { start, end } }: EventRecord): number {
  const [startMs, endMs] = [start && comparableTimeOf(start), end && comparableTimeOf(end)];
  return typeof startMs === 'number' && typeof endMs === 'number' ? Math.max(0, endMs - startMs) : 0;
}

/** Whether a series has an occurrence with this original start. */
export function hasOccurrence({ core }: EventRecord, original: string): boolean {
  const isDay = !original.includes('T');
  if (isDay !== (core.start?.date !== undefined) || (core.recurrence ?? []).length === 0) return false;
  const start = parseOriginalStart(original);
  return (
    !Number.isNaN(start) && formatOriginalStart(start, isDay) === original && occurrencesOf(core).has(start)
  );
}

/** Composes an instance from its series and its exception. The caller has checked that the series has the occurrence. */
export function composeInstance(series: EventRecord, original: string, exception?: EventRecord): EventRecord {
  const instancePart = exception?.instance ?? { series: homeReference(series), original, answers: {} };
  const isCancelled = series.core.status === 'cancelled';
  return {
    key: exception?.key ?? `${series.key}_${original}`,
    version: exception?.version ?? 0,
    homeId: series.homeId,
    core: composeCore(series, original, instancePart, exception),
    coreStamp: combineStamps(series.coreStamp, exception?.coreStamp),
    openStamp: combineStamps(series.openStamp, exception?.openStamp),
    copies: composeCopies(series, original, exception),
    instance: isCancelled ? { ...instancePart, cancelledWithSeries: true } : instancePart,
  };
}

/** Composes an instance as a calendar shows it: the tombstone of an uninvited copy hides later changes. */
export function composeOnCalendar(
  series: EventRecord,
  original: string,
  exception: EventRecord | undefined,
  calendarId: string,
): EventRecord {
  const isDetachedHere = exception !== undefined && isDetached(exception, series, calendarId);
  const shownSeries = isDetachedHere ? series : recordAsOnCalendar(series, calendarId);
  const instance = composeInstance(shownSeries, original, shownSeries === series ? exception : undefined);
  return recordAsOnCalendar(instance, calendarId);
}

/** Combines two stamps to one that changes with either. */
function combineStamps(seriesStamp: Stamp, ownStamp: Stamp | undefined): Stamp {
  if (!ownStamp || ownStamp.tag === noStamp.tag) return seriesStamp;
  return {
    tag: `${seriesStamp.tag}_${ownStamp.tag}`,
    at: seriesStamp.at > ownStamp.at ? seriesStamp.at : ownStamp.at,
  };
}

/** Composes the core: that of the series at the occurrence, with the differences that the exception stores. */
function composeCore(
  series: EventRecord,
  original: string,
  instancePart: InstancePart,
  exception: EventRecord | undefined,
): EventBody {
  const { recurrence: _rules, start, end, ...inherited } = series.core;
  const startMs = parseOriginalStart(original);
  const originalStart = start && eventTimeAt(startMs, timeTemplateOf(original, start));
  const inheritedCore: EventBody = {
    ...inherited,
    recurringEventId: instancePart.series.eventId,
    ...(originalStart && { start: originalStart, originalStartTime: originalStart }),
    ...(start && end && { end: eventTimeAt(startMs + durationMsOf(series), end) }),
  };
  const core: { -readonly [Name in keyof EventBody]: EventBody[Name] } = {
    ...patch(inheritedCore, exception?.core ?? {}),
  };
  if (exception && core.attendees) core.attendees = guestsWithResponses(core.attendees, series, exception);
  if (series.core.status === 'cancelled') core.status = 'cancelled';
  return core;
}

/**
 * Template for a time of the kind (day or time) that an original start has, in the zone of the series. The
 * series itself may have changed to the other kind since.
 */
function timeTemplateOf(original: string, start: EventTime): EventTime {
  const isDay = !original.includes('T');
  if (isDay === (start.date !== undefined)) return start;
  const { timeZone } = start;
  return isDay ? { date: '' } : { dateTime: '', ...(timeZone !== undefined && { timeZone }) };
}

function composeCopies(series: EventRecord, original: string, exception: EventRecord | undefined) {
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, seriesCopy] of Object.entries(series.copies)) {
    const ownCopy = exception?.copies[calendarId];
    if (exception && ownCopy && isDetached(exception, series, calendarId)) {
      copies[calendarId] = ownCopy;
      continue;
    }
    const state = copyStateOn(calendarId, series, exception);
    if (state === undefined) continue;
    copies[calendarId] = {
      id: `${seriesCopy.id}_${original}`,
      state,
      stamp: combineStamps(seriesCopy.stamp, ownCopy?.stamp),
      own: patch(seriesCopy.own, ownCopy?.own ?? {}) ?? {},
      ...(seriesCopy.guest !== undefined && { guest: seriesCopy.guest }),
      ...composeViewers(seriesCopy, ownCopy, exception?.instance?.emptied === true),
      ...(state === 'uninvited' && ownCopy?.remains && { remains: ownCopy.remains }),
    };
  }
  for (const [calendarId, ownCopy] of Object.entries(exception?.copies ?? {}))
    if (!wasNeverVisible(ownCopy)) copies[calendarId] ??= ownCopy;
  return copies;
}

/** Combines users' settings: those on the instance replace those on its series, unless the exception was reset (`emptied`). */
function composeViewers(seriesCopy: EventCopy, ownCopy: EventCopy | undefined, isReset: boolean) {
  if (!ownCopy?.viewers) return seriesCopy.viewers ? { viewers: seriesCopy.viewers } : {};
  const viewers = isReset
    ? mapValues(ownCopy.viewers, (viewerPart, identity) => ({
        ...viewerPart,
        own: seriesCopy.viewers?.[identity]?.own ?? {},
      }))
    : ownCopy.viewers;
  return { viewers: { ...seriesCopy.viewers, ...viewers } };
}
