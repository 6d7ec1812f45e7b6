import { randomUUID } from 'node:crypto';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import { mergeKeepingPositions, isFields, sameJson } from '../../core/patch.ts';
import { addressKey } from '../../core/text/email.ts';
import { originalStartOf } from '../../recurrence/original-start.ts';
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
import { composeInstance, composeOn, hasOccurrence } from './compose.ts';
import { answerOf, isAnswered, shownGuests, uninvitedGuestsOf, withoutAnswer } from './instance-guests.ts';

/** Guests whose entries differ between two events or are in only one of them, by `addressKey`. */
export function differingGuests(before: StoredEvent, after: StoredEvent): string[] {
  const [guestsBefore, guestsAfter] = [shownGuests(before), shownGuests(after)];
  return [...new Set([...guestsBefore.keys(), ...guestsAfter.keys()])].filter(
    (guest) => !sameJson(guestsBefore.get(guest), guestsAfter.get(guest)),
  );
}

/** Guests who see an exception on its home calendar only by their own entry, which differs, or did, from the series'. */
export const guestsWithException = ({ record, series }: StoredEvent): ReadonlySet<string> =>
  new Set(
    series
      ? [...differingGuests({ record: series }, { record, series }), ...(record.instance?.staysFor ?? [])]
      : [],
  );

/** Whether a guest sees an instance as an exception by the own entry, as `guestsWithException` defines. */
export function hasExceptionFor({ record, series }: StoredEvent, guest: string): boolean {
  if (!series) return false;
  if (record.instance?.staysFor?.includes(guest)) return true;
  const seriesGuests = shownGuests({ record: series }, guest);
  return !sameJson(seriesGuests.get(guest), shownGuests({ record, series }, guest).get(guest));
}

/**
 * Sets `staysFor`: guests who saw the exception and now see no difference from the series, since a list cannot report that
 * an exception ended. Returns the record itself if nothing changes.
 */
export function withStaysFor(before: StoredEvent | undefined, next: StoredEvent): EventRecord {
  const { record } = next;
  const { instance } = record;
  const isExceptionByStamp = record.openStamp.tag !== noStamp.tag || record.coreStamp.tag === noStamp.tag;
  if (!instance || !before || isExceptionByStamp || !hidesGuests(next)) return record;
  const [guestsBefore, guestsAfter, exceptionGuests, differing] = [
    shownGuests(before),
    shownGuests(next),
    guestsWithException(before),
    new Set(differingGuests({ record: next.series as EventRecord }, next)),
  ];
  const sawAll = before.record.coreStamp.tag !== noStamp.tag;
  const guests = [...guestsAfter.keys()].filter(
    (guest) => !differing.has(guest) && (guestsBefore.has(guest) ? exceptionGuests.has(guest) : sawAll),
  );
  if (sameJson(guests, instance.staysFor ?? [])) return record;
  const { staysFor: _old, ...rest } = instance;
  return { ...record, instance: { ...rest, ...(guests.length > 0 && { staysFor: guests }) } };
}

type Fields = Readonly<Record<string, unknown>>;

interface InstanceChange {
  readonly before: EventRecord;
  readonly next: EventRecord;
  /** The caller invited a guest whom the caller did not see, so the instance gets its own guest list. */
  readonly invites: boolean;
}

/** Exception to store for a changed instance. It holds only differences from its series, which it follows otherwise. */
export function exceptionOf(
  series: EventRecord,
  stored: EventRecord | undefined,
  { before, next, invites }: InstanceChange,
): EventRecord {
  const { series: reference, original } = next.instance as InstancePart;
  const plain = composeInstance(series, original);
  const [inheritedList, after] = [plain.core.attendees, next.core.attendees];
  const hasOwnList =
    after !== undefined &&
    (invites || stored?.core.attendees !== undefined || !isSameList(inheritedList ?? [], after));
  // Guests with calendars here who are off the series stay on the stored list, and are shown again when they are back.
  const unseen = uninvitedGuestsOf(series, stored);
  const invited = new Set(hasOwnList ? after.map(attendeeKey) : []);
  const isKept = (entry: Attendee): boolean =>
    unseen.has(attendeeKey(entry)) && !invited.has(attendeeKey(entry));
  const own = hasOwnList
    ? mergeKeepingPositions(stored?.core.attendees ?? [], isKept, after.map(withoutAnswer))
    : undefined;
  const attendees = after === undefined ? inheritedList && null : own;
  const listed = own && new Set(own.map(attendeeKey));
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(next.copies)) {
    const [inherited, old] = [plain.copies[calendarId], stored?.copies[calendarId]];
    const stamp = ownStamp(copy.stamp, before.copies[calendarId]?.stamp, old?.stamp);
    if (inherited?.state === 'uninvited' && (old?.apart || invited.has(copy.guest))) {
      // The guest's own fields on the series are kept for the time when the guest is back.
      const whole = before.copies[calendarId] ? copy : { ...inherited, ...copy, own: inherited.own };
      copies[calendarId] = { ...whole, id: inherited.id, stamp, apart: true };
      continue;
    }
    const isOff = inherited?.state === 'uninvited' && listed?.has(copy.guest) === false;
    // Guests who were taken off the series do not see later exceptions.
    if (inherited?.state === 'uninvited' && !old) continue;
    const { viewers, ...rest } = copy;
    const kept = Object.fromEntries(
      Object.entries(viewers ?? {}).filter(
        ([identity, part]) => !sameJson(part, inherited?.viewers?.[identity]),
      ),
    );
    copies[calendarId] = {
      ...rest,
      // A state that only follows the series is not stored.
      state:
        !isOff && inherited && inherited.state !== 'present' && copy.state === inherited.state
          ? (old?.state ?? 'present')
          : copy.state,
      own: mergePatchBetween(inherited?.own ?? {}, copy.own),
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
      ...(mergePatchBetween(without(plain.core, 'attendees'), without(next.core, 'attendees')) as EventBody),
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
  return withStaysFor(stored && { record: stored, series }, { record: exception, series });
}

/** Stamp without the series' one, which `composeInstance` adds: an unchanged part keeps its own stamp. */
const ownStamp = (after: Stamp, before: Stamp | undefined, own: Stamp | undefined): Stamp =>
  after.tag === before?.tag ? (own ?? noStamp) : after;

function without(core: EventBody, name: keyof EventBody): Fields {
  const { [name]: _left, ...rest } = core;
  return rest;
}

/** JSON merge patch (RFC 7396) that turns `before` into `after`. */
export function mergePatchBetween(before: Fields, after: Fields): Fields {
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name], after[name]];
    if (value === undefined) result[name] = null;
    else if (isFields(value) && isFields(old)) {
      const inner = mergePatchBetween(old, value);
      if (Object.keys(inner).length > 0) result[name] = inner;
    } else if (!sameJson(old, value)) result[name] = value;
  }
  return result;
}

/** Whether two guest lists are the same except for answers. */
const isSameList = (a: readonly Attendee[], b: readonly Attendee[]): boolean =>
  a.length === b.length &&
  a.every((entry, index) => sameJson(withoutAnswer(entry), withoutAnswer(b[index] as Attendee)));

/** Answers to this instance alone: those of this change and earlier ones. */
function answersOf(
  before: readonly Attendee[] = [],
  after: readonly Attendee[] = [],
  stored: EventRecord | undefined,
): InstancePart['answers'] {
  const entriesBefore = new Map(before.map((entry) => [attendeeKey(entry), entry]));
  // Older versions stored answers in the entries of the list.
  const listed = new Map(
    (stored?.core.attendees ?? []).filter(isAnswered).map((entry) => [attendeeKey(entry), answerOf(entry)]),
  );
  const answers: Record<string, Answer> = {};
  for (const entry of after) {
    const [key, answer] = [attendeeKey(entry), answerOf(entry)];
    if (key === undefined) continue;
    const entryBefore = entriesBefore.get(key);
    const given = (entryBefore ? !sameJson(answer, answerOf(entryBefore)) : isAnswered(entry))
      ? answer
      : (stored?.instance?.answers[key] ?? listed.get(key));
    if (given) answers[key] = given;
  }
  return answers;
}

/** Exception that an imported body describes, if its series is on the calendar. `stampFor` makes a stamp new to the record. */
export function importInstance(
  event: EventBody & { readonly id: string },
  parts: EventParts,
  calendar: CalendarRecord,
  { event: stored, series }: ChangeState,
  stampFor: (record: EventRecord) => Stamp,
): EventRecord | undefined {
  const original = originalStartOf(event.originalStartTime);
  const known = stored?.instance ? stored : undefined;
  const isInstance =
    series !== undefined &&
    original !== undefined &&
    event.recurringEventId !== undefined &&
    event.id === `${event.recurringEventId}_${original}`;
  if (!isInstance || (stored && !known) || !hasOccurrence(series, original)) return undefined;
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
