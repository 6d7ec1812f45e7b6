import { randomUUID } from 'node:crypto';
import { addressKey } from '../../core/text/email.ts';
import {
  changesAnything,
  homeReference,
  isDetached,
  noStamp,
  originalStartOf,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { lengthOf } from './compose.ts';
import { startOf, timeAt } from '../../recurrence/original-start.ts';
import type { Division } from '../../recurrence/divide.ts';
import { exceptionsAfter } from './exceptions-after.ts';

/** The second part of a divided series: an event of its own that has, from there on, all of the series, on the calendars of its guests. `id`: on each of them. */
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
      ...(core.start && { start: timeAt(start, core.start) }),
      ...(core.end && { end: timeAt(start + lengthOf(series), core.end) }),
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

/** A second part before and after the change that divided the series. */
interface FollowingSeries {
  readonly series: EventRecord;
  readonly plain: EventRecord;
  readonly next: EventRecord;
  readonly stamp: Stamp;
}

/** Exceptions of a series that change anything, from one of its starts on. */
export const exceptionsFrom = (exceptions: readonly EventRecord[], start: number): EventRecord[] =>
  exceptions.filter((one) => changesAnything(one) && startOf(originalStartOf(one)) >= start);

/** Exceptions in the second part, as after a change of their series; those whose occurrence is gone stay behind. */
export function movedExceptions(
  exceptions: readonly EventRecord[],
  part: FollowingSeries,
): { readonly from: string; readonly next: EventRecord }[] {
  const { plain, next } = part;
  const going = exceptions.map((old) => moved(old, part));
  return exceptionsAfter(going, next, plain).flatMap(({ from, next: one }) =>
    from && changesAnything(one) ? [{ from: originalStartOf(from), next: { ...one, version: 1 } }] : [],
  );
}

function moved(old: EventRecord, part: FollowingSeries): EventRecord {
  const { series, next, plain, stamp } = part;
  const { original, answers } = old.instance as InstancePart;
  const home = homeReference(next);
  const renewed = (own: Stamp): Stamp => (own.tag === noStamp.tag ? noStamp : stamp);
  const copies = Object.entries(old.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const ofSeries = next.copies[calendarId];
    // Of those who are off the series nothing comes to the new one, and of those who were on this instance alone only what they still have.
    if (
      !ofSeries &&
      ((series.copies[calendarId] && !isDetached(old, series, calendarId)) || copy.state === 'uninvited')
    )
      return [];
    const { apart: _apart, ...own } = withStamp(copy, stamp);
    return [
      [calendarId, { ...own, stamp: renewed(copy.stamp), id: `${ofSeries?.id ?? home.eventId}_${original}` }],
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
