import type { Issue } from '../../core/errors.ts';
import { patch } from '../../core/patch.ts';
import type { EventPatch } from '../model/fields.ts';
import { type EventTime, toStoredSpelling, kindOf, orderOf } from '../../core/time/time.ts';
import type { EventRecord } from '../model/record.ts';
import { durationMsOf } from '../instances/compose.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { endSeriesBefore, type Division } from '../../recurrence/divide.ts';
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
  readonly splitInstant: number;
  /** The series has no earlier instance. */
  readonly isFirst: boolean;
  /** Recurrence lines and start of the series. */
  readonly rules: { readonly recurrence: readonly string[]; readonly start: EventTime };
}

/** Splits a series whose rules cannot be divided, if the body sets `recurrence` of the following part. */
export function splitWithNewRule(
  { rules, splitInstant }: SplitPoint,
  { recurrence }: EventPatch,
): Division | undefined {
  return recurrence === undefined
    ? undefined
    : {
        earlierLines: endSeriesBefore(rules.recurrence, rules.start, splitInstant),
        followingLines: [],
        start: splitInstant,
      };
}

/** Shifts times of the named instance in a body to `seriesStart`, the earlier start from which its series is counted. */
export function shiftToSeriesStart(
  body: EventPatch,
  { context, series, splitInstant, rules }: SplitPoint,
  seriesStart: number,
): EventPatch {
  const { end } = series.core;
  if (seriesStart === splitInstant || !end) return body;
  const clock = clockOf(recurrenceZoneOf(rules.start));
  const offsetMs = clock.toLocalTime(splitInstant) - clock.toLocalTime(seriesStart);
  const shift = (sentTime: EventPatch['start'], shownTime: EventTime): EventPatch['start'] => {
    const wantedTime =
      sentTime &&
      patch<EventTime>(shownTime, toStoredSpelling(sentTime, shownTime, context.calendar.timeZone));
    const wantedInstant = wantedTime && orderOf(wantedTime);
    if (!wantedTime || typeof wantedInstant !== 'number') return sentTime;
    const ownClock = clockOf(recurrenceZoneOf(wantedTime));
    // A switch between days and times shifts by whole days.
    const shiftMs =
      kindOf(wantedTime) === kindOf(shownTime) ? offsetMs : Math.round(offsetMs / dayMs) * dayMs;
    return {
      ...sentTime,
      ...eventTimeAt(ownClock.toInstant(ownClock.toLocalTime(wantedInstant) - shiftMs), wantedTime),
    };
  };
  return {
    ...body,
    ...(body.start && { start: shift(body.start, eventTimeAt(splitInstant, rules.start)) }),
    ...(body.end && { end: shift(body.end, eventTimeAt(splitInstant + durationMsOf(series), end)) }),
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
