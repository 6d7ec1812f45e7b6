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
import { difference, stayingFor } from './exception.ts';
import { answerOf, uninvitedFrom, withoutAnswer } from './instance-guests.ts';

/**
 * The exception after a change of its series. An exception without its occurrence loses all it changed, for good; a guest
 * who was taken off the series loses the answer to it; and when guests are hidden from each other, those who saw answers to
 * the exception continue to see that it changed. The very same record when nothing changes.
 */
export function followSeries(
  old: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  isThere: (original: string) => boolean,
): EventRecord {
  const next = alongWith(old, series, before, isThere);
  const known = before ? stayingFor({ record: old, series: before }, { record: next, series }) : next;
  return known === next || next !== old ? known : { ...known, version: old.version + 1 };
}

function alongWith(
  old: EventRecord,
  series: EventRecord,
  before: EventRecord | undefined,
  isThere: (original: string) => boolean,
): EventRecord {
  const { instance, version } = old;
  if (!instance) return old;
  const isHiding =
    series.core.guestsCanSeeOtherGuests === false && before?.core.guestsCanSeeOtherGuests !== false;
  const exception = isHiding ? seenGoingOn(old, series) : old;
  if (!instance.emptied && !isThere(instance.original)) return emptied(exception, instance, series, before);
  if (!before || before.core.attendees === series.core.attendees)
    return exception === old ? old : { ...exception, version: version + 1 };
  const copies = copiesAlong(exception, series);
  const left = leftOf(before, series);
  const answers = Object.entries(instance.answers).filter(([guest]) => !left.has(guest));
  const guests = old.core.attendees && followGuests(old.core.attendees, before, series, left);
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

/** Those who were on an instance alone, and are back on its series, have it with the series again. */
function copiesAlong({ copies, instance }: EventRecord, series: EventRecord): EventRecord['copies'] {
  const back = Object.entries(copies).flatMap(
    ([calendarId, { apart, remains, ...copy }]): [string, EventCopy][] => {
      const ofSeries = series.copies[calendarId];
      if (!apart || !ofSeries || ofSeries.state === 'uninvited') return [];
      // One that was emptied changes nothing of its series.
      return [
        [
          calendarId,
          instance?.emptied
            ? { ...copy, state: 'present' }
            : { ...copy, own: difference(ofSeries.own, copy.own), ...(remains && { remains }) },
        ],
      ];
    },
  );
  return back.length === 0 ? copies : { ...copies, ...Object.fromEntries(back) };
}

/**
 * A guest list of an instance's own after that of its series changed: what stood there as on the series, entries and their
 * order, stands there as on the series again, and an organizer who came on the series' list is on this one too; other later
 * guests are not. So those from whom guests are hidden cannot tell an instance with a list of its own from another.
 */
function followGuests(
  own: readonly Attendee[],
  before: EventRecord,
  series: EventRecord,
  left: ReadonlySet<string | undefined>,
): readonly Attendee[] {
  const [then, now] = [guestsOf(before), guestsOf(series)];
  // Guests with calendars here stay on lists of instances' own, unseen, and are back when they are back on the series.
  const hosted = uninvitedFrom(series);
  const list = own
    .filter((entry) => !left.has(attendeeKey(entry)) || hosted.has(attendeeKey(entry)))
    .map((entry) => {
      const [was, is] = [then.get(attendeeKey(entry)), now.get(attendeeKey(entry))];
      return was && is && was !== is && sameJson(withoutAnswer(was), withoutAnswer(entry))
        ? { ...withoutAnswer(is), ...answerOf(entry) }
        : entry;
    });
  const organizer = series.core.organizer && attendeeKey(series.core.organizer);
  const joining = then.has(organizer) ? undefined : now.get(organizer);
  const others = inOrderOf(
    list.filter((entry) => attendeeKey(entry) !== organizer),
    then,
    now,
  );
  const organizers =
    list.find((entry) => attendeeKey(entry) === organizer) ?? (joining && withoutAnswer(joining));
  if (!organizers) return others;
  // Each guest sees the own entry and the organizer's: which comes first may depend on no other.
  const orders = [orderOf(own), orderOf([...then.values()]), orderOf([...now.values()])] as const;
  const isAhead = (entry: Attendee): boolean => {
    const [here, before, after] = orders.map((order) => aheadOf(order, attendeeKey(entry), organizer));
    return here === undefined || here === before ? (after ?? here ?? true) : here;
  };
  return [...others.filter(isAhead), organizers, ...others.filter((entry) => !isAhead(entry))];
}

/** A list in the order that its entries have on their series, unless it had one of its own. */
function inOrderOf(list: readonly Attendee[], then: Guests, now: Guests): readonly Attendee[] {
  const entries = new Map(list.map((entry) => [attendeeKey(entry), entry]));
  if (
    !sameJson(
      [...entries.keys()].filter((key) => then.has(key)),
      [...then.keys()].filter((key) => entries.has(key)),
    )
  )
    return list;
  const moved = [...now.keys()].flatMap((key) => entries.get(key) ?? []).values();
  return list.map((entry) => (now.has(attendeeKey(entry)) ? (moved.next().value as Attendee) : entry));
}

type Order = ReadonlyMap<string | undefined, number>;

const orderOf = (list: readonly Attendee[]): Order =>
  new Map(list.map((entry, index) => [attendeeKey(entry), index]));

/** Whether one stands before another on a list; undefined where one of them does not stand there. */
function aheadOf(order: Order, one: string | undefined, other: string | undefined): boolean | undefined {
  const [first, second] = [order.get(one), order.get(other)];
  return first === undefined || second === undefined ? undefined : first < second;
}

type Guests = ReadonlyMap<string | undefined, Attendee>;

const guestsOf = ({ core: { attendees = [] } }: EventRecord): Guests =>
  new Map(attendees.map((entry) => [attendeeKey(entry), entry]));

/** The guests who were taken off a series. */
function leftOf(
  before: EventRecord,
  { core: { attendees = [] } }: EventRecord,
): ReadonlySet<string | undefined> {
  const guests = new Set(attendees.map(attendeeKey));
  return new Set((before.core.attendees ?? []).map(attendeeKey).filter((guest) => !guests.has(guest)));
}

/** What was seen of hidden guests' answers before counts as seen by all. */
const seenGoingOn = (exception: EventRecord, { openStamp }: EventRecord): EventRecord =>
  exception.openStamp.tag === noStamp.tag && exception.coreStamp.tag !== noStamp.tag
    ? { ...exception, openStamp }
    : exception;

/**
 * An exception that changes nothing any more. Its stamps and copies stay, so that syncs report it to whoever saw it
 * before, and its sequence, which never goes back; copies on calendars without the series become uninvited.
 */
function emptied(
  exception: EventRecord,
  instance: InstancePart,
  series: EventRecord,
  before = series,
): EventRecord {
  const { copies, version, coreStamp, openStamp } = exception;
  const renewed = (own: Stamp, now: Stamp): Stamp => (own.tag === noStamp.tag ? noStamp : now);
  const left = Object.entries(copies).map(
    ([calendarId, { id, state, guest, stamp, viewers, remains }]): [string, EventCopy] => {
      const isAlone = isDetached(exception, series, calendarId);
      const base = {
        id,
        stamp: renewed(stamp, series.coreStamp),
        own: {},
        ...(guest !== undefined && { guest }),
        ...(isAlone && { apart: isAlone }),
      };
      const ofSeries = isAlone ? undefined : series.copies[calendarId];
      if (ofSeries)
        return [
          calendarId,
          {
            ...base,
            state: 'present',
            ...(viewers && {
              viewers: renewedFor(viewers, ofSeries.state === 'uninvited' ? undefined : series.coreStamp),
            }),
          },
        ];
      const known =
        state === 'uninvited'
          ? remains
          : tombstoneOf(composeInstance(before, instance.original, exception).core);
      return [
        calendarId,
        {
          ...base,
          state: 'uninvited',
          ...(state === 'uninvited' && { stamp }),
          ...(known && { remains: known }),
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
    copies: Object.fromEntries(left),
    instance: { ...instance, answers: {}, emptied: true },
  };
}

/** An exception that changes nothing any more, whose series still has its occurrence; the very same record where it changed nothing. */
export const emptiedException = (exception: EventRecord, series: EventRecord): EventRecord =>
  exception.instance && !exception.instance.emptied
    ? emptied(exception, exception.instance, series)
    : exception;

/** The users of an instance that is gone lose their settings on it; a stamp makes syncs report that to those who still see its series. */
const renewedFor = (
  viewers: NonNullable<EventCopy['viewers']>,
  stamp: Stamp | undefined,
): NonNullable<EventCopy['viewers']> =>
  Object.fromEntries(
    Object.entries(viewers).map(([identity, part]) => [identity, { stamp: stamp ?? part.stamp, own: {} }]),
  );
