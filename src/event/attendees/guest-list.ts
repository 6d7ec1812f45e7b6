import { withoutNulls } from '../../core/json.ts';
import type { FieldNode } from '../../core/fields/table.ts';
import { type Attendee, attendeeKey } from '../model/fields.ts';
import { placeholderHost } from '../visibility/event-view.ts';

/** Entry of a list, not yet known to be an attendee. */
export type EntryFields = Readonly<Record<string, unknown>>;

/** Whether an address was generated for a guest without one (`alwaysIncludeEmail`). */
export const isPlaceholderAddress = (email: unknown): boolean =>
  typeof email === 'string' && email.endsWith(`@${placeholderHost}`);

/** Key of a guest in a list that a client sent. A placeholder address identifies nobody, so the id counts. */
export const sentGuestKey = (entry: EntryFields): string | undefined =>
  attendeeKey(isPlaceholderAddress(entry.email) ? { id: entry.id } : entry);

/** Guest of a list that replaces the stored one. */
export interface SentGuest<Entry = Attendee> {
  readonly entry: Entry;
  /** Index in the list that the client sent; -1 for a guest who stays. */
  readonly index: number;
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
