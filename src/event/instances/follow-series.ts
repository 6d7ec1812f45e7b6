import { sameJson } from '../../core/patch.ts';
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
import { mergePatchBetween, withStaysFor } from './exception.ts';
import { answerOf, uninvitedGuestsOf, withoutAnswer } from './instance-guests.ts';

/**
 * Exception after a change of its series; the record itself if nothing changes. An exception without its occurrence loses
 * all that it changed, for good. A guest who was taken off the series loses the answer to the exception. When guests become
 * hidden from each other, those who saw answers to the exception still see that it changed.
 */
export function followSeries(
  old: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  hasOccurrence: (original: string) => boolean,
): EventRecord {
  const next = applySeriesChange(old, series, before, hasOccurrence);
  const result = before ? withStaysFor({ record: old, series: before }, { record: next, series }) : next;
  return result === next || next !== old ? result : { ...result, version: old.version + 1 };
}

function applySeriesChange(
  old: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  hasOccurrence: (original: string) => boolean,
): EventRecord {
  const { instance, version } = old;
  if (!instance) return old;
  const isHiding =
    series.core.guestsCanSeeOtherGuests === false && before?.core.guestsCanSeeOtherGuests !== false;
  const exception = isHiding ? publishStamp(old, series) : old;
  if (!instance.emptied && !hasOccurrence(instance.original))
    return reset(exception, instance, series, before);
  if (!before || before.core.attendees === series.core.attendees)
    return exception === old ? old : { ...exception, version: version + 1 };
  const copies = reattachCopies(exception, series);
  const takenOff = guestsTakenOff(before, series);
  const answers = Object.entries(instance.answers).filter(([guest]) => !takenOff.has(guest));
  const guests = old.core.attendees && followGuests(old.core.attendees, before, series, takenOff);
  const isSame =
    answers.length === Object.keys(instance.answers).length &&
    (!guests || sameJson(guests, old.core.attendees));
  if (isSame && exception === old && copies === old.copies) return old;
  return {
    ...exception,
    copies,
    version: version + 1,
    core: guests ? { ...exception.core, attendees: guests } : exception.core,
    instance: { ...instance, answers: Object.fromEntries(answers) },
  };
}

/** Reattaches the copies of detached instances to the series if their guests are back on it. */
function reattachCopies({ copies, instance }: EventRecord, series: EventRecord): EventRecord['copies'] {
  const reattached = Object.entries(copies).flatMap(
    ([calendarId, { apart, remains, ...copy }]): [string, EventCopy][] => {
      const seriesCopy = series.copies[calendarId];
      if (!apart || !seriesCopy || seriesCopy.state === 'uninvited') return [];
      // A reset exception changes nothing of its series.
      return [
        [
          calendarId,
          instance?.emptied
            ? { ...copy, state: 'present' }
            : { ...copy, own: mergePatchBetween(seriesCopy.own, copy.own), ...(remains && { remains }) },
        ],
      ];
    },
  );
  return reattached.length === 0 ? copies : { ...copies, ...Object.fromEntries(reattached) };
}

/**
 * Updates an instance's own guest list after a change of the series' list. Inherited entries and order stay inherited, and a
 * new organizer is added, so that guests without sight of the list cannot tell which instances have their own.
 */
function followGuests(
  own: readonly Attendee[],
  before: EventRecord,
  series: EventRecord,
  takenOff: ReadonlySet<string | undefined>,
): readonly Attendee[] {
  const [guestsBefore, guestsAfter] = [guestsOf(before), guestsOf(series)];
  // Guests with calendars here stay on the stored list, and are shown again when they are back on the series.
  const hosted = uninvitedGuestsOf(series);
  const list = own
    .filter((entry) => !takenOff.has(attendeeKey(entry)) || hosted.has(attendeeKey(entry)))
    .map((entry) => {
      const [old, next] = [guestsBefore.get(attendeeKey(entry)), guestsAfter.get(attendeeKey(entry))];
      return old && next && old !== next && sameJson(withoutAnswer(old), withoutAnswer(entry))
        ? { ...withoutAnswer(next), ...answerOf(entry) }
        : entry;
    });
  const organizer = series.core.organizer && attendeeKey(series.core.organizer);
  const newOrganizer = guestsBefore.has(organizer) ? undefined : guestsAfter.get(organizer);
  const others = sortLikeSeries(
    list.filter((entry) => attendeeKey(entry) !== organizer),
    guestsBefore,
    guestsAfter,
  );
  const organizerEntry =
    list.find((entry) => attendeeKey(entry) === organizer) ?? (newOrganizer && withoutAnswer(newOrganizer));
  if (!organizerEntry) return others;
  // Each guest sees the own entry and the organizer's, so their order must not depend on other entries.
  const orders = [own, [...guestsBefore.values()], [...guestsAfter.values()]].map(positionsOf);
  const isAhead = (entry: Attendee): boolean => {
    const [inOwn, inBefore, inAfter] = orders.map((order) => isAheadOf(order, attendeeKey(entry), organizer));
    return inOwn === undefined || inOwn === inBefore ? (inAfter ?? inOwn ?? true) : inOwn;
  };
  return [...others.filter(isAhead), organizerEntry, ...others.filter((entry) => !isAhead(entry))];
}

/** Sorts a list like that of its series, unless it had its own order before. */
function sortLikeSeries(list: readonly Attendee[], before: Guests, after: Guests): readonly Attendee[] {
  const entries = new Map(list.map((entry) => [attendeeKey(entry), entry]));
  if (
    !sameJson(
      [...entries.keys()].filter((key) => before.has(key)),
      [...before.keys()].filter((key) => entries.has(key)),
    )
  )
    return list;
  const sorted = [...after.keys()].flatMap((key) => entries.get(key) ?? []).values();
  return list.map((entry) => (after.has(attendeeKey(entry)) ? (sorted.next().value as Attendee) : entry));
}

type GuestKey = string | undefined;
type Positions = ReadonlyMap<GuestKey, number>;

const positionsOf = (list: readonly Attendee[]): Positions =>
  new Map(list.map((entry, index) => [attendeeKey(entry), index]));

/** Whether a guest is listed before the organizer; undefined if the list lacks one of them. */
function isAheadOf(positions: Positions, guest: GuestKey, organizer: GuestKey): boolean | undefined {
  const [guestAt, organizerAt] = [positions.get(guest), positions.get(organizer)];
  return guestAt === undefined || organizerAt === undefined ? undefined : guestAt < organizerAt;
}

type Guests = ReadonlyMap<GuestKey, Attendee>;

const guestsOf = ({ core: { attendees = [] } }: EventRecord): Guests =>
  new Map(attendees.map((entry) => [attendeeKey(entry), entry]));

function guestsTakenOff(
  before: EventRecord,
  { core: { attendees = [] } }: EventRecord,
): ReadonlySet<string | undefined> {
  const guests = new Set(attendees.map(attendeeKey));
  return new Set((before.core.attendees ?? []).map(attendeeKey).filter((guest) => !guests.has(guest)));
}

/** Gives an exception that changed only answers a public stamp, since everybody saw the answers before. */
const publishStamp = (exception: EventRecord, { openStamp }: EventRecord): EventRecord =>
  exception.openStamp.tag === noStamp.tag && exception.coreStamp.tag !== noStamp.tag
    ? { ...exception, openStamp }
    : exception;

/**
 * Resets an exception, which then changes nothing of its series. Stamps and copies stay, so that syncs report it to readers
 * who saw it. Its sequence stays, since it never decreases. Copies on calendars without the series become uninvited.
 */
function reset(
  exception: EventRecord,
  instance: InstancePart,
  series: EventRecord,
  before = series,
): EventRecord {
  const { copies, version, coreStamp, openStamp } = exception;
  const renewed = (own: Stamp, seriesStamp: Stamp): Stamp =>
    own.tag === noStamp.tag ? noStamp : seriesStamp;
  const resetCopies = Object.entries(copies).map(
    ([calendarId, { id, state, guest, stamp, viewers, remains }]): [string, EventCopy] => {
      const isAlone = isDetached(exception, series, calendarId);
      const base = {
        id,
        stamp: renewed(stamp, series.coreStamp),
        own: {},
        ...(guest !== undefined && { guest }),
        ...(isAlone && { apart: isAlone }),
      };
      const seriesCopy = isAlone ? undefined : series.copies[calendarId];
      if (seriesCopy)
        return [
          calendarId,
          {
            ...base,
            state: 'present',
            ...(viewers && {
              viewers: resetViewers(viewers, seriesCopy.state === 'uninvited' ? undefined : series.coreStamp),
            }),
          },
        ];
      const tombstone =
        state === 'uninvited'
          ? remains
          : tombstoneOf(composeInstance(before, instance.original, exception).core);
      return [
        calendarId,
        {
          ...base,
          state: 'uninvited',
          ...(state === 'uninvited' && { stamp }),
          ...(tombstone && { remains: tombstone }),
        },
      ];
    },
  );
  return {
    ...exception,
    version: version + 1,
    core: exception.core.sequence === undefined ? {} : { sequence: exception.core.sequence },
    coreStamp: renewed(coreStamp, series.coreStamp),
    openStamp: renewed(openStamp, series.openStamp),
    copies: Object.fromEntries(resetCopies),
    instance: { ...instance, answers: {}, emptied: true },
  };
}

/** Resets an exception whose series still has the occurrence. Returns the record itself if it was reset already. */
export const resetException = (exception: EventRecord, series: EventRecord): EventRecord =>
  exception.instance && !exception.instance.emptied
    ? reset(exception, exception.instance, series)
    : exception;

/** Clears users' settings on a removed instance; the stamp makes syncs report this to users who still see the series. */
const resetViewers = (
  viewers: NonNullable<EventCopy['viewers']>,
  stamp: Stamp | undefined,
): NonNullable<EventCopy['viewers']> =>
  Object.fromEntries(
    Object.entries(viewers).map(([identity, part]) => [identity, { stamp: stamp ?? part.stamp, own: {} }]),
  );
