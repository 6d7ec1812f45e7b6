import { randomUUID } from 'node:crypto';
import { addressKey } from '../../core/text/email.ts';
import {
  hasOwnChanges,
  homeReference,
  isDetached,
  noStamp,
  originalStartOf,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { durationMsOf } from './compose.ts';
import { parseOriginal, eventTimeAt } from '../../recurrence/original-start.ts';
import type { Division } from '../../recurrence/divide.ts';
import { exceptionsAfter } from './exceptions-after.ts';

/** Second part of a divided series: a new event on the calendars of the series' guests, with the same `id` on each. */
export function followingPart(
  series: EventRecord,
  { following, start }: Division,
  { id, iCalUID }: { readonly id: string; readonly iCalUID: string },
  stamp: Stamp,
): EventRecord {
  const { sequence: _revision, recurrence: _rules, ...core } = series.core;
  const own = Object.entries(series.copies).flatMap(([calendarId, copy]): [string, EventCopy][] =>
    copy.state === 'uninvited' ? [] : [[calendarId, { ...withStamp(copy, stamp), id }]],
  );
  return {
    key: randomUUID(),
    version: 1,
    homeId: series.homeId,
    coreStamp: stamp,
    openStamp: stamp,
    core: {
      ...core,
      iCalUID,
      created: stamp.at,
      ...(following.length > 0 && { recurrence: following }),
      ...(core.start && { start: eventTimeAt(start, core.start) }),
      ...(core.end && { end: eventTimeAt(start + durationMsOf(series), core.end) }),
    },
    copies: Object.fromEntries(own),
  };
}

const withStamp = ({ viewers, ...copy }: EventCopy, stamp: Stamp): EventCopy => ({
  ...copy,
  stamp,
  ...(viewers && {
    viewers: Object.fromEntries(
      Object.entries(viewers).map(([identity, part]) => [identity, { ...part, stamp }]),
    ),
  }),
});

interface FollowingSeries {
  /** Series that was divided. */
  readonly series: EventRecord;
  /** Second part without the change that divided the series. */
  readonly plain: EventRecord;
  readonly next: EventRecord;
  readonly stamp: Stamp;
}

/** Exceptions that are not reset and whose original start is at or after `start` (epoch ms). */
export const exceptionsFrom = (exceptions: readonly EventRecord[], start: number): EventRecord[] =>
  exceptions.filter((old) => hasOwnChanges(old) && parseOriginal(originalStartOf(old)) >= start);

/** Moves exceptions to the second part, except those whose occurrence is gone. */
export function movedExceptions(
  exceptions: readonly EventRecord[],
  part: FollowingSeries,
): { readonly from: string; readonly next: EventRecord }[] {
  const moved = exceptions.map((old) => moveToPart(old, part));
  return exceptionsAfter(moved, part.next, part.plain).flatMap(({ from, next }) =>
    from && hasOwnChanges(next) ? [{ from: originalStartOf(from), next: { ...next, version: 1 } }] : [],
  );
}

function moveToPart(old: EventRecord, part: FollowingSeries): EventRecord {
  const { series, next, plain, stamp } = part;
  const { original, answers } = old.instance as InstancePart;
  const home = homeReference(next);
  const renewed = (own: Stamp): Stamp => (own.tag === noStamp.tag ? noStamp : stamp);
  const copies = Object.entries(old.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const partCopy = next.copies[calendarId];
    // Guests who are off the series, and uninvited guests of this instance alone, get no copy.
    if (
      !partCopy &&
      ((series.copies[calendarId] && !isDetached(old, series, calendarId)) || copy.state === 'uninvited')
    )
      return [];
    const { apart: _apart, ...own } = withStamp(copy, stamp);
    return [
      [calendarId, { ...own, stamp: renewed(copy.stamp), id: `${partCopy?.id ?? home.eventId}_${original}` }],
    ];
  });
  const left = new Set(
    Object.entries(series.copies).flatMap(([calendarId, { guest }]) =>
      guest !== undefined && !plain.copies[calendarId] && !isDetached(old, series, calendarId) ? [guest] : [],
    ),
  );
  const { core } = old;
  const list = core.attendees?.filter(({ email }) => email === undefined || !left.has(addressKey(email)));
  return {
    ...old,
    key: randomUUID(),
    version: 1,
    copies: Object.fromEntries(copies),
    core: list ? { ...core, attendees: list } : core,
    coreStamp: renewed(old.coreStamp),
    openStamp: renewed(old.openStamp),
    instance: { series: home, original, answers },
  };
}
