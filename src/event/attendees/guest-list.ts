import type { FieldNode } from '../../core/fields/table.ts';
import type { Attendee } from '../model/fields.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import { madeUpHost } from '../view/event-view.ts';
import type { Draft } from '../draft/draft.ts';

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

export function factsOf({ before, seen }: Draft, node: FieldNode): GuestListLimits {
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
export interface GuestList {
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
