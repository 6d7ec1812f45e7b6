import { mergeKeepingPositions, groupByKey, withoutNulls } from '../../core/json.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { placeholderHost } from '../visibility/event-view.ts';

/** Entry of a list, not yet known to be an attendee. */
type EntryFields = Readonly<Record<string, unknown>>;

/** Stored and visible guest list that a sent one is compared with. */
export interface GuestListContext {
  readonly fields: readonly FieldNode[];
  readonly maxGuests: number;
  readonly storedList: readonly Attendee[];
  /** Finds a guest's stored entry. Old lists may hold several of one guest, which an index tells apart. */
  readonly findStoredEntry: EntryLookup;
  /** Finds a guest's entry as the caller sees it. */
  readonly findShownEntry: EntryLookup;
  /** Keys of the guests whom the caller sees. */
  readonly shownKeys: ReadonlySet<string | undefined>;
}

type EntryLookup = (key: string | undefined, duplicateIndex?: number) => Attendee | undefined;

/** Creates the context of a draft. `node`: the field `attendees` of the table. */
export function createGuestListContext({ before, view }: Draft, node: FieldNode): GuestListContext {
  const storedList = before.core.attendees ?? [];
  const shownGuests = view.attendees ?? [];
  return {
    fields: [...node.fields.values()],
    maxGuests: node.max?.entries ?? Infinity,
    storedList,
    findStoredEntry: createEntryLookup(storedList),
    findShownEntry: createEntryLookup(shownGuests),
    shownKeys: new Set(shownGuests.map(attendeeKey)),
  };
}

function createEntryLookup(guests: readonly Attendee[]): EntryLookup {
  const entriesByKey = groupByKey(guests, (entry) => attendeeKey(entry) ?? '');
  return (key = '', duplicateIndex = 0) =>
    entriesByKey.get(key)?.[duplicateIndex] ?? entriesByKey.get(key)?.[0];
}

/** Whether an address was generated for a guest without one (`alwaysIncludeEmail`). */
export const isPlaceholderAddress = (email: unknown): boolean =>
  typeof email === 'string' && email.endsWith(`@${placeholderHost}`);

/** Key of a guest in a list that a client sent. A placeholder address identifies nobody, so the id counts. */
export const sentGuestKey = (entry: EntryFields): string | undefined =>
  attendeeKey(isPlaceholderAddress(entry.email) ? { id: entry.id } : entry);

/** Guest of the new list, in the stored form. */
export interface SentGuest {
  readonly entry: Attendee;
  /** Index in the list that the client sent; -1 for a guest who stays. */
  readonly index: number;
}

/** Adds the new guest list to the draft's change if it differs from the stored one; `isNull`: the client sent null. */
export function setGuests(
  draft: Draft,
  node: FieldNode,
  guests: readonly SentGuest[],
  isNull: boolean,
): void {
  const storedList = draft.before.core.attendees;
  const entries = guests.map(({ entry }) => entry);
  const isUnchanged =
    storedList !== undefined &&
    entries.length === storedList.length &&
    entries.every((entry, index) => entry === storedList[index]);
  // An empty list differs from an absent one, except for callers who see neither.
  if (isNull ? !draft.view.attendees || (isUnchanged && entries.length > 0) : isUnchanged) return;
  draft.change[node.name] = isNull && entries.length === 0 ? null : entries;
  draft.sentIndexes.set(
    node.name,
    guests.map(({ index }) => index),
  );
}

/**
 * Merges sent guests into the stored list. Hidden guests keep their positions, so that a list sent back as
 * shown is unchanged.
 */
export const mergeAroundHidden = (
  storedList: readonly Attendee[],
  sentGuests: readonly SentGuest[],
  hiddenGuests: ReadonlySet<Attendee>,
): SentGuest[] =>
  mergeKeepingPositions(
    storedList.map((entry): SentGuest => ({ entry, index: -1 })),
    ({ entry }) => hiddenGuests.has(entry),
    sentGuests,
  );

/** Sorts sent entries like the stored ones, new entries last, for callers who may not change the order. */
export function sortLikeStored(
  storedList: readonly Attendee[],
  sentGuests: readonly SentGuest[],
): SentGuest[] {
  const positionByKey = new Map(storedList.map((entry, index) => [attendeeKey(entry), index]));
  const positionOf = ({ entry }: SentGuest): number => positionByKey.get(attendeeKey(entry)) ?? Infinity;
  return [...sentGuests].sort((a, b) =>
    positionOf(a) === positionOf(b) ? 0 : positionOf(a) - positionOf(b),
  );
}

/** Converts guests to their stored form, without defaults and computed fields. */
export function toStoredGuests(guests: readonly EntryFields[], fields: Iterable<FieldNode>): Attendee[] {
  const nodes = [...fields];
  return guests.map((entry) => {
    const storedEntry: Record<string, unknown> = { ...entry };
    for (const { name, storedIn, default: defaultValue } of nodes) {
      if (storedIn === 'computed' || storedEntry[name] === defaultValue) delete storedEntry[name];
    }
    return withoutNulls(storedEntry);
  });
}
