import { around } from '../../core/around.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { withoutNulls } from '../../core/patch.ts';
import type { Draft } from '../draft.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { madeUpHost } from '../visibility/event-view.ts';

type Entry = Readonly<Record<string, unknown>>;

/** What a sent guest list is held against. */
export interface GuestListLimits {
  readonly fields: readonly FieldNode[];
  readonly most: number;
  readonly stored: readonly Attendee[];
  /** The stored entry of a guest; an old list may hold more than one, so that they are counted. */
  readonly storedEntry: Lookup;
  /** The entry as the caller sees it. */
  readonly seenEntry: Lookup;
  readonly seenKeys: ReadonlySet<string | undefined>;
}

type Lookup = (key: string | undefined, occurrence?: number) => Attendee | undefined;

export function guestListLimits({ before, seen }: Draft, node: FieldNode): GuestListLimits {
  const stored = before.core.attendees ?? [];
  const shown = seen.attendees ?? [];
  return {
    fields: [...node.fields.values()],
    most: node.max?.entries ?? Infinity,
    stored,
    storedEntry: lookupIn(stored),
    seenEntry: lookupIn(shown),
    seenKeys: new Set(shown.map(attendeeKey)),
  };
}

function lookupIn(list: readonly Attendee[]): Lookup {
  const byKey = new Map<string | undefined, Attendee[]>();
  for (const entry of list) {
    const key = attendeeKey(entry);
    const known = byKey.get(key);
    if (known) known.push(entry);
    else byKey.set(key, [entry]);
  }
  return (key, occurrence = 0) => byKey.get(key)?.[occurrence] ?? byKey.get(key)?.[0];
}

export const isMadeUp = (email: unknown): boolean =>
  typeof email === 'string' && email.endsWith(`@${madeUpHost}`);

export const keyOfSent = (entry: Entry): string | undefined =>
  attendeeKey(isMadeUp(entry.email) ? { id: entry.id } : entry);

/** A guest list, and at which index the client sent each entry; -1 for one that only stays. */
interface GuestList {
  readonly entries: readonly Attendee[];
  readonly indexes: readonly number[];
}

/** Takes the list over when it is another one than the stored. */
export function settle(
  draft: Draft,
  node: FieldNode,
  { entries, indexes }: GuestList,
  cleared: boolean,
): void {
  const stored = draft.before.core.attendees;
  const same =
    stored !== undefined &&
    entries.length === stored.length &&
    entries.every((entry, index) => entry === stored[index]);
  // An empty list is not an absent one, except to those who see neither.
  if (cleared ? !draft.seen.attendees || (same && entries.length > 0) : same) return;
  draft.change[node.name] = cleared && entries.length === 0 ? null : entries;
  draft.sentIndexes.set(node.name, indexes);
}

/** An entry of the new list, and at which index the client sent it. */
export interface SentGuest {
  readonly entry: Attendee;
  readonly index: number;
}

/**
 * The list to store: guests whom the caller does not see keep their positions, and those who were sent fill the others, in
 * the order in which they came; what is left over stands behind. So a list that comes back as it was shown is the stored one.
 */
export function aroundHidden(
  stored: readonly Attendee[],
  sent: readonly SentGuest[],
  hidden: ReadonlySet<Attendee>,
): GuestList {
  const list = around(
    stored.map((entry): SentGuest => ({ entry, index: -1 })),
    ({ entry }) => hidden.has(entry),
    sent,
  );
  return { entries: list.map(({ entry }) => entry), indexes: list.map(({ index }) => index) };
}

/** Puts sent entries in the order in which they are stored, new ones last: for callers who may not change the order. */
export function inStoredOrder(stored: readonly Attendee[], sent: readonly SentGuest[]): readonly SentGuest[] {
  const positions = new Map(stored.map((entry, index) => [attendeeKey(entry), index]));
  const positionOf = ({ entry }: SentGuest): number => positions.get(attendeeKey(entry)) ?? Infinity;
  return [...sent].sort((a, b) => (positionOf(a) === positionOf(b) ? 0 : positionOf(a) - positionOf(b)));
}

/** Guests as they are stored: without defaults, and without what is worked out for each calendar. */
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
