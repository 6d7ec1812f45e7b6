import { addressKey } from '../../core/text/email.ts';
import { newId } from '../../core/new-id.ts';
import { mapValues } from '../../core/json-values.ts';
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
import { parseOriginalStart, eventTimeAt } from '../../recurrence/original-start.ts';
import type { Division } from '../../recurrence/divide-series.ts';
import { exceptionsAfterSeriesChange } from './exceptions-after.ts';

/**
 * Creates the second part of a divided series: a new event on the calendars of the series' guests, with the
 * same `id` on each.
 */
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

/** Series that was divided, and its second part. */
interface DividedSeries {
  /** Series that was divided. */
  readonly series: EventRecord;
  /** Second part without the change that divided the series. */
  readonly unchangedPart: EventRecord;
  /** Second part after the change. */
  readonly next: EventRecord;
  readonly stamp: Stamp;
}

/** Exceptions that are not reset and whose original start is at or after `splitInstantMs`. */
export const exceptionsFrom = (exceptions: readonly EventRecord[], splitInstantMs: number): EventRecord[] =>
  exceptions.filter(
    (exception) =>
      hasOwnChanges(exception) && parseOriginalStart(originalStartOf(exception)) >= splitInstantMs,
  );

/**
 * Moves exceptions to the second part, except those without an occurrence there. `oldOriginal`: the original
 * start before the move.
 */
export function moveExceptionsToPart(
  exceptions: readonly EventRecord[],
  division: DividedSeries,
): { readonly oldOriginal: string; readonly next: EventRecord }[] {
  const attachedExceptions = exceptions.map((exception) => attachToPart(exception, division));
  return exceptionsAfterSeriesChange(attachedExceptions, division.next, division.unchangedPart).flatMap(
    ({ source, next }) =>
      source && hasOwnChanges(next)
        ? [{ oldOriginal: originalStartOf(source), next: { ...next, version: 1 } }]
        : [],
  );
}

/** Converts an exception of the divided series to one of the second part, at the same original start. */
function attachToPart(exception: EventRecord, dividedSeries: DividedSeries): EventRecord {
  const { series, next, unchangedPart, stamp } = dividedSeries;
  const { original, answers } = exception.instance as InstancePart;
  const seriesReference = homeReference(next);
  const renewStamp = (ownStamp: Stamp): Stamp => (ownStamp.tag === noStamp.tag ? noStamp : stamp);
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
  const uninvitedGuests = new Set(
    Object.entries(series.copies).flatMap(([calendarId, { guest }]) =>
      guest !== undefined && !unchangedPart.copies[calendarId] && !isDetached(exception, series, calendarId)
        ? [guest]
        : [],
    ),
  );
  const { core } = exception;
  const remainingGuests = core.attendees?.filter(
    ({ email }) => email === undefined || !uninvitedGuests.has(addressKey(email)),
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
