import { around, grouped, withoutNulls } from '../../core/patch.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import type { Draft } from '../draft.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { madeUpHost } from '../visibility/event-view.ts';

type Entry = Readonly<Record<string, unknown>>;

/** The list that a sent one is compared with, and its limit. */
export interface GuestListContext {
  readonly fields: readonly FieldNode[];
  readonly maxGuests: number;
  readonly stored: readonly Attendee[];
  /** The stored entry of a guest; an old list may hold more than one, so that they are counted. */
  readonly storedEntry: Lookup;
  /** The entry as the caller sees it. */
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
  const byKey = grouped(list, (entry) => attendeeKey(entry) ?? '');
  return (key = '', occurrence = 0) => byKey.get(key)?.[occurrence] ?? byKey.get(key)?.[0];
}

export const isMadeUp = (email: unknown): boolean =>
  typeof email === 'string' && email.endsWith(`@${madeUpHost}`);

export const keyOfSent = (entry: Entry): string | undefined =>
  attendeeKey(isMadeUp(entry.email) ? { id: entry.id } : entry);

/** An entry of the new list, and at which index the client sent it; -1 for one that only stays. */
export interface SentGuest {
  readonly entry: Attendee;
  readonly index: number;
}

/** Takes the list over when it is another one than the stored. */
export function settle(draft: Draft, node: FieldNode, list: readonly SentGuest[], cleared: boolean): void {
  const stored = draft.before.core.attendees;
  const entries = list.map(({ entry }) => entry);
  const same =
    stored !== undefined &&
    entries.length === stored.length &&
    entries.every((entry, index) => entry === stored[index]);
  // An empty list is not an absent one, except to those who see neither.
  if (cleared ? !draft.seen.attendees || (same && entries.length > 0) : same) return;
  draft.change[node.name] = cleared && entries.length === 0 ? null : entries;
  draft.sentIndexes.set(
    node.name,
    list.map(({ index }) => index),
  );
}

/** The list to store: hidden guests keep their places, and sent ones fill the others in order, so that a list as shown is the same. */
export const aroundHidden = (
  stored: readonly Attendee[],
  sent: readonly SentGuest[],
  hidden: ReadonlySet<Attendee>,
): SentGuest[] =>
  around(
    stored.map((entry): SentGuest => ({ entry, index: -1 })),
    ({ entry }) => hidden.has(entry),
    sent,
  );

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
