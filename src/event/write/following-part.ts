import type { Issue } from '../../core/errors.ts';
import { patch, mapValues } from '../../core/json.ts';
import { attendeeKey, type EventPatch } from '../model/fields.ts';
import { type EventTime, toStoredSpelling, kindOf, comparableTimeOf } from '../../core/time/time.ts';
import {
  type EventRecord,
  hasOwnChanges,
  homeReference,
  isDetached,
  noStamp,
  originalStartOf,
  type EventCopy,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { durationMsOf } from '../instances/compose.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { endSeriesBefore, type Division } from '../../recurrence/divide-series.ts';
import { eventTimeAt, parseOriginalStart } from '../../recurrence/original-start.ts';
import { recurrenceZoneOf } from '../../recurrence/recurrence-set.ts';
import { clockOf } from '../../core/time/zone-clock.ts';
import type { EventContext } from '../visibility/event-context.ts';
import { newId } from '../../core/ids.ts';
import { exceptionsAfterSeriesChange } from '../instances/exceptions-after.ts';
import { uninvitedGuestsOf } from '../instances/instance-guests.ts';

/** Instance at which its series is split: this instance and all later ones change. */
export interface SplitPoint {
  readonly context: EventContext;
  readonly series: EventRecord;
  readonly originalStart: string;
  /** Original start in epoch milliseconds. */
  readonly splitInstantMs: number;
  /** The series has no earlier instance. */
  readonly isFirst: boolean;
  /** Recurrence lines and start of the series. */
  readonly rules: { readonly recurrence: readonly string[]; readonly start: EventTime };
}

/** Splits a series whose rules cannot be divided, if the body sets `recurrence` of the following part. */
export function splitWithNewRule(
  { rules, splitInstantMs }: SplitPoint,
  { recurrence }: EventPatch,
): Division | undefined {
  return recurrence === undefined
    ? undefined
    : {
        earlierLines: endSeriesBefore(rules.recurrence, rules.start, splitInstantMs),
        followingLines: [],
        start: splitInstantMs,
      };
}

/** Shifts the times that a body sets for the named instance to its series, which starts at `seriesStartMs`. */
export function shiftToSeriesStart(
  body: EventPatch,
  { context, series, splitInstantMs, rules }: SplitPoint,
  seriesStartMs: number,
): EventPatch {
  const { end } = series.core;
  if (seriesStartMs === splitInstantMs || !end) return body;
  const clock = clockOf(recurrenceZoneOf(rules.start));
  const offsetMs = clock.toLocalTime(splitInstantMs) - clock.toLocalTime(seriesStartMs);
  const shiftTime = (sentTime: EventPatch['start'], shownTime: EventTime): EventPatch['start'] => {
    const wantedTime =
      sentTime &&
      patch<EventTime>(shownTime, toStoredSpelling(sentTime, shownTime, context.calendar.timeZone));
    const wantedInstantMs = wantedTime && comparableTimeOf(wantedTime);
    if (!wantedTime || typeof wantedInstantMs !== 'number') return sentTime;
    const ownClock = clockOf(recurrenceZoneOf(wantedTime));
    // A switch between days and times shifts by whole days.
    const shiftMs =
      kindOf(wantedTime) === kindOf(shownTime) ? offsetMs : Math.round(offsetMs / dayMs) * dayMs;
    return {
      ...sentTime,
      ...eventTimeAt(ownClock.toInstant(ownClock.toLocalTime(wantedInstantMs) - shiftMs), wantedTime),
    };
  };
  return {
    ...body,
    ...(body.start && { start: shiftTime(body.start, eventTimeAt(splitInstantMs, rules.start)) }),
    ...(body.end && { end: shiftTime(body.end, eventTimeAt(splitInstantMs + durationMsOf(series), end)) }),
  };
}

export const notAnInstanceIssue: Issue = {
  path: ['eventId'],
  reason: 'invalid',
  message:
    'The eventId must be that of an instance of a recurring event: this one and all later ones are changed.',
};
export const notOrganizerIssue: Issue = {
  path: ['eventId'],
  reason: 'forbiddenForNonOrganizer',
  message: 'Only the organizer can change this and all following instances.',
};
export const cancelledInstanceIssue: Issue = {
  path: ['event', 'status'],
  reason: 'forbidden',
  message:
    'This instance, or its series, is cancelled: no change of it and later ones is possible. Restore it first with status: "confirmed" or "tentative".',
};
export const cancellingIssue: Issue = {
  path: ['event', 'status'],
  reason: 'invalid',
  message: 'To end the series here use deleteFollowingEvents; the following part cannot be made cancelled.',
};
export const indivisibleIssue: Issue = {
  path: ['eventId'],
  reason: 'invalid',
  message:
    'The rules of this recurring event count from different starts and cannot be split here. Change the series, or single instances.',
};

/** Creates the second part of a divided series: a new event with the same `id` on the calendars of the series' guests. */
export function createFollowingPart(
  series: EventRecord,
  { followingLines, start }: Division,
  { id, iCalUID }: { readonly id: string; readonly iCalUID: string },
  stamp: Stamp,
): EventRecord {
  const { sequence: _sequence, recurrence: _rules, ...core } = series.core;
  const partCopies = Object.entries(series.copies).flatMap(([calendarId, copy]): [string, EventCopy][] =>
    copy.state === 'uninvited' ? [] : [[calendarId, { ...withStamp(copy, stamp), id }]],
  );
  return {
    key: newId(),
    version: 1,
    homeId: series.homeId,
    coreStamp: stamp,
    openStamp: stamp,
    core: {
      ...core,
      iCalUID,
      created: stamp.at,
      ...(followingLines.length > 0 && { recurrence: followingLines }),
      ...(core.start && { start: eventTimeAt(start, core.start) }),
      ...(core.end && { end: eventTimeAt(start + durationMsOf(series), core.end) }),
    },
    copies: Object.fromEntries(partCopies),
  };
}

/** Copy with the same stamp for all its parts. */
const withStamp = ({ viewers, ...copy }: EventCopy, stamp: Stamp): EventCopy => ({
  ...copy,
  stamp,
  ...(viewers && { viewers: mapValues(viewers, (viewerPart) => ({ ...viewerPart, stamp })) }),
});

/** Exceptions that are not reset and whose original start is at or after `splitInstantMs`. */
export const exceptionsFrom = (exceptions: readonly EventRecord[], splitInstantMs: number): EventRecord[] =>
  exceptions.filter(
    (exception) =>
      hasOwnChanges(exception) && parseOriginalStart(originalStartOf(exception)) >= splitInstantMs,
  );

/**
 * Moves exceptions of a divided series to the second part, except those without an occurrence there.
 * `unchangedPart`: that part before the change that divided the series. `oldOriginal`: the original start before
 * the move.
 */
export function moveExceptionsToPart(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  unchangedPart: EventRecord,
  part: EventRecord,
  stamp: Stamp,
): { readonly oldOriginal: string; readonly next: EventRecord }[] {
  const attachedExceptions = exceptions.map((exception) => attachToPart(exception, series, part, stamp));
  return exceptionsAfterSeriesChange(attachedExceptions, part, unchangedPart).flatMap(({ source, next }) =>
    source && hasOwnChanges(next)
      ? [{ oldOriginal: originalStartOf(source), next: { ...next, version: 1 } }]
      : [],
  );
}

/** Converts an exception of the divided series to one of the second part, at the same original start. */
function attachToPart(exception: EventRecord, series: EventRecord, part: EventRecord, stamp: Stamp) {
  const { original, answers } = exception.instance as InstancePart;
  const seriesReference = homeReference(part);
  const renewStamp = (ownStamp: Stamp): Stamp => (ownStamp.tag === noStamp.tag ? noStamp : stamp);
  const copies = Object.entries(exception.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const partCopy = part.copies[calendarId];
    // Guests who are off the series, or were uninvited from this instance, get no copy.
    if (
      !partCopy &&
      ((series.copies[calendarId] && !isDetached(exception, series, calendarId)) ||
        copy.state === 'uninvited')
    )
      return [];
    const { apart: _apart, ...ownCopy } = withStamp(copy, stamp);
    const id = `${partCopy?.id ?? seriesReference.eventId}_${original}`;
    return [[calendarId, { ...ownCopy, stamp: renewStamp(copy.stamp), id }]];
  });
  const { core } = exception;
  const uninvitedKeys = uninvitedGuestsOf(series, exception);
  const attendees = core.attendees?.filter((entry) => !uninvitedKeys.has(attendeeKey(entry)));
  return {
    ...exception,
    key: newId(),
    version: 1,
    copies: Object.fromEntries(copies),
    core: attendees ? { ...core, attendees } : core,
    coreStamp: renewStamp(exception.coreStamp),
    openStamp: renewStamp(exception.openStamp),
    instance: { series: seriesReference, original, answers },
  };
}
