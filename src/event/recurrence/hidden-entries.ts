import { sameJson } from '../../core/kernel/plain-data.ts';
import { noStamp, type EventRecord, type StoredEvent } from '../model/record.ts';
import { hidesGuests, shownGuests } from './instance-guests.ts';

/** The guests whose own entries differ, and those who are on one list alone, by `addressKey`. */
export function guestsWithOthers(one: StoredEvent, other: StoredEvent): string[] {
  const [then, now] = [shownGuests(one), shownGuests(other)];
  return [...new Set([...then.keys(), ...now.keys()])].filter(
    (guest) => !sameJson(then.get(guest), now.get(guest)),
  );
}

/**
 * The guests from whom the others are hidden, and for whom an exception is one where they read its home calendar, also when
 * it shows nothing else there: their own entry is another than on the series, or was once.
 */
export const guestsWithException = ({ record, series }: StoredEvent): ReadonlySet<string> =>
  new Set(
    series
      ? [...guestsWithOthers({ record: series }, { record, series }), ...(record.instance?.staysFor ?? [])]
      : [],
  );

/** The same of one of them. */
export function hasException({ record, series }: StoredEvent, guest: string): boolean {
  if (!series) return false;
  if (record.instance?.staysFor?.includes(guest)) return true;
  const [there, here] = [shownGuests({ record: series }, guest), shownGuests({ record, series }, guest)];
  return !sameJson(there.get(guest), here.get(guest));
}

/**
 * The exception with those for whom it stays one, though it changes nothing any more that they see: a list has no words for
 * an exception that is none any more. The very same record where these are the same.
 */
export function stayingFor(before: StoredEvent | undefined, next: StoredEvent): EventRecord {
  const { record } = next;
  const { instance } = record;
  // For all others it is one by its stamps.
  const isOne = record.openStamp.tag !== noStamp.tag || record.coreStamp.tag === noStamp.tag;
  if (!instance || !before || isOne || !hidesGuests(next)) return record;
  const [then, now, known, differing] = [
    shownGuests(before),
    shownGuests(next),
    guestsWithException(before),
    new Set(guestsWithOthers({ record: next.series as EventRecord }, next)),
  ];
  const sawAll = before.record.coreStamp.tag !== noStamp.tag;
  const guests = [...now.keys()].filter(
    (guest) => !differing.has(guest) && (then.has(guest) ? known.has(guest) : sawAll),
  );
  if (sameJson(guests, instance.staysFor ?? [])) return record;
  const { staysFor: _old, ...rest } = instance;
  return { ...record, instance: { ...rest, ...(guests.length > 0 && { staysFor: guests }) } };
}
