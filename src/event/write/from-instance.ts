import type { Issue } from '../../core/errors.ts';
import { patch } from '../../core/patch.ts';
import type { Draft } from '../draft.ts';
import type { EventPatch } from '../model/fields.ts';
import { type EventTime, inStoredSpelling, kindOf, orderOf } from '../../core/time/time.ts';
import type { EventRecord } from '../model/record.ts';
import { lengthOf } from '../instances/compose.ts';
import { dayMs } from '../../recurrence/calendar-days.ts';
import { endBefore, type Division } from '../../recurrence/divide.ts';
import { timeAt } from '../../recurrence/original-start.ts';
import { zoneOf } from '../../recurrence/recurrence-set.ts';
import { clockOf } from '../../core/time/zone-clock.ts';
import type { EventContext } from '../visibility/event-context.ts';

/** An instance from which on its series is to be changed. */
export interface SplitPoint {
  readonly context: EventContext;
  readonly series: EventRecord;
  readonly original: string;
  /** When the instance starts by the rules of its series. */
  readonly start: number;
  /** The series has no instance before it. */
  readonly isFirst: boolean;
  /** Of the series, which has both. */
  readonly rules: { readonly recurrence: readonly string[]; readonly start: EventTime };
}

/** A change that is no revision of its own, unless the client says so. */
export function keepRevision(draft: Draft): void {
  const { change, before, after } = draft;
  if (change.sequence !== undefined || after.core.sequence === before.core.sequence) return;
  const { sequence: _revision, ...core } = after.core;
  draft.after = {
    ...after,
    core: before.core.sequence === undefined ? core : { ...core, sequence: before.core.sequence },
  };
}

/** A series whose rules cannot be divided, where the body gives the following part its own, or none. */
export function splitWithNewRule(
  { rules, start }: SplitPoint,
  { recurrence }: EventPatch,
): Division | undefined {
  return recurrence === undefined
    ? undefined
    : { before: endBefore(rules.recurrence, rules.start, start), following: [], start };
}

/** The times of the named instance in a body, as those of the start from which its series is counted: an earlier one. */
export function asOfStart(
  body: EventPatch,
  { context, series, start, rules }: SplitPoint,
  counted: number,
): EventPatch {
  const { end } = series.core;
  if (counted === start || !end) return body;
  const clock = clockOf(zoneOf(rules.start));
  const ahead = clock.toLocal(start) - clock.toLocal(counted);
  const earlier = (sent: EventPatch['start'], shown: EventTime): EventPatch['start'] => {
    const wanted = sent && patch<EventTime>(shown, inStoredSpelling(sent, shown, context.calendar.timeZone));
    const moment = wanted && orderOf(wanted);
    if (!wanted || typeof moment !== 'number') return sent;
    const own = clockOf(zoneOf(wanted));
    // Between days and times only days are ahead.
    const by = kindOf(wanted) === kindOf(shown) ? ahead : Math.round(ahead / dayMs) * dayMs;
    return { ...sent, ...timeAt(own.toInstant(own.toLocal(moment) - by), wanted) };
  };
  return {
    ...body,
    ...(body.start && { start: earlier(body.start, timeAt(start, rules.start)) }),
    ...(body.end && { end: earlier(body.end, timeAt(start + lengthOf(series), end)) }),
  };
}

export const noInstance: Issue = {
  path: ['eventId'],
  reason: 'invalid',
  message:
    'The eventId must be that of an instance of a recurring event: this one and all later ones are changed.',
};
export const notOrganizer: Issue = {
  path: ['eventId'],
  reason: 'forbiddenForNonOrganizer',
  message: 'Only the organizer can change this and all following instances.',
};
export const cancelledInstance: Issue = {
  path: ['event', 'status'],
  reason: 'forbidden',
  message:
    'This instance, or its series, is cancelled: no change from there on is possible. Restore it first with status: "confirmed" or "tentative".',
};
export const cancelling: Issue = {
  path: ['event', 'status'],
  reason: 'invalid',
  message: 'To end the series here use deleteFollowingEvents; the following part cannot be made cancelled.',
};
export const indivisible: Issue = {
  path: ['eventId'],
  reason: 'invalid',
  message:
    'The rules of this recurring event count from different starts and cannot be divided here. Change the series, or single instances.',
};
