import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import {
  type Fields,
  filterFields,
  frozenCopy,
  mergeKeepingPositions,
  isFields,
  isSameJson,
} from '../../core/json.ts';
import { addressKey } from '../../core/text/email.ts';
import { newId } from '../../core/ids.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import type { ChangeState } from '../event.store.ts';
import { type Attendee, attendeeKey, type EventBody } from '../model/fields.ts';
import {
  type GuestResponse,
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
import { composeInstance, composeOnCalendar, hasOccurrence } from './compose.ts';
import {
  responseOf,
  hasResponse,
  shownGuests,
  uninvitedGuestsOf,
  withoutResponse,
} from './instance-guests.ts';

/** Guests whose entries differ between two events or are in only one of them, by `addressKey`. `onlyKey` selects one guest. */
export function findDifferingGuests(before: StoredEvent, after: StoredEvent, onlyKey?: string): string[] {
  const [guestsBefore, guestsAfter] = [shownGuests(before, onlyKey), shownGuests(after, onlyKey)];
  return [...new Set([...guestsBefore.keys(), ...guestsAfter.keys()])].filter(
    (guest) => !isSameJson(guestsBefore.get(guest), guestsAfter.get(guest)),
  );
}

/**
 * Guests (`addressKey`) for whom an instance is an exception by their own entry alone, which differs, or once
 * differed, from that in the series. Concerns readers of its home calendar who do not see the guest list.
 */
export const guestsWithException = ({ record, series }: StoredEvent, onlyKey?: string): ReadonlySet<string> =>
  new Set(
    series && [
      ...findDifferingGuests({ record: series }, { record, series }, onlyKey),
      ...(record.instance?.staysFor ?? []),
    ],
  );

/**
 * Sets `staysFor`: guests who once saw the exception, and now see no difference from the series. They stay
 * listed, because a list cannot report that an exception ended. Returns the record itself if nothing changes.
 */
export function withExceptionGuests(before: StoredEvent | undefined, next: StoredEvent): EventRecord {
  const { record } = next;
  const { instance } = record;
  const isExceptionForOthers = record.openStamp.tag !== noStamp.tag || record.coreStamp.tag === noStamp.tag;
  if (!instance || !before || isExceptionForOthers || !hidesGuests(next)) return record;
  const [guestsBefore, guestsAfter] = [shownGuests(before), shownGuests(next)];
  const exceptionGuests = guestsWithException(before);
  const differingKeys = new Set(findDifferingGuests({ record: next.series as EventRecord }, next));
  const wasExceptionForOthers = before.record.coreStamp.tag !== noStamp.tag;
  const remainingGuests = [...guestsAfter.keys()].filter(
    (guest) =>
      !differingKeys.has(guest) &&
      (guestsBefore.has(guest) ? exceptionGuests.has(guest) : wasExceptionForOthers),
  );
  if (isSameJson(remainingGuests, instance.staysFor ?? [])) return record;
  const { staysFor: _old, ...instanceWithoutGuests } = instance;
  return {
    ...record,
    instance: { ...instanceWithoutGuests, ...(remainingGuests.length > 0 && { staysFor: remainingGuests }) },
  };
}

/** Change of an instance; `before` and `next` are composed with the series. */
interface InstanceChange {
  readonly before: EventRecord;
  readonly next: EventRecord;
  /** The caller invited a guest whom the caller did not see, so the instance gets its own guest list. */
  readonly invitesUnseenGuest?: boolean | undefined;
}

/** Creates the exception to store for a changed instance: only its differences from the series, which it follows otherwise. */
export function createException(
  series: EventRecord,
  storedException: EventRecord | undefined,
  { before, next, invitesUnseenGuest }: InstanceChange,
): EventRecord {
  const { series: seriesReference, original, imported } = next.instance as InstancePart;
  const inheritedInstance = composeInstance(series, original);
  const [inheritedList, listAfter] = [inheritedInstance.core.attendees, next.core.attendees];
  const hasOwnList =
    listAfter !== undefined &&
    (invitesUnseenGuest ||
      storedException?.core.attendees !== undefined ||
      !isSameList(inheritedList ?? [], listAfter));
  // Guests with a calendar here who were removed from the series stay on the stored list. They are hidden
  // until they are invited again.
  const uninvitedKeys = uninvitedGuestsOf(series, storedException);
  const invitedKeys = new Set(hasOwnList ? listAfter.map(attendeeKey) : []);
  const isHiddenEntry = (entry: Attendee): boolean =>
    uninvitedKeys.has(attendeeKey(entry)) && !invitedKeys.has(attendeeKey(entry));
  const ownList = hasOwnList
    ? mergeKeepingPositions(
        storedException?.core.attendees ?? [],
        isHiddenEntry,
        listAfter.map(withoutResponse),
      )
    : undefined;
  const attendees = listAfter === undefined ? inheritedList && null : ownList;
  const ownListKeys = ownList && new Set(ownList.map(attendeeKey));
  const copies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(next.copies)) {
    const inheritedCopy = inheritedInstance.copies[calendarId];
    const storedCopy = storedException?.copies[calendarId];
    const stamp = withoutSeriesStamp(copy.stamp, before.copies[calendarId]?.stamp, storedCopy?.stamp);
    if (inheritedCopy?.state === 'uninvited' && (storedCopy?.apart || invitedKeys.has(copy.guest))) {
      // The guest's own fields on the series are kept for the time when the guest is back.
      const detachedCopy = before.copies[calendarId]
        ? copy
        : { ...inheritedCopy, ...copy, own: inheritedCopy.own };
      copies[calendarId] = { ...detachedCopy, id: inheritedCopy.id, stamp, apart: true };
      continue;
    }
    const isMissingFromOwnList =
      inheritedCopy?.state === 'uninvited' && ownListKeys?.has(copy.guest) === false;
    // Guests who were taken off the series do not see later exceptions.
    if (inheritedCopy?.state === 'uninvited' && !storedCopy) continue;
    const { viewers, ...copyWithoutViewers } = copy;
    const ownViewers = filterFields(
      viewers ?? {},
      (viewerPart, identity) => !isSameJson(viewerPart, inheritedCopy?.viewers?.[identity]),
    );
    copies[calendarId] = {
      ...copyWithoutViewers,
      // A state that only follows the series is not stored.
      state:
        !isMissingFromOwnList &&
        inheritedCopy &&
        inheritedCopy.state !== 'present' &&
        copy.state === inheritedCopy.state
          ? (storedCopy?.state ?? 'present')
          : copy.state,
      own: createMergePatch(inheritedCopy?.own ?? {}, copy.own),
      stamp,
      ...(Object.keys(ownViewers).length > 0 && { viewers: ownViewers }),
      ...(isMissingFromOwnList &&
        storedCopy?.stamp.tag !== noStamp.tag && {
          remains:
            storedCopy?.remains ??
            tombstoneOf(composeOnCalendar(series, original, undefined, calendarId).core),
        }),
    };
  }
  for (const [calendarId, copy] of Object.entries(storedException?.copies ?? {}))
    if (wasNeverVisible(copy)) copies[calendarId] ??= copy;
  const exception: EventRecord = {
    key: storedException?.key ?? newId(),
    version: (storedException?.version ?? 0) + 1,
    homeId: next.homeId,
    core: {
      ...(createMergePatch(withoutGuests(inheritedInstance.core), withoutGuests(next.core)) as EventBody),
      ...(attendees !== undefined && ({ attendees } as EventBody)),
    },
    coreStamp: withoutSeriesStamp(next.coreStamp, before.coreStamp, storedException?.coreStamp),
    openStamp: withoutSeriesStamp(next.openStamp, before.openStamp, storedException?.openStamp),
    copies,
    instance: {
      series: seriesReference,
      original,
      answers: collectOwnResponses(before.core.attendees, listAfter, storedException),
      ...(imported && { imported }),
      ...(storedException?.instance?.staysFor && { staysFor: storedException.instance.staysFor }),
    },
  };
  return frozenCopy(
    withExceptionGuests(storedException && { record: storedException, series }, {
      record: exception,
      series,
    }),
  );
}

/** Removes the stamp of the series, which `composeInstance` adds: an unchanged part keeps its stored stamp. */
const withoutSeriesStamp = (
  stampAfter: Stamp,
  stampBefore: Stamp | undefined,
  storedStamp: Stamp | undefined,
): Stamp => (stampAfter.tag === stampBefore?.tag ? (storedStamp ?? noStamp) : stampAfter);

const withoutGuests = ({ attendees: _guests, ...core }: EventBody): Fields => core;

/** JSON merge patch (RFC 7396) that turns `before` into `after`. */
export function createMergePatch(before: Fields, after: Fields): Fields {
  const mergePatch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [oldValue, newValue] = [before[name], after[name]];
    if (newValue === undefined) mergePatch[name] = null;
    else if (isFields(newValue) && isFields(oldValue)) {
      const innerPatch = createMergePatch(oldValue, newValue);
      if (Object.keys(innerPatch).length > 0) mergePatch[name] = innerPatch;
    } else if (!isSameJson(oldValue, newValue)) mergePatch[name] = newValue;
  }
  return mergePatch;
}

/** Whether two guest lists are the same except for responses. */
const isSameList = (list: readonly Attendee[], otherList: readonly Attendee[]): boolean =>
  list.length === otherList.length &&
  list.every((entry, index) =>
    isSameJson(withoutResponse(entry), withoutResponse(otherList[index] as Attendee)),
  );

/** Responses to this instance alone: those of this change and earlier ones. */
function collectOwnResponses(
  listBefore: readonly Attendee[] = [],
  listAfter: readonly Attendee[] = [],
  storedException: EventRecord | undefined,
): InstancePart['answers'] {
  const entriesBefore = new Map(listBefore.map((entry) => [attendeeKey(entry), entry]));
  // Older versions stored responses in the entries of the list.
  const listedResponses = new Map(
    (storedException?.core.attendees ?? [])
      .filter(hasResponse)
      .map((entry) => [attendeeKey(entry), responseOf(entry)]),
  );
  const responses: Record<string, GuestResponse> = {};
  for (const entry of listAfter) {
    const [key, response] = [attendeeKey(entry), responseOf(entry)];
    if (key === undefined) continue;
    const entryBefore = entriesBefore.get(key);
    const ownResponse = (entryBefore ? !isSameJson(response, responseOf(entryBefore)) : hasResponse(entry))
      ? response
      : (storedException?.instance?.answers[key] ?? listedResponses.get(key));
    if (ownResponse) responses[key] = ownResponse;
  }
  return responses;
}

/**
 * Creates the exception that an imported body describes; undefined if its series is not on the calendar.
 * `createStamp` makes a stamp new to the record.
 */
export function createImportedException(
  event: EventBody & { readonly id: string },
  parts: EventParts,
  calendar: CalendarRecord,
  { event: storedEvent, series }: ChangeState,
  createStamp: (record: EventRecord) => Stamp,
): EventRecord | undefined {
  const original = toOriginalStart(event.originalStartTime);
  const storedException = storedEvent?.instance ? storedEvent : undefined;
  const isInstance =
    series !== undefined &&
    original !== undefined &&
    event.recurringEventId !== undefined &&
    event.id === `${event.recurringEventId}_${original}`;
  if (!isInstance || (storedEvent && !storedException) || !hasOccurrence(series, original)) return undefined;
  const before = composeInstance(series, original, storedException);
  const copy = before.copies[calendar.id];
  if (!copy) return undefined;
  const stamp = createStamp(before);
  const {
    created: _created,
    creator: _creator,
    organizer: _organizer,
    iCalUID: _uid,
    recurringEventId: _series,
    originalStartTime: _original,
    ...core
  } = parts.core;
  const importedCopy: EventCopy = {
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
    copies: { ...before.copies, [calendar.id]: importedCopy },
  };
  return createException(series, storedException, { before, next });
}
