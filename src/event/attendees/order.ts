import { around } from '../../core/kernel/around.ts';
import type { Attendee } from '../model/fields.ts';
import { attendeeKey } from '../model/attendee-key.ts';
import type { GuestList } from './guest-list.ts';

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

/** What was sent in the order in which it is stored, with new entries behind: for those who may not change the order. */
export function inStoredOrder(stored: readonly Attendee[], sent: readonly SentGuest[]): readonly SentGuest[] {
  const positions = new Map(stored.map((entry, index) => [attendeeKey(entry), index]));
  const positionOf = ({ entry }: SentGuest): number => positions.get(attendeeKey(entry)) ?? Infinity;
  return [...sent].sort((a, b) => (positionOf(a) === positionOf(b) ? 0 : positionOf(a) - positionOf(b)));
}
