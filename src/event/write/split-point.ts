import type { Issue } from '../../core/errors.ts';
import { patch } from '../../core/json-values.ts';
import type { EventPatch } from '../model/fields.ts';
import { type EventTime, toStoredSpelling, kindOf, comparableTimeOf } from '../../core/time/time.ts';
import type { EventRecord } from '../model/record.ts';
import { durationMsOf } from '../instances/compose.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { endSeriesBefore, type Division } from '../../recurrence/divide-series.ts';
import { eventTimeAt } from '../../recurrence/original-start.ts';
import { recurrenceZoneOf } from '../../recurrence/recurrence-set.ts';
import { clockOf } from '../../core/time/zone-clock.ts';
import type { EventContext } from '../visibility/event-context.ts';

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

/**
 * Shifts the times that a body sets for the named instance, so that they apply to its series, which starts at
 * `seriesStartMs`.
 */
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
