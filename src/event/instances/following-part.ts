import { addressKey } from '../../core/text/email.ts';
import { newId } from '../../core/new-id.ts';
import { mapValues } from '../../core/patch.ts';
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
  { followingLines, start }: Division,
  { id, iCalUID }: { readonly id: string; readonly iCalUID: string },
  stamp: Stamp,
): EventRecord {
  const { sequence: _revision, recurrence: _rules, ...core } = series.core;
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

const withStamp = ({ viewers, ...copy }: EventCopy, stamp: Stamp): EventCopy => ({
  ...copy,
  stamp,
  ...(viewers && { viewers: mapValues(viewers, (viewerPart) => ({ ...viewerPart, stamp })) }),
});

interface FollowingSeries {
  /** Series that was divided. */
  readonly series: EventRecord;
  /** Second part without the change that divided the series. */
  readonly unchangedPart: EventRecord;
  readonly next: EventRecord;
  readonly stamp: Stamp;
}

/** Exceptions that are not reset and whose original start is at or after `start` (epoch ms). */
export const exceptionsFrom = (exceptions: readonly EventRecord[], start: number): EventRecord[] =>
  exceptions.filter(
    (exception) => hasOwnChanges(exception) && parseOriginal(originalStartOf(exception)) >= start,
  );

/** Moves exceptions to the second part, except those whose occurrence is gone. `oldOriginal`: the start before the move. */
export function moveToFollowing(
  exceptions: readonly EventRecord[],
  part: FollowingSeries,
): { readonly oldOriginal: string; readonly next: EventRecord }[] {
  const attachedExceptions = exceptions.map((exception) => attachToPart(exception, part));
  return exceptionsAfter(attachedExceptions, part.next, part.unchangedPart).flatMap(({ source, next }) =>
    source && hasOwnChanges(next)
      ? [{ oldOriginal: originalStartOf(source), next: { ...next, version: 1 } }]
      : [],
  );
}

function attachToPart(exception: EventRecord, part: FollowingSeries): EventRecord {
  const { series, next, unchangedPart, stamp } = part;
  const { original, answers } = exception.instance as InstancePart;
  const seriesReference = homeReference(next);
  const renewStamp = (ownCopy: Stamp): Stamp => (ownCopy.tag === noStamp.tag ? noStamp : stamp);
  const copies = Object.entries(exception.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const partCopy = next.copies[calendarId];
    // Guests who are off the series, or were uninvited from this instance, get no copy.
    if (
      !partCopy &&
      ((series.copies[calendarId] && !isDetached(exception, series, calendarId)) ||
        copy.state === 'uninvited')
    )
      return [];
    const { apart: _apart, ...ownCopy } = withStamp(copy, stamp);
    return [
      [
        calendarId,
        {
          ...ownCopy,
          stamp: renewStamp(copy.stamp),
          id: `${partCopy?.id ?? seriesReference.eventId}_${original}`,
        },
      ],
    ];
  });
  const leftGuests = new Set(
    Object.entries(series.copies).flatMap(([calendarId, { guest }]) =>
      guest !== undefined && !unchangedPart.copies[calendarId] && !isDetached(exception, series, calendarId)
        ? [guest]
        : [],
    ),
  );
  const { core } = exception;
  const remainingGuests = core.attendees?.filter(
    ({ email }) => email === undefined || !leftGuests.has(addressKey(email)),
  );
  return {
    ...exception,
    key: newId(),
    version: 1,
    copies: Object.fromEntries(copies),
    core: remainingGuests ? { ...core, attendees: remainingGuests } : core,
    coreStamp: renewStamp(exception.coreStamp),
    openStamp: renewStamp(exception.openStamp),
    instance: { series: seriesReference, original, answers },
  };
}
