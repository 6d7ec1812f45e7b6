import { mergeKeepingPositions, groupByKey, withoutNulls } from '../../core/patch.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { placeholderHost } from '../visibility/event-view.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Stored and visible guest list that a sent one is compared with. */
export interface GuestListContext {
  readonly fields: readonly FieldNode[];
  readonly maxGuests: number;
  readonly stored: readonly Attendee[];
  /** Finds a guest's stored entry. Old lists may hold several of one guest: `occurrence` is the entry's number. */
  readonly storedEntry: Lookup;
  /** Finds a guest's entry as the caller sees it. */
  readonly seenEntry: Lookup;
  readonly seenKeys: ReadonlySet<string | undefined>;
}

type Lookup = (key: string | undefined, occurrence?: number) => Attendee | undefined;

export function guestListContext({ before, seen }: Draft, node: FieldNode): GuestListContext {
  const stored = before.core.attendees ?? [];
  const shown = seen.attendees ?? [];
  return {
    fields: [...node.fields.values()],
    maxGuests: node.max?.entries ?? Infinity,
    stored,
    storedEntry: lookupIn(stored),
    seenEntry: lookupIn(shown),
    seenKeys: new Set(shown.map(attendeeKey)),
  };
}

function lookupIn(list: readonly Attendee[]): Lookup {
  const byKey = groupByKey(list, (entry) => attendeeKey(entry) ?? '');
  return (key = '', occurrence = 0) => byKey.get(key)?.[occurrence] ?? byKey.get(key)?.[0];
}

export const isPlaceholder = (email: unknown): boolean =>
  typeof email === 'string' && email.endsWith(`@${placeholderHost}`);

export const sentGuestKey = (entry: Entry): string | undefined =>
  attendeeKey(isPlaceholder(entry.email) ? { id: entry.id } : entry);

export interface SentGuest {
  readonly entry: Attendee;
  /** Index in the list that the client sent; -1 for a guest who stays. */
  readonly index: number;
}

/** Adds the new guest list to the draft's change if it differs from the stored one; `isNull`: the client sent null. */
export function setGuests(draft: Draft, node: FieldNode, list: readonly SentGuest[], isNull: boolean): void {
  const stored = draft.before.core.attendees;
  const entries = list.map(({ entry }) => entry);
  const isSame =
    stored !== undefined &&
    entries.length === stored.length &&
    entries.every((entry, index) => entry === stored[index]);
  // An empty list differs from an absent one, except for callers who see neither.
  if (isNull ? !draft.seen.attendees || (isSame && entries.length > 0) : isSame) return;
  draft.change[node.name] = isNull && entries.length === 0 ? null : entries;
  draft.sentIndexes.set(
    node.name,
    list.map(({ index }) => index),
  );
}

/** Merges sent guests into the stored list, around hidden guests, so that a list sent back as shown is unchanged. */
export const mergeAroundHidden = (
  stored: readonly Attendee[],
  sent: readonly SentGuest[],
  hidden: ReadonlySet<Attendee>,
): SentGuest[] =>
  mergeKeepingPositions(
    stored.map((entry): SentGuest => ({ entry, index: -1 })),
    ({ entry }) => hidden.has(entry),
    sent,
  );

/** Sorts sent entries like the stored ones, new entries last, for callers who may not change the order. */
export function sortLikeStored(stored: readonly Attendee[], sent: readonly SentGuest[]): SentGuest[] {
  const positions = new Map(stored.map((entry, index) => [attendeeKey(entry), index]));
  const positionOf = ({ entry }: SentGuest): number => positions.get(attendeeKey(entry)) ?? Infinity;
  return [...sent].sort((a, b) => (positionOf(a) === positionOf(b) ? 0 : positionOf(a) - positionOf(b)));
}

/** Guests in stored form, without defaults and computed fields. */
export function storedGuests(list: readonly Entry[], fields: Iterable<FieldNode>): Attendee[] {
  const nodes = [...fields];
  return list.map((entry) => {
    const result: Record<string, unknown> = { ...entry };
    for (const { name, storedIn, default: standard } of nodes) {
      if (storedIn === 'computed' || result[name] === standard) delete result[name];
    }
    return withoutNulls(result);
  });
}
