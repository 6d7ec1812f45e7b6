import type { FieldNode } from '../../core/fields/table.ts';
import type { Attendee } from '../model/fields.ts';
import { attendeeKey } from '../model/model.ts';
import { madeUpHost } from '../view/event-view.ts';
import type { Draft } from '../write/draft.ts';

type Entry = Readonly<Record<string, unknown>>;

/** What a sent guest list is held against. */
export interface Facts {
  readonly fields: readonly FieldNode[];
  readonly most: number;
  readonly stored: readonly Attendee[];
  readonly storedByKey: ReadonlyMap<string | undefined, Attendee>;
  /** The entries that the caller sees, as they are shown. */
  readonly seen: ReadonlyMap<string | undefined, Attendee>;
}

export function factsOf({ before, seen }: Draft, node: FieldNode): Facts {
  const stored = before.core.attendees ?? [];
  return {
    fields: [...node.fields.values()],
    most: node.max?.entries ?? Infinity,
    stored,
    storedByKey: new Map(stored.map((entry) => [attendeeKey(entry), entry])),
    seen: new Map((seen.attendees ?? []).map((entry) => [attendeeKey(entry), entry])),
  };
}

export const isMadeUp = (email: unknown): boolean => typeof email === 'string' && email.endsWith(`@${madeUpHost}`);

export const keyOfSent = (entry: Entry): string | undefined => attendeeKey(isMadeUp(entry.email) ? { id: entry.id } : entry);

/** A guest list, and at which index the client sent each entry; -1 for one that only stays. */
export interface GuestList {
  readonly entries: readonly Attendee[];
  readonly indexes: readonly number[];
}

/** Takes the list over when it is another one than the stored. */
export function settle(draft: Draft, node: FieldNode, { entries, indexes }: GuestList, cleared: boolean): void {
  const stored = draft.before.core.attendees;
  const same = stored !== undefined && entries.length === stored.length && entries.every((entry, index) => entry === stored[index]);
  if (cleared ? stored === undefined || (same && entries.length > 0) : same) return;
  draft.change[node.name] = cleared && entries.length === 0 ? null : entries;
  draft.sentIndexes.set(node.name, indexes);
}

