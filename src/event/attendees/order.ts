import type { Attendee } from '../model/fields.ts';
import { attendeeKey } from '../model/model.ts';
import type { GuestList } from './guest-list.ts';

/** The list in the order in which it is stored, with new entries behind: for those who may not change the order. */
export function inStoredOrder(stored: readonly Attendee[], kept: readonly Attendee[], hidden: readonly Attendee[], sent: readonly number[]): GuestList {
  const rest = new Map(kept.map((entry, at) => [attendeeKey(entry), { entry, index: sent[at] as number }]));
  const entries: Attendee[] = [];
  const indexes: number[] = [];
  for (const old of stored) {
    const key = attendeeKey(old);
    const found = rest.get(key);
    if (found) {
      entries.push(found.entry);
      indexes.push(found.index);
      rest.delete(key);
    } else if (hidden.includes(old)) {
      entries.push(old);
      indexes.push(-1);
    }
  }
  for (const [at, entry] of kept.entries()) {
    if (entries.includes(entry)) continue;
    entries.push(entry);
    indexes.push(sent[at] as number);
  }
  return { entries, indexes };
}
