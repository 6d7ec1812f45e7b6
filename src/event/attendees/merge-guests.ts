import { isSameFieldValue, readOnlyMessage } from '../../core/fields/reduce-change.ts';
import { validateValue, tooManyEntriesArguments } from '../../core/fields/validate.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { groupByKey, mergeKeepingPositions } from '../../core/json.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { placeholderHost } from '../visibility/event-view.ts';
import type { Draft, GuestChange } from '../draft.ts';
import {
  type EntryFields,
  isPlaceholderAddress,
  sentGuestKey,
  type SentGuest,
  toStoredGuests,
} from './guest-list.ts';
import { alreadyListedMessage } from '../rules/duplicate-guests.ts';

const guestsPath = ['event', 'attendees'];

/**
 * Merges the guest list that a client sent into the stored one (contract: patch semantics, who may change what).
 * The address identifies an entry; in an entry of a stored guest, absent fields keep their values and null clears them.
 * Guests whom the caller does not see stay on the list, and the result does not reveal them.
 */
export function mergeGuests(draft: Draft, node: FieldNode): void {
  const { body, context, isCreating, report } = draft;
  const isOwnEntryOnly = body.attendeesOmitted === true && !isCreating;
  const lists = readGuestLists(draft, node);
  const { storedList, shownKeys } = lists;
  const sentGuests = body.attendees;
  const maxGuests = node.max?.entries ?? Infinity;
  const maxSentGuests = isOwnEntryOnly ? maxGuests : Math.max(maxGuests, shownKeys.size);
  if (sentGuests && sentGuests.length > maxSentGuests) {
    const limit = { entries: maxGuests, label: 'attendees' };
    return report.addIssue(guestsPath, ...tooManyEntriesArguments(limit, sentGuests.length));
  }
  if (isOwnEntryOnly) return applyOwnResponse(draft, node, lists);

  const mergedGuests: SentGuest[] = [];
  const countsByKey = new Map<string | undefined, number>();
  const guestChange: GuestChange = {
    addsGuests: false,
    removesGuests: false,
    changesOthers: false,
    respondsForOthers: false,
    invitesUnseenGuest: false,
  };
  const indexes = draft.sentIndexes.get(node.name);
  for (const [position, entry] of (sentGuests ?? []).entries()) {
    const index = indexes?.[position] ?? position;
    const key = sentGuestKey(entry);
    const earlierEntryCount = countsByKey.get(key) ?? 0;
    countsByKey.set(key, earlierEntryCount + 1);
    const sentEntry = { entry, key, index, earlierEntryCount };
    mergedGuests.push({ entry: mergeEntry(draft, lists, sentEntry, guestChange), index });
  }
  guestChange.removesGuests = [...shownKeys].some((key) => !countsByKey.has(key));
  // Callers who may not change the list cannot reorder it.
  const keepsStoredOrder =
    !context.hasOrganizerRights &&
    !context.record.core.guestsCanModify &&
    !isCreating &&
    countsByKey.size === mergedGuests.length;
  // A hidden guest who is invited again keeps the position: a new one would reveal that the guest was listed.
  const hiddenGuests = new Set(
    storedList.filter((entry) => {
      const key = attendeeKey(entry);
      return !shownKeys.has(key) && (countsByKey.get(key) ?? 0) < 2;
    }),
  );
  const visibleGuests = mergedGuests.filter(({ entry }) => !hiddenGuests.has(entry));
  if (visibleGuests.length + hiddenGuests.size > Math.max(node.max?.stored ?? Infinity, storedList.length))
    return report.addIssue(guestsPath, 'tooMany', 'This event has the maximum number of guests.');
  draft.guestChange = guestChange;
  // Hidden guests keep their positions, so that a list sent back as shown is unchanged.
  const guests = mergeKeepingPositions(
    storedList.map((entry): SentGuest => ({ entry, index: -1 })),
    ({ entry }) => hiddenGuests.has(entry),
    keepsStoredOrder ? sortLikeStored(storedList, visibleGuests) : visibleGuests,
  );
  setGuests(draft, node, guests);
}

/** Stored and visible guest lists that a sent one is compared with. */
type GuestLists = ReturnType<typeof readGuestLists>;

function readGuestLists({ before, view }: Draft, node: FieldNode) {
  const storedList = before.core.attendees ?? [];
  const shownGuests = view.attendees ?? [];
  return {
    fields: [...node.fields.values()],
    storedList,
    findStoredEntry: createEntryLookup(storedList),
    findShownEntry: createEntryLookup(shownGuests),
    shownKeys: new Set(shownGuests.map(attendeeKey)),
  };
}

/** Creates a function that finds a guest's entry. Old lists may hold several of one guest, which an index tells apart. */
function createEntryLookup(guests: readonly Attendee[]) {
  const entriesByKey = groupByKey(guests, (entry) => attendeeKey(entry) ?? '');
  return (key = '', duplicateIndex = 0): Attendee | undefined =>
    entriesByKey.get(key)?.[duplicateIndex] ?? entriesByKey.get(key)?.[0];
}

/** Sorts sent entries like the stored ones, new entries last, for callers who may not change the order. */
function sortLikeStored(storedList: readonly Attendee[], sentGuests: readonly SentGuest[]): SentGuest[] {
  const positionByKey = new Map(storedList.map((entry, index) => [attendeeKey(entry), index]));
  const positionOf = ({ entry }: SentGuest): number =>
    positionByKey.get(attendeeKey(entry)) ?? storedList.length;
  return [...sentGuests].sort((a, b) => positionOf(a) - positionOf(b));
}

/** Adds the new guest list to the draft's change if it differs from the stored one. */
function setGuests({ before, body, change, sentIndexes, view }: Draft, node: FieldNode, guests: SentGuest[]) {
  const storedList = before.core.attendees;
  const entries = guests.map(({ entry }) => entry);
  const isUnchanged =
    storedList !== undefined &&
    entries.length === storedList.length &&
    entries.every((entry, index) => entry === storedList[index]);
  const isNull = body.attendees === null;
  // An empty list differs from an absent one, except for callers who see neither.
  if (isNull ? !view.attendees || (isUnchanged && entries.length > 0) : isUnchanged) return;
  change[node.name] = isNull && entries.length === 0 ? null : entries;
  sentIndexes.set(
    node.name,
    guests.map(({ index }) => index),
  );
}

/** Entry of the sent list, with the key of its guest. */
interface SentEntry extends SentGuest<EntryFields> {
  readonly key: string | undefined;
  /** Number of earlier entries of this guest in the sent list. */
  readonly earlierEntryCount: number;
}

const placeholderMessage = `Addresses at ${placeholderHost} are generated for people without one (alwaysIncludeEmail) and receive no mail. Send this guest's real address, or leave the guest out.`;

/** Merges a sent entry into the stored one and sets `guestChange`. Returns the stored entry itself if nothing changes. */
function mergeEntry(draft: Draft, lists: GuestLists, sent: SentEntry, guestChange: GuestChange): Attendee {
  const { entry, key, index, earlierEntryCount } = sent;
  const shownEntry = lists.findShownEntry(key, earlierEntryCount);
  const storedEntry = lists.findStoredEntry(key, earlierEntryCount);
  if (!shownEntry) {
    guestChange.addsGuests = true;
    guestChange.invitesUnseenGuest = true;
    if (isPlaceholderAddress(entry.email))
      draft.report.addIssue([...guestsPath, index, 'email'], 'invalid', placeholderMessage);
  }
  const mergedEntry: Record<string, unknown> = shownEntry && storedEntry ? { ...storedEntry } : {};
  let isChanged = !shownEntry;
  for (const field of lists.fields) {
    const value = entry[field.name];
    // The address identified the entry, so only its spelling can differ: the stored spelling stays.
    const isIdentifyingAddress =
      field.name === 'email' &&
      shownEntry !== undefined &&
      (shownEntry.email !== undefined || isPlaceholderAddress(value));
    if (
      value === undefined ||
      isIdentifyingAddress ||
      isSameFieldValue(field, shownEntry?.[field.name as 'email'], value) ||
      !acceptSentValue(draft, field, sent, !shownEntry, guestChange)
    )
      continue;
    isChanged = true;
    mergedEntry[field.name] = value ?? undefined;
  }
  // A hidden guest who is invited again keeps the stored entry.
  if (storedEntry && (!shownEntry || !isChanged)) return storedEntry;
  return toStoredGuests([mergedEntry], lists.fields)[0] as Attendee;
}

/** Checks whether a changed value is applied. Warns if it is not; otherwise sets `guestChange`. */
function acceptSentValue(
  { context, guestCalendars, report }: Draft,
  field: FieldNode,
  { entry, key, index }: SentEntry,
  isNew: boolean,
  guestChange: GuestChange,
): boolean {
  const { name, change } = field;
  const value = entry[name];
  const warnIgnored = (message: string): false => {
    // Invalid values are reported even if they are not applied.
    if (change === 'own' && value !== null)
      validateValue(field.value, value, [...guestsPath, index, name], report);
    report.warn([...guestsPath, index, name], change === 'readOnly' ? 'readOnly' : 'ignored', message);
    return false;
  };
  if (change === 'readOnly') {
    // A new entry may state computed flags that will be true.
    const isComputedFlag =
      (name === 'self' && key === context.owner) ||
      (name === 'organizer' && key !== undefined && key === context.organizer);
    return isNew && isComputedFlag && value === true ? false : warnIgnored(readOnlyMessage(field));
  }
  if (change === 'once' && !isNew)
    return warnIgnored(`The ${name} can only be set when the entry is added: your value was ignored.`);
  if (change === 'own' && key !== context.owner) {
    const hasCalendarHere = key !== undefined && guestCalendars.has(key);
    if (hasCalendarHere && (context.hasOrganizerRights || !isNew))
      return warnIgnored(
        `This guest has a calendar here and answers there: the ${name} that was sent was ignored.`,
      );
    if (context.hasOrganizerRights) return true;
    // The warning is the same for all new guests, so it does not reveal who has a calendar here.
    if (isNew)
      return warnIgnored(`A guest may answer only for the own entry: the ${name} that was sent was ignored.`);
    guestChange.respondsForOthers = true;
    return true;
  }
  if (!isNew && change !== 'own') guestChange.changesOthers = true;
  return true;
}

/**
 * Applies a guest list sent with `attendeesOmitted: true`: only the response of the calendar's owner is taken
 * from it, and nobody is removed.
 */
function applyOwnResponse(draft: Draft, node: FieldNode, lists: GuestLists): void {
  const { context, body, report } = draft;
  const warnIgnored = (subPath: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...subPath], 'ignored', message);
  if (body.attendees === null)
    warnIgnored([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  const firstIndexByKey = new Map<string | undefined, number>();
  for (const [index, entry] of (body.attendees ?? []).entries()) {
    const key = sentGuestKey(entry);
    const firstIndex = firstIndexByKey.get(key);
    if (firstIndex === undefined) firstIndexByKey.set(key, index);
    else if (key === context.owner)
      report.addIssue([...guestsPath, index, 'email'], 'invalid', alreadyListedMessage(firstIndex), {
        index: firstIndex,
      });
    const [shownEntry, storedEntry] = [lists.findShownEntry(key), lists.findStoredEntry(key)];
    // In types, `email` and `comment` stand for every field of an attendee.
    const changedFields = lists.fields.filter(
      (field) =>
        entry[field.name as 'email'] !== undefined &&
        !isSameFieldValue(field, shownEntry?.[field.name as 'email'], entry[field.name as 'email']),
    );
    if (key !== context.owner) {
      if (!shownEntry || changedFields.length > 0)
        warnIgnored(
          [index],
          'With attendeesOmitted: true only your own entry is applied: this one was ignored.',
        );
    } else if (!shownEntry || !storedEntry) {
      warnIgnored(
        [index],
        'This calendar is not on the guest list, so with attendeesOmitted: true there is no entry to change.',
      );
    } else {
      const response: Record<string, unknown> = {};
      for (const { name, change } of changedFields) {
        if (change === 'own') response[name] = entry[name as 'comment'] ?? undefined;
        else if (name !== 'email') warnIgnored([index, name], onlyResponseMessage);
      }
      if (Object.keys(response).length === 0) continue;
      const [entryWithResponse] = toStoredGuests([{ ...storedEntry, ...response }], lists.fields);
      const guests = lists.storedList.map((guest) =>
        guest === storedEntry ? { entry: entryWithResponse as Attendee, index } : { entry: guest, index: -1 },
      );
      setGuests(draft, node, guests);
    }
  }
}

/** Warning for another changed field than those of a response. */
const onlyResponseMessage =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
