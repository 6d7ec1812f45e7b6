import { randomUUID } from 'node:crypto';
import { sameJson } from '../../core/kernel/equal.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import type { Attendee } from '../model/fields.ts';
import {
  isApart,
  noStamp,
  originalStartOf,
  remainsOf,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  type Stamp,
} from '../model/record.ts';
import { kindOf, orderOf as orderOfTime } from '../time/time.ts';
import { composeInstance, startOf } from './compose.ts';
import { stayingFor } from './hidden-entries.ts';
import { answerOf, uninvitedFrom, withoutAnswer } from './instance-guests.ts';
import { difference } from './exception.ts';
import { originalAt, timeAt } from './instance-id.ts';
import { occurrencesOf } from './occurrences.ts';
import { placesOf } from './move.ts';

/** An exception after a change of its series, at its place. */
export interface ChangedException {
  /** What was stored there; absent for a place that is new. */
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** The exception that it was, there or at another place; absent where none is left. */
  readonly from?: EventRecord;
}

/**
 * The exceptions of a series after a change of it, by their original starts: where its start moves they find their places as
 * section 15 of the contract says.
 */
export function exceptionsAfter(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): readonly ChangedException[] {
  const isLast =
    last?.series === series &&
    last.before === before &&
    last.exceptions.length === exceptions.length &&
    last.exceptions.every((one, index) => one === exceptions[index]);
  if (isLast && last) return last.after;
  const after = moveExceptions(exceptions, series, before);
  if (after.length > 0) last = { series, before, exceptions, after };
  return after;
}

/** Cached result: the service and then the store compute it for the same change. */
let last:
  | {
      readonly series: EventRecord;
      readonly before: EventRecord | undefined;
      readonly exceptions: readonly EventRecord[];
      readonly after: readonly ChangedException[];
    }
  | undefined;

function moveExceptions(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): ChangedException[] {
  const all = [...exceptions].sort((one, other) => (originalStartOf(one) < originalStartOf(other) ? -1 : 1));
  if (!before || before.core.start === series.core.start) {
    const isThere = occurrencesLeft(all, series, before);
    return all.map((old): ChangedException => {
      const next = followSeries(old, series, before, isThere);
      return { before: old, next, ...(!next.instance?.emptied && { from: old }) };
    });
  }
  const full = all.filter(({ instance }) => !instance?.emptied);
  const places = placesOf(full.map(originalStartOf), before.core.start, series.core);
  const comingTo = new Map(
    full.flatMap((old) => {
      const place = places.get(originalStartOf(old));
      return place === undefined ? [] : [[place, old] as const];
    }),
  );
  const here = new Map(all.map((old) => [originalStartOf(old), old]));
  const changed = all.map((old): ChangedException => {
    const original = originalStartOf(old);
    const from = comingTo.get(original);
    if (!from) return { before: old, next: followSeries(old, series, before, () => false) };
    return { before: old, next: movedTo(original, from, series, before, old), from };
  });
  const added = [...comingTo].flatMap(([original, from]): ChangedException[] =>
    here.has(original) ? [] : [{ before: undefined, next: movedTo(original, from, series, before), from }],
  );
  return [...changed, ...added].sort((one, other) =>
    originalStartOf(one.next) < originalStartOf(other.next) ? -1 : 1,
  );
}

/** Whether a series still has the occurrences of its exceptions: those are looked up at once. */
function occurrencesLeft(
  exceptions: readonly EventRecord[],
  series: EventRecord,
  before: EventRecord | undefined,
): (original: string) => boolean {
  if (hasSameStarts(series, before)) return () => true;
  const { start, recurrence = [] } = series.core;
  const isDay = start?.date !== undefined;
  const own = exceptions.map(originalStartOf).filter((original) => original.includes('T') !== isDay);
  const found =
    recurrence.length === 0 ? new Set<number>() : occurrencesOf(series.core).among(own.map(startOf));
  const there = new Set([...found].map((moment) => originalAt(moment, isDay)));
  return (original) => there.has(original);
}

/** Exceptions that a change of their series removes. */
export function removedBy(
  exceptions: readonly EventRecord[],
  after: readonly ChangedException[],
): EventRecord[] {
  const kept = new Set(after.map(({ from }) => from));
  return exceptions.filter((old) => !old.instance?.emptied && !kept.has(old));
}

/** An exception at its place after a move of its series, with what it changes by itself; `old`: what was stored at that place. */
function movedTo(
  original: string,
  from: EventRecord,
  series: EventRecord,
  before: EventRecord,
  old?: EventRecord,
): EventRecord {
  const there = followSeries(moveTimes(from, original, series, before), series, before, () => true);
  if (old === from) return there === from ? from : { ...there, version: from.version + 1 };
  const instance = there.instance as InstancePart;
  const suffix = `_${originalStartOf(from)}`;
  // Uninvited guests do not get the instance at its new original start.
  const copies = Object.entries(there.copies).flatMap(([calendarId, copy]): [string, EventCopy][] => {
    const isOff = series.copies[calendarId]?.state === 'uninvited' && !isApart(there, series, calendarId);
    if (copy.state === 'uninvited' || isOff) return [];
    const id = copy.id.endsWith(suffix) ? `${copy.id.slice(0, -suffix.length)}_${original}` : copy.id;
    return [[calendarId, { ...copy, id }]];
  });
  // Guests uninvited from the earlier record at this place keep seeing its cancellation.
  const left = Object.entries(old ? emptyException(old, series, before).copies : {}).filter(
    ([, { state }]) => state === 'uninvited',
  );
  return {
    ...there,
    key: old?.key ?? randomUUID(),
    version: (old?.version ?? 0) + 1,
    copies: { ...Object.fromEntries(left), ...Object.fromEntries(copies) },
    instance: { ...instance, original },
  };
}

const emptyException = (old: EventRecord, series: EventRecord, before: EventRecord): EventRecord =>
  followSeries(old, series, before, () => false);

/** The times of an exception at another place: a start of its own stays as it was shown, with its end; an end alone keeps the length. */
function moveTimes(
  old: EventRecord,
  original: string,
  series: EventRecord,
  before: EventRecord,
): EventRecord {
  const { start, end, ...core } = old.core;
  if (start === undefined && end === undefined) return old;
  const then = originalStartOf(old);
  const shown = composeInstance(before, then, old).core;
  const plain = composeInstance(series, original).core;
  const [begins, ends] = [shown.start && orderOfTime(shown.start), shown.end && orderOfTime(shown.end)];
  if (!shown.start || !shown.end || typeof begins !== 'number' || typeof ends !== 'number') return old;
  const isOwn = begins !== startOf(then) || kindOf(shown.start) !== kindOf(plain.start);
  const times = isOwn
    ? { start: shown.start, end: shown.end }
    : {
        start: timeAt(startOf(original), shown.start),
        end: timeAt(startOf(original) + ends - begins, shown.end),
      };
  const own = difference({ start: plain.start, end: plain.end }, times);
  return { ...old, core: { ...core, ...own } };
}

/**
 * The exception after a change of its series. An exception without its occurrence loses all it changed, for good; a guest
 * who was taken off the series loses the answer to it; and when guests are hidden from each other, those who saw answers to
 * the exception continue to see that it changed. The very same record when nothing changes.
 */
function followSeries(
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

/** What occurred before does so still: a series may have thousands of exceptions. */
const hasSameStarts = ({ core }: EventRecord, before: EventRecord | undefined): boolean =>
  before !== undefined && before.core.recurrence === core.recurrence && before.core.start === core.start;

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
      const isAlone = isApart(exception, series, calendarId);
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
          : remainsOf(composeInstance(before, instance.original, exception).core);
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
