import type { EventPage, EventQuery, StoredEvent } from '../../event/event.store.ts';

interface Entry<E> {
  readonly position: number;
  record: E;
  /** The number of the last change of this event on this calendar. */
  change: number;
}

/** The events of one calendar: by id, in the order in which they came, and in the order in which they changed. */
export interface CalendarShelf<E> {
  get(id: string): E | undefined;
  /** Puts an event in its place; `isChange` when it looks different on this calendar. */
  put(id: string, record: E, isChange: boolean): void;
  page(query: Pick<EventQuery, 'since' | 'after' | 'limit'>): EventPage<E> | undefined;
}

/** `epoch` sets apart the marks of this process from those of one before it. */
export function createCalendarShelf<E extends StoredEvent>(epoch: string): CalendarShelf<E> {
  const byId = new Map<string, Entry<E>>();
  const inOrder: Entry<E>[] = [];
  let log: { readonly change: number; readonly entry: Entry<E> }[] = [];
  let lastChange = 0;

  function note(entry: Entry<E>): void {
    entry.change = lastChange += 1;
    log.push({ change: entry.change, entry });
    // Only an entry's last change counts; the rest is dropped before it outgrows the entries.
    if (log.length > 2 * inOrder.length + 16) log = log.filter(({ change, entry: { change: last } }) => change === last);
  }

  function changedSince(change: number): Entry<E>[] {
    const first = firstIndex(log, (line) => line.change > change);
    const changed = log.slice(first).filter((line) => line.entry.change === line.change);
    return changed.map(({ entry }) => entry).sort((a, b) => a.position - b.position);
  }

  return {
    get: (id) => byId.get(id)?.record,

    put(id, record, isChange) {
      let entry = byId.get(id);
      if (!entry) {
        entry = { position: inOrder.length, record, change: 0 };
        byId.set(id, entry);
        inOrder.push(entry);
      }
      entry.record = record;
      if (isChange) note(entry);
    },

    page({ since, after = -1, limit }) {
      const start = since === undefined ? 0 : changeOf(since, epoch, lastChange);
      if (start === undefined) return undefined;
      const entries = since === undefined ? inOrder : changedSince(start);
      const from = firstIndex(entries, ({ position }) => position > after);
      return {
        entries: entries.slice(from, from + limit).map(({ position, record }) => ({ position, record })),
        more: entries.length > from + limit,
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
