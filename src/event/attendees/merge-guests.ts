import { isSameFieldValue, readOnlyMessage } from '../../core/fields/reduce-change.ts';
import { validateValue, tooManyEntriesArguments } from '../../core/fields/validate.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { placeholderHost } from '../visibility/event-view.ts';
import type { Draft, GuestChange } from '../draft.ts';
import {
  mergeAroundHidden,
  createGuestListContext,
  type GuestListContext,
  sortLikeStored,
  isPlaceholderAddress,
  sentGuestKey,
  type SentGuest,
  setGuests,
  toStoredGuests,
} from './guest-list.ts';
import { alreadyListedMessage } from '../rules/duplicate-guests.ts';

type EntryFields = Readonly<Record<string, unknown>>;

const guestsPath = ['event', 'attendees'];

/**
 * Merges the guest list that a client sent into the stored one (contract: patch semantics, who may change what).
 * The address identifies an entry; in an entry of a stored guest, absent fields keep their values and null clears them.
 * Guests whom the caller does not see stay on the list, and the result does not reveal them.
 */
export function mergeGuests(draft: Draft, node: FieldNode): void {
  const { body, isCreating, report } = draft;
  const isOwnEntryOnly = body.attendeesOmitted === true && !isCreating;
  const guestList = createGuestListContext(draft, node);
  const sentGuests = body.attendees;
  if (isOwnEntryOnly) return applyOwnResponse(draft, node, guestList);
  if (sentGuests && sentGuests.length > Math.max(guestList.maxGuests, guestList.shownKeys.size))
    return report.addIssue(
      guestsPath,
      ...tooManyEntriesArguments({ entries: guestList.maxGuests, label: 'attendees' }, sentGuests.length),
    );

  const mergedGuests: SentGuest[] = [];
  const countsByKey = new Map<string | undefined, number>();
  const flags: GuestChangeFlags = {
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
    mergedGuests.push({
      entry: mergeEntry(draft, guestList, { entry, key, index, earlierEntryCount }, flags),
      index,
    });
  }
  flags.removesGuests = [...guestList.shownKeys].some((key) => !countsByKey.has(key));
  // Callers who may not change the list cannot reorder it.
  const keepsStoredOrder =
    !draft.context.hasOrganizerRights &&
    !draft.context.record.core.guestsCanModify &&
    !isCreating &&
    countsByKey.size === mergedGuests.length;
  const storedList = guestList.storedList;
  // A hidden guest who is invited again keeps the position: a new one would reveal that the guest was listed.
  const hiddenGuests = new Set(
    storedList.filter((entry) => {
      const key = attendeeKey(entry);
      return !guestList.shownKeys.has(key) && (countsByKey.get(key) ?? 0) < 2;
    }),
  );
  const visibleGuests = mergedGuests.filter(({ entry }) => !hiddenGuests.has(entry));
  if (visibleGuests.length + hiddenGuests.size > Math.max(node.max?.stored ?? Infinity, storedList.length))
    return report.addIssue(guestsPath, 'tooMany', 'This event has the maximum number of guests.');
  draft.guestChange = flags;
  setGuests(
    draft,
    node,
    mergeAroundHidden(
      storedList,
      keepsStoredOrder ? sortLikeStored(storedList, visibleGuests) : visibleGuests,
      hiddenGuests,
    ),
    sentGuests === null,
  );
}

/** Entry of the sent list, with the key of its guest. */
interface SentEntry {
  readonly entry: EntryFields;
  readonly key: string | undefined;
  readonly index: number;
  /** Number of earlier entries of this guest in the sent list. */
  readonly earlierEntryCount: number;
}

const placeholderMessage = `Addresses at ${placeholderHost} are generated for people without one (alwaysIncludeEmail) and receive no mail. Send this guest's real address, or leave the guest out.`;

/** Changes that the merge finds (`GuestChange`), set while it runs. */
type GuestChangeFlags = { -readonly [K in keyof GuestChange]: boolean };

/** Merges a sent entry into the stored one and sets `flags`. Returns the stored entry itself if nothing changes. */
function mergeEntry(
  draft: Draft,
  guestList: GuestListContext,
  { entry, key, index, earlierEntryCount }: SentEntry,
  flags: GuestChangeFlags,
): Attendee {
  const shownEntry = guestList.findShownEntry(key, earlierEntryCount);
  const storedEntry = guestList.findStoredEntry(key, earlierEntryCount);
  if (!shownEntry) {
    flags.addsGuests = true;
    flags.invitesUnseenGuest = true;
    if (isPlaceholderAddress(entry.email))
      draft.report.addIssue([...guestsPath, index, 'email'], 'invalid', placeholderMessage);
  }
  const mergedEntry: Record<string, unknown> = shownEntry && storedEntry ? { ...storedEntry } : {};
  let isChanged = !shownEntry;
  for (const field of guestList.fields) {
    const value = entry[field.name];
    // The address identified the entry, so only its spelling can differ: the stored spelling stays.
    const isIdentifyingAddress =
      field.name === 'email' &&
      shownEntry !== undefined &&
      (shownEntry.email !== undefined || isPlaceholderAddress(value));
    if (
      value === undefined ||
      isIdentifyingAddress ||
      isSameFieldValue(field, shownEntry?.[field.name as 'email'], value)
    )
      continue;
    if (!acceptSentValue(draft, field, { key, index, isNew: !shownEntry, value }, flags)) continue;
    isChanged = true;
    mergedEntry[field.name] = value ?? undefined;
  }
  // A hidden guest who is invited again keeps the stored entry.
  if (!shownEntry && storedEntry) return storedEntry;
  return isChanged || !storedEntry
    ? (toStoredGuests([mergedEntry], guestList.fields)[0] as Attendee)
    : storedEntry;
}

/** Changed field of a sent entry. */
interface SentValue {
  readonly key: string | undefined;
  readonly index: number;
  readonly isNew: boolean;
  readonly value: unknown;
}

/** Checks whether a changed value is applied. Warns if it is not; otherwise sets `flags`. */
function acceptSentValue(
  draft: Draft,
  field: FieldNode,
  { key, index, isNew, value }: SentValue,
  flags: GuestChangeFlags,
): boolean {
  const { context, guestCalendars, report } = draft;
  const { name, change } = field;
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
    flags.respondsForOthers = true;
    return true;
  }
  if (!isNew && change !== 'own') flags.changesOthers = true;
  return true;
}

/**
 * Applies a guest list sent with `attendeesOmitted: true`: only the response of the calendar's owner is taken
 * from it, and nobody is removed.
 */
function applyOwnResponse(draft: Draft, node: FieldNode, guestList: GuestListContext): void {
  const { context, body, report } = draft;
  const sentGuests = body.attendees;
  const warnIgnored = (subPath: readonly (string | number)[], message: string): void =>
    report.warn([...guestsPath, ...subPath], 'ignored', message);
  if (sentGuests === null)
    warnIgnored([], 'With attendeesOmitted: true nobody is removed from the guest list: null was ignored.');
  if (sentGuests && sentGuests.length > guestList.maxGuests)
    return report.addIssue(
      guestsPath,
      ...tooManyEntriesArguments({ entries: guestList.maxGuests, label: 'attendees' }, sentGuests.length),
    );
  const firstIndexByKey = new Map<string | undefined, number>();
  for (const [index, entry] of (sentGuests ?? []).entries()) {
    const key = sentGuestKey(entry);
    const firstIndex = firstIndexByKey.get(key);
    if (firstIndex === undefined) firstIndexByKey.set(key, index);
    else if (key === context.owner)
      report.addIssue([...guestsPath, index, 'email'], 'invalid', alreadyListedMessage(firstIndex), {
        index: firstIndex,
      });
    const [shownEntry, storedEntry] = [guestList.findShownEntry(key), guestList.findStoredEntry(key)];
    // In types, `email` and `comment` stand for every field of an attendee.
    const changedFields = guestList.fields.filter(
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
      for (const { name, change } of changedFields)
        if (change !== 'own' && name !== 'email') warnIgnored([index, name], onlyResponseMessage);
      const responseEntries = changedFields
        .filter(({ change }) => change === 'own')
        .map(({ name }) => [name, entry[name as 'comment'] ?? undefined] as const);
      if (responseEntries.length > 0)
        replaceOwnResponse(draft, node, guestList, {
          entry: storedEntry,
          response: Object.fromEntries(responseEntries),
          index,
        });
    }
  }
}

/** Adds the guest list to the draft's change, with the new response in the entry of the calendar's owner. */
function replaceOwnResponse(
  draft: Draft,
  node: FieldNode,
  guestList: GuestListContext,
  ownResponse: { entry: Attendee; response: object; index: number },
): void {
  const [entryWithResponse] = toStoredGuests(
    [{ ...ownResponse.entry, ...ownResponse.response }],
    guestList.fields,
  ) as [Attendee];
  const guests = guestList.storedList.map((entry) =>
    entry === ownResponse.entry
      ? { entry: entryWithResponse, index: ownResponse.index }
      : { entry, index: -1 },
  );
  setGuests(draft, node, guests, /* isNull */ false);
}

/** Warning for another changed field than those of a response. */
const onlyResponseMessage =
  'With attendeesOmitted: true only responseStatus, comment and additionalGuests of your own entry are applied: this was ignored.';
