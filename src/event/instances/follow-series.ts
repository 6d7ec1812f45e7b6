import { mapValues, isSameJson } from '../../core/json.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import {
  isDetached,
  noStamp,
  tombstoneOf,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { composeInstance } from './compose.ts';
import { createMergePatch, withExceptionGuests } from './exception.ts';
import { responseOf, uninvitedGuestsOf, withoutResponse } from './instance-guests.ts';

/**
 * Updates an exception after a change of its series. Returns the record itself if nothing changes. An
 * exception without its occurrence loses all its changes for good. A guest who was removed from the series
 * loses the response to the exception. When guests become hidden from each other, readers who saw responses
 * to the exception still see that it changed.
 */
export function followSeries(
  exception: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  hasOccurrence: (original: string) => boolean,
): EventRecord {
  const next = applySeriesChange(exception, series, before, hasOccurrence);
  const result = before
    ? withExceptionGuests({ record: exception, series: before }, { record: next, series })
    : next;
  return result === next || next !== exception ? result : { ...result, version: exception.version + 1 };
}

function applySeriesChange(
  exception: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  hasOccurrence: (original: string) => boolean,
): EventRecord {
  const { instance, version } = exception;
  if (!instance) return exception;
  const startsHidingGuests =
    series.core.guestsCanSeeOtherGuests === false && before?.core.guestsCanSeeOtherGuests !== false;
  const currentException = startsHidingGuests ? publishStamp(exception, series) : exception;
  if (!instance.emptied && !hasOccurrence(instance.original))
    return createResetRecord(currentException, instance, series, before);
  if (!before || before.core.attendees === series.core.attendees)
    return currentException === exception ? exception : { ...currentException, version: version + 1 };
  const copies = reattachCopies(currentException, series);
  const [guestsBefore, guestsAfter] = [guestsByKeyOf(before), guestsByKeyOf(series)];
  const wasRemoved = (key: string | undefined): boolean => guestsBefore.has(key) && !guestsAfter.has(key);
  const remainingResponses = Object.entries(instance.answers).filter(([guest]) => !wasRemoved(guest));
  const ownList = exception.core.attendees;
  const guests = ownList && updateOwnGuestList(ownList, guestsBefore, guestsAfter, series);
  const isUnchanged =
    remainingResponses.length === Object.keys(instance.answers).length &&
    (!guests || isSameJson(guests, ownList));
  if (isUnchanged && currentException === exception && copies === exception.copies) return exception;
  return {
    ...currentException,
    copies,
    version: version + 1,
    core: guests ? { ...currentException.core, attendees: guests } : currentException.core,
    instance: { ...instance, answers: Object.fromEntries(remainingResponses) },
  };
}

/** Reattaches the copies of detached instances to the series if their guests are back on it. */
function reattachCopies({ copies, instance }: EventRecord, series: EventRecord): EventRecord['copies'] {
  const reattachedCopies = Object.entries(copies).flatMap(
    ([calendarId, { apart, remains, ...copy }]): [string, EventCopy][] => {
      const seriesCopy = series.copies[calendarId];
      if (!apart || !seriesCopy || seriesCopy.state === 'uninvited') return [];
      // A reset exception changes nothing of its series.
      return [
        [
          calendarId,
          instance?.emptied
            ? { ...copy, state: 'present' }
            : { ...copy, own: createMergePatch(seriesCopy.own, copy.own), ...(remains && { remains }) },
        ],
      ];
    },
  );
  return reattachedCopies.length === 0 ? copies : { ...copies, ...Object.fromEntries(reattachedCopies) };
}

/**
 * Updates an instance's own guest list after a change of the series' list. Inherited entries and order stay inherited, and a
 * new organizer is added, so that guests without sight of the list cannot tell which instances have their own.
 */
function updateOwnGuestList(
  ownList: readonly Attendee[],
  guestsBefore: GuestsByKey,
  guestsAfter: GuestsByKey,
  series: EventRecord,
): readonly Attendee[] {
  // Guests with a calendar here stay on the stored list, and are shown again when they are back on the
  // series.
  const uninvitedGuests = uninvitedGuestsOf(series);
  const remainingList = ownList.flatMap((entry) => {
    const key = attendeeKey(entry);
    const [entryBefore, entryAfter] = [guestsBefore.get(key), guestsAfter.get(key)];
    if (entryBefore && !entryAfter && !uninvitedGuests.has(key)) return [];
    return entryBefore &&
      entryAfter &&
      entryBefore !== entryAfter &&
      isSameJson(withoutResponse(entryBefore), withoutResponse(entry))
      ? [{ ...withoutResponse(entryAfter), ...responseOf(entry) }]
      : [entry];
  });
  const organizer = series.core.organizer && attendeeKey(series.core.organizer);
  const newOrganizer = guestsBefore.has(organizer) ? undefined : guestsAfter.get(organizer);
  const otherEntries = sortLikeSeries(
    remainingList.filter((entry) => attendeeKey(entry) !== organizer),
    guestsBefore,
    guestsAfter,
  );
  const organizerEntry =
    remainingList.find((entry) => attendeeKey(entry) === organizer) ??
    (newOrganizer && withoutResponse(newOrganizer));
  if (!organizerEntry) return otherEntries;
  // Each guest sees the own entry and the organizer's, so their order must not depend on other entries.
  const positionsByList = [ownList, [...guestsBefore.values()], [...guestsAfter.values()]].map(positionsOf);
  const isAheadOfOrganizer = (entry: Attendee): boolean => {
    const [isAheadInOwnList, wasAheadInSeries, isAheadInSeries] = positionsByList.map((order) =>
      precedesOrganizer(order, attendeeKey(entry), organizer),
    );
    // An own order that differed from that of the series stays.
    return isAheadInOwnList === undefined || isAheadInOwnList === wasAheadInSeries
      ? (isAheadInSeries ?? isAheadInOwnList ?? true)
      : isAheadInOwnList;
  };
  return [
    ...otherEntries.filter(isAheadOfOrganizer),
    organizerEntry,
    ...otherEntries.filter((entry) => !isAheadOfOrganizer(entry)),
  ];
}

/** Sorts a list like that of its series, unless it had its own order before. */
function sortLikeSeries(list: readonly Attendee[], before: GuestsByKey, after: GuestsByKey) {
  const entries = new Map(list.map((entry) => [attendeeKey(entry), entry]));
  if (
    !isSameJson(
      [...entries.keys()].filter((key) => before.has(key)),
      [...before.keys()].filter((key) => entries.has(key)),
    )
  )
    return list;
  const sortedEntries = [...after.keys()].flatMap((key) => entries.get(key) ?? []).values();
  return list.map((entry) =>
    after.has(attendeeKey(entry)) ? (sortedEntries.next().value as Attendee) : entry,
  );
}

type Positions = ReadonlyMap<string | undefined, number>;

const positionsOf = (list: readonly Attendee[]): Positions =>
  new Map(list.map((entry, index) => [attendeeKey(entry), index]));

/** Whether a guest is listed before the organizer; undefined if the list lacks one of them. */
function precedesOrganizer(positions: Positions, guest: string | undefined, organizer: string | undefined) {
  const [guestIndex, organizerIndex] = [positions.get(guest), positions.get(organizer)];
  return guestIndex === undefined || organizerIndex === undefined ? undefined : guestIndex < organizerIndex;
}

type GuestsByKey = ReadonlyMap<string | undefined, Attendee>;

const guestsByKeyOf = ({ core: { attendees = [] } }: EventRecord): GuestsByKey =>
  new Map(attendees.map((entry) => [attendeeKey(entry), entry]));

/** Gives an exception that changed only responses a public stamp (`openStamp`), since everybody saw them before. */
const publishStamp = (exception: EventRecord, { openStamp }: EventRecord): EventRecord =>
  exception.openStamp.tag === noStamp.tag && exception.coreStamp.tag !== noStamp.tag
    ? { ...exception, openStamp }
    : exception;

/**
 * Resets an exception, which then changes nothing of its series. Stamps and copies stay, so that syncs report it to readers
 * who saw it. Its sequence stays, since it never decreases. Copies on calendars without the series become uninvited.
 */
function createResetRecord(
  exception: EventRecord,
  instance: InstancePart,
  series: EventRecord,
  before = series,
): EventRecord {
  const { copies, version, coreStamp, openStamp } = exception;
  const { imported: _mark, ...instanceWithoutMark } = instance;
  const renewStamp = (ownStamp: Stamp, seriesStamp: Stamp): Stamp =>
    ownStamp.tag === noStamp.tag ? noStamp : seriesStamp;
  const resetCopy = (
    { id, state, guest, stamp, viewers, remains }: EventCopy,
    calendarId: string,
  ): EventCopy => {
    const isDetachedCopy = isDetached(exception, series, calendarId);
    const seriesCopy = isDetachedCopy ? undefined : series.copies[calendarId];
    const isUninvited = state === 'uninvited' && !seriesCopy;
    const baseCopy = {
      id,
      stamp: isUninvited ? stamp : renewStamp(stamp, series.coreStamp),
      own: {},
      ...(guest !== undefined && { guest }),
    };
    if (seriesCopy) {
      // The stamp makes syncs report that settings were cleared to users who still see the series.
      const viewerStamp = seriesCopy.state === 'uninvited' ? undefined : series.coreStamp;
      const resetViewers = mapValues(viewers ?? {}, (viewerPart) => ({
        stamp: viewerStamp ?? viewerPart.stamp,
        own: {},
      }));
      return { ...baseCopy, state: 'present', ...(viewers && { viewers: resetViewers }) };
    }
    const tombstone = isUninvited
      ? remains
      : tombstoneOf(composeInstance(before, instance.original, exception).core);
    return {
      ...baseCopy,
      state: 'uninvited',
      ...(isDetachedCopy && { apart: isDetachedCopy }),
      ...(tombstone && { remains: tombstone }),
    };
  };
  return {
    ...exception,
    version: version + 1,
    core: exception.core.sequence === undefined ? {} : { sequence: exception.core.sequence },
    coreStamp: renewStamp(coreStamp, series.coreStamp),
    openStamp: renewStamp(openStamp, series.openStamp),
    copies: mapValues(copies, resetCopy),
    instance: { ...instanceWithoutMark, answers: {}, emptied: true },
  };
}

/** Resets an exception whose series still has the occurrence. Returns the record itself if it was reset already. */
export const resetException = (exception: EventRecord, series: EventRecord): EventRecord =>
  exception.instance && !exception.instance.emptied
    ? createResetRecord(exception, exception.instance, series)
    : exception;
