import type { EventPage, EventQuery } from '../../event/event.store.ts';
import { hidesGuests, isCancelled, updatedAt, type EventRecord } from '../../event/model/record.ts';

interface Entry {
  readonly position: number;
  record: EventRecord;
  /** The number of the last change of this event on this calendar. */
  change: number;
}

/** The events of one calendar: by id, by iCalUID, in the order in which they came, and in that in which they changed. */
export interface CalendarIndex {
  get(id: string): EventRecord | undefined;
  withUid(iCalUID: string): EventRecord[];
  /** Puts an event in its place; `isChange` when it looks different on this calendar. */
  put(id: string, record: EventRecord, isChange: boolean): void;
  page(query: EventQuery): EventPage | undefined;
}

/** `epoch` sets apart the marks of this process from those of one before it. */
export function createCalendarIndex(calendarId: string, epoch: string): CalendarIndex {
  const byId = new Map<string, Entry>();
  const byUid = new Map<string, Entry | Set<Entry>>();
  const inOrder: Entry[] = [];
  let log: { readonly change: number; readonly entry: Entry }[] = [];
  let lastChange = 0;

  function note(entry: Entry): void {
    entry.change = lastChange += 1;
    log.push({ change: entry.change, entry });
    // Only an entry's last change counts; the rest is dropped before it outgrows the entries.
    if (log.length > 2 * inOrder.length + 16) log = log.filter(({ change, entry: { change: last } }) => change === last);
  }

  function changedSince(change: number): Entry[] {
    const first = firstIndex(log, (line) => line.change > change);
    const changed = log.slice(first).filter((line) => line.entry.change === line.change);
    return changed.map(({ entry }) => entry).sort((a, b) => a.position - b.position);
  }

  function addUid(iCalUID: string | undefined, entry: Entry): void {
    if (iCalUID === undefined) return;
    const known = byUid.get(iCalUID);
    if (known instanceof Set) known.add(entry);
    else byUid.set(iCalUID, known ? new Set([known, entry]) : entry);
  }

  function isWanted({ record }: Entry, { cancelled, updatedMin, identity }: EventQuery): boolean {
    const copy = record.copies[calendarId];
    if (!copy || (!cancelled && isCancelled(record, copy))) return false;
    if (updatedMin === undefined) return true;
    return Date.parse(updatedAt(record, copy, hidesGuests(record, copy), identity)) >= Date.parse(updatedMin);
  }

  return {
    get: (id) => byId.get(id)?.record,

    withUid(iCalUID) {
      const found = byUid.get(iCalUID);
      return (found instanceof Set ? [...found] : found ? [found] : []).map(({ record }) => record);
    },

    put(id, record, isChange) {
      let entry = byId.get(id);
      if (!entry) {
        entry = { position: inOrder.length, record, change: 0 };
        byId.set(id, entry);
        inOrder.push(entry);
        addUid(record.core.iCalUID, entry);
      }
      entry.record = record;
      if (isChange) note(entry);
    },

    page(query) {
      const { since, knows, after = -1, limit } = query;
      const start = since === undefined ? 0 : changeOf(since, epoch, lastChange);
      if (start === undefined || (knows !== undefined && changeOf(knows, epoch, lastChange) === undefined)) return undefined;
      const entries = since === undefined ? inOrder : changedSince(start);
      const found: Entry[] = [];
      for (let at = firstIndex(entries, ({ position }) => position > after); at < entries.length && found.length <= limit; at += 1) {
        const entry = entries[at] as Entry;
        if (isWanted(entry, query)) found.push(entry);
      }
      return {
        entries: found.slice(0, limit).map(({ position, record }) => ({ position, record })),
        more: found.length > limit,
        mark: `${epoch}.${lastChange}`,
      };
    },
  };
}

function changeOf(mark: string, epoch: string, last: number): number | undefined {
  const [of, text = ''] = mark.split('.');
  const change = Number(text);
  return of === epoch && /^\d+$/.test(text) && change <= last ? change : undefined;
}

/** The index of the first entry that a rising condition holds for, by bisection; the length when there is none. */
function firstIndex<T>(list: readonly T[], holds: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
