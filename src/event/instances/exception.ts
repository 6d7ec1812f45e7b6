import { randomUUID } from 'node:crypto';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import { around, isFields, sameJson } from '../../core/patch.ts';
import { addressKey } from '../../core/text/email.ts';
import { originalOf } from '../../recurrence/original-start.ts';
import type { ChangeState } from '../event.store.ts';
import { type Attendee, attendeeKey, type EventBody } from '../model/fields.ts';
import {
  type Answer,
  type EventCopy,
  type EventParts,
  type EventRecord,
  hidesGuests,
  type InstancePart,
  noStamp,
  type Stamp,
  type StoredEvent,
  tombstoneOf,
  wasNeverVisible,
} from '../model/record.ts';
import { composeInstance, composeOn, occurs } from './compose.ts';
import { answerOf, isAnswered, shownGuests, uninvitedFrom, withoutAnswer } from './instance-guests.ts';

/** The guests whose own entries differ, and those who are on one list alone, by `addressKey`. */
export function guestsWithOthers(one: StoredEvent, other: StoredEvent): string[] {
  const [then, now] = [shownGuests(one), shownGuests(other)];
  return [...new Set([...then.keys(), ...now.keys()])].filter(
    (guest) => !sameJson(then.get(guest), now.get(guest)),
  );
}

/**
 * The guests from whom the others are hidden, and for whom an exception is one where they read its home calendar, also when
 * it shows nothing else there: their own entry is another than on the series, or was once.
 */
export const guestsWithException = ({ record, series }: StoredEvent): ReadonlySet<string> =>
  new Set(
    series
      ? [...guestsWithOthers({ record: series }, { record, series }), ...(record.instance?.staysFor ?? [])]
      : [],
  );

/** Whether an instance is an exception for this guest. */
export function hasException({ record, series }: StoredEvent, guest: string): boolean {
  if (!series) return false;
  if (record.instance?.staysFor?.includes(guest)) return true;
  const [there, here] = [shownGuests({ record: series }, guest), shownGuests({ record, series }, guest)];
  return !sameJson(there.get(guest), here.get(guest));
}

/**
 * The exception with those for whom it stays one, though it changes nothing any more that they see: a list has no words for
 * an exception that is none any more. The very same record where these are the same.
 */
export function stayingFor(before: StoredEvent | undefined, next: StoredEvent): EventRecord {
  const { record } = next;
  const { instance } = record;
  // For all others it is one by its stamps.
  const isOne = record.openStamp.tag !== noStamp.tag || record.coreStamp.tag === noStamp.tag;
  if (!instance || !before || isOne || !hidesGuests(next)) return record;
  const [then, now, known, differing] = [
    shownGuests(before),
    shownGuests(next),
    guestsWithException(before),
    new Set(guestsWithOthers({ record: next.series as EventRecord }, next)),
  ];
  const sawAll = before.record.coreStamp.tag !== noStamp.tag;
  const guests = [...now.keys()].filter(
    (guest) => !differing.has(guest) && (then.has(guest) ? known.has(guest) : sawAll),
  );
  if (sameJson(guests, instance.staysFor ?? [])) return record;
  const { staysFor: _old, ...rest } = instance;
  return { ...record, instance: { ...rest, ...(guests.length > 0 && { staysFor: guests }) } };
}

type Fields = Readonly<Record<string, unknown>>;

/** A change of an instance. */
interface InstanceChange {
  /** The instance as it was put together, and the same after the change. */
  readonly before: EventRecord;
  readonly next: EventRecord;
  /** Somebody was invited whom the caller did not see: the instance has a guest list of its own then, also where it was a hidden guest. */
  readonly invites: boolean;
}

/** The exception to store for a changed instance: only what differs from its series, so that it follows that in all else. */
export function exceptionOf(
  series: EventRecord,
  stored: EventRecord | undefined,
  { before, next, invites }: InstanceChange,
): EventRecord {
  const { series: reference, original } = next.instance as InstancePart;
  const plain = composeInstance(series, original);
  const [list, after] = [plain.core.attendees, next.core.attendees];
  const hasOwnList =
    after !== undefined &&
    (invites || stored?.core.attendees !== undefined || !isSameList(list ?? [], after));
  // Guests with calendars here who are off the series stay on the list unseen: a change by somebody else does not show when they are back.
  const unseen = uninvitedFrom(series, stored);
  const invited = new Set(hasOwnList ? after.map(attendeeKey) : []);
  const isKept = (entry: Attendee): boolean =>
    unseen.has(attendeeKey(entry)) && !invited.has(attendeeKey(entry));
  const own = hasOwnList ? around(stored?.core.attendees ?? [], isKept, after.map(withoutAnswer)) : undefined;
  const attendees = after === undefined ? list && null : own;
  const listed = own && new Set(own.map(attendeeKey));
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(next.copies)) {
    const [inherited, old] = [plain.copies[calendarId], stored?.copies[calendarId]];
    const stamp = ownStamp(copy.stamp, before.copies[calendarId]?.stamp, old?.stamp);
    if (inherited?.state === 'uninvited' && (old?.apart || invited.has(copy.guest))) {
      // What its guest kept on the series is kept on it, as by one who is put back.
      const whole = before.copies[calendarId] ? copy : { ...inherited, ...copy, own: inherited.own };
      copies[calendarId] = { ...whole, id: inherited.id, stamp, apart: true };
      continue;
    }
    const isOff = inherited?.state === 'uninvited' && listed?.has(copy.guest) === false;
    // Who was taken off the series does not see what comes later.
    if (inherited?.state === 'uninvited' && !old) continue;
    const { viewers, ...rest } = copy;
    const kept = Object.fromEntries(
      Object.entries(viewers ?? {}).filter(
        ([identity, part]) => !sameJson(part, inherited?.viewers?.[identity]),
      ),
    );
    copies[calendarId] = {
      ...rest,
      // What only follows the series is not its own.
      state:
        !isOff && inherited && inherited.state !== 'present' && copy.state === inherited.state
          ? (old?.state ?? 'present')
          : copy.state,
      own: difference(inherited?.own ?? {}, copy.own),
      stamp,
      ...(Object.keys(kept).length > 0 && { viewers: kept }),
      ...(isOff &&
        old?.stamp.tag !== noStamp.tag && {
          remains: old?.remains ?? tombstoneOf(composeOn(series, original, undefined, calendarId).core),
        }),
    };
  }
  for (const [calendarId, copy] of Object.entries(stored?.copies ?? {}))
    if (wasNeverVisible(copy)) copies[calendarId] ??= copy;
  const exception: EventRecord = {
    key: stored?.key ?? randomUUID(),
    version: (stored?.version ?? 0) + 1,
    homeId: next.homeId,
    core: {
      ...(difference(without(plain.core, 'attendees'), without(next.core, 'attendees')) as EventBody),
      ...(attendees !== undefined && ({ attendees } as EventBody)),
    },
    coreStamp: ownStamp(next.coreStamp, before.coreStamp, stored?.coreStamp),
    openStamp: ownStamp(next.openStamp, before.openStamp, stored?.openStamp),
    copies,
    instance: {
      series: reference,
      original,
      answers: answersOf(before.core.attendees, after, stored),
      ...(stored?.instance?.staysFor && { staysFor: stored.instance.staysFor }),
    },
  };
  return stayingFor(stored && { record: stored, series }, { record: exception, series });
}

/** That of the series is added whenever the instance is put together: what did not change keeps its own, if it has one. */
const ownStamp = (after: Stamp, before: Stamp | undefined, own: Stamp | undefined): Stamp =>
  after.tag === before?.tag ? (own ?? noStamp) : after;

function without(core: EventBody, name: keyof EventBody): Fields {
  const { [name]: _left, ...rest } = core;
  return rest;
}

/** The JSON merge patch (RFC 7396) that makes one object of another. */
export function difference(before: Fields, after: Fields): Fields {
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name], after[name]];
    if (value === undefined) result[name] = null;
    else if (isFields(value) && isFields(old)) {
      const inner = difference(old, value);
      if (Object.keys(inner).length > 0) result[name] = inner;
    } else if (!sameJson(old, value)) result[name] = value;
  }
  return result;
}

/** Whether two lists differ in answers alone. */
const isSameList = (one: readonly Attendee[], other: readonly Attendee[]): boolean =>
  one.length === other.length &&
  one.every((entry, index) => sameJson(withoutAnswer(entry), withoutAnswer(other[index] as Attendee)));

/** Guests' answers to this instance by itself: those of this change, and those that were given before. */
function answersOf(
  before: readonly Attendee[] = [],
  after: readonly Attendee[] = [],
  stored: EventRecord | undefined,
): InstancePart['answers'] {
  const known = new Map(before.map((entry) => [attendeeKey(entry), entry]));
  // Answers that lists of older versions hold in their entries.
  const listed = new Map(
    (stored?.core.attendees ?? []).filter(isAnswered).map((entry) => [attendeeKey(entry), answerOf(entry)]),
  );
  const answers: Record<string, Answer> = {};
  for (const entry of after) {
    const [key, answer] = [attendeeKey(entry), answerOf(entry)];
    if (key === undefined) continue;
    const was = known.get(key);
    const given = (was ? !sameJson(answer, answerOf(was)) : isAnswered(entry))
      ? answer
      : (stored?.instance?.answers[key] ?? listed.get(key));
    if (given) answers[key] = given;
  }
  return answers;
}

/**
 * The exception that a body describes whose series was stored before it, on the same calendar. What the body lacks
 * is as the series has it. Undefined when the body is no such instance. `stampFor`: a stamp that a record does not have yet.
 */
export function importInstance(
  event: EventBody & { readonly id: string },
  parts: EventParts,
  calendar: CalendarRecord,
  { event: stored, series }: ChangeState,
  stampFor: (record: EventRecord) => Stamp,
): EventRecord | undefined {
  const original = originalOf(event.originalStartTime);
  const known = stored?.instance ? stored : undefined;
  const isOne =
    series !== undefined &&
    original !== undefined &&
    event.recurringEventId !== undefined &&
    event.id === `${event.recurringEventId}_${original}`;
  if (!isOne || (stored && !known) || !occurs(series, original)) return undefined;
  const before = composeInstance(series, original, known);
  const copy = before.copies[calendar.id];
  if (!copy) return undefined;
  const stamp = stampFor(before);
  const {
    created: _created,
    creator: _creator,
    organizer: _organizer,
    iCalUID: _uid,
    recurringEventId: _series,
    originalStartTime: _original,
    ...core
  } = parts.core;
  const own: EventCopy = {
    ...copy,
    own: { ...copy.own, ...parts.copy },
    stamp,
    ...(Object.keys(parts.viewer).length > 0 && {
      viewers: { ...copy.viewers, [addressKey(calendar.owner)]: { stamp, own: parts.viewer } },
    }),
  };
  const next: EventRecord = {
    ...before,
    core: { ...before.core, ...core },
    coreStamp: stamp,
    openStamp: stamp,
    copies: { ...before.copies, [calendar.id]: own },
  };
  return exceptionOf(series, known, { before, next, invites: false });
}
