import { type StoredEvent, storedOf } from '../../event/model/record.ts';
import type { CalendarEntry, Span } from '../../event/projection/projection.ts';
import { firstIndex, type Logged } from './change-log.ts';

/**
 * The items in order, each found when it is read: to read the first few of many costs little more than one pass over all
 * (a binary heap).
 */
export function* lazilySorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<T> {
  const heap = [...items];
  const at = (index: number): T => heap[index] as T;
  const sink = (from: number): void => {
    const item = at(from);
    for (let index = from; ;) {
      let child = 2 * index + 1;
      if (child + 1 < heap.length && compare(at(child + 1), at(child)) < 0) child += 1;
      if (child >= heap.length || compare(at(child), item) >= 0) {
        heap[index] = item;
        return;
      }
      heap[index] = at(child);
      index = child;
    }
  };
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(index);
  while (heap.length > 0) {
    yield at(0);
    const last = heap.pop() as T;
    if (heap.length === 0) return;
    heap[0] = last;
    sink(0);
  }
}

interface StartEntry {
  readonly position: number;
  readonly span: Span;
}

const dayMs = 86_400_000;
const dayOf = ({ span }: StartEntry): number => Math.floor(span.start / dayMs);

/** An entry, and where it stood when its day was read: entries change in place while others write. */
export interface Started<T> {
  readonly entry: T;
  readonly at: number;
  readonly position: number;
}

export const startOf = <T extends StartEntry>(entry: T): Started<T> => ({
  entry,
  at: entry.span.start,
  position: entry.position,
});

/** Events in the order in which they start: whoever reads on from a moment pays for the days that are read. */
export interface StartIndex<T extends StartEntry> {
  add(entry: T): void;
  remove(entry: T): void;
  /** Entries that start at or after a moment, in order; equal ones as they came. */
  from(moment: number): Generator<Started<T>>;
}

type Standing = Omit<Started<unknown>, 'entry'>;

export const compareStarts = (a: Standing, b: Standing): number =>
  a.at === b.at ? a.position - b.position : a.at < b.at ? -1 : 1;

export function createStartIndex<T extends StartEntry>(): StartIndex<T> {
  const days = new Map<number, Set<T>>();
  /** The days in order; undefined since one came or went. */
  let inOrder: number[] | undefined;

  return {
    add(entry) {
      const day = dayOf(entry);
      const there = days.get(day);
      if (there) there.add(entry);
      else {
        days.set(day, new Set([entry]));
        inOrder = undefined;
      }
    },
    remove(entry) {
      const day = dayOf(entry);
      const there = days.get(day);
      there?.delete(entry);
      if (there?.size !== 0) return;
      days.delete(day);
      inOrder = undefined;
    },
    *from(moment) {
      // Held on to: days come and go while others write.
      const sorted = (inOrder ??= [...days.keys()].sort((a, b) => (a < b ? -1 : 1)));
      const first = Math.floor(moment / dayMs);
      for (let index = firstIndex(sorted, (day) => day >= first); index < sorted.length; index += 1) {
        const day = sorted[index] as number;
        yield* [...(days.get(day) ?? [])]
          .map(startOf)
          .filter(({ at }) => at >= moment)
          .sort(compareStarts);
      }
    },
  };
}

interface SpanEntry {
  readonly span: Span;
}
/** Events that are longer (days), or never end, are examined by every query. */
const mostDays = 40;

/** Events by the days on which they take place: a query costs what lies in its time, and the long events. */
export interface TimeIndex<T extends SpanEntry> {
  add(entry: T): void;
  remove(entry: T): void;
  /** The entries whose span overlaps a time, each once, in no order. */
  overlapping(time: { readonly from: number; readonly to: number }): Set<T>;
}

export function createTimeIndex<T extends SpanEntry>(): TimeIndex<T> {
  const days = new Map<number, Set<T>>();
  const long = new Set<T>();

  const daysOf = ({ from, to }: Span): number[] | undefined => {
    if (from > to) return [];
    const [first, last] = [Math.floor(from / dayMs), Math.floor((to - 1) / dayMs)];
    return last - first < mostDays
      ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
      : undefined;
  };

  return {
    add(entry) {
      const found = daysOf(entry.span);
      if (!found) long.add(entry);
      else for (const day of found) days.set(day, (days.get(day) ?? new Set<T>()).add(entry));
    },
    remove(entry) {
      const found = daysOf(entry.span);
      if (!found) long.delete(entry);
      else {
        for (const day of found) {
          const there = days.get(day);
          there?.delete(entry);
          if (there?.size === 0) days.delete(day);
        }
      }
    },
    overlapping({ from, to }) {
      const found = new Set<T>();
      const overlaps = ({ span }: T): boolean => span.from < to && span.to > from;
      const take = (entries: Iterable<T>): void => {
        for (const entry of entries) if (overlaps(entry)) found.add(entry);
      };
      take(long);
      const [first, last] = [Math.floor(from / dayMs), Math.floor((to - 1) / dayMs)];
      // A time without an end on one side is looked up among the days that there are.
      if (last - first > days.size) {
        for (const [day, entries] of days) if (day >= first && day <= last) take(entries);
      } else for (let day = first; day <= last; day += 1) take(days.get(day) ?? []);
      return found;
    },
  };
}

/** Fields of an entry that keep the values worked out last. */
export type Shown = Pick<
  CalendarEntry,
  'record' | 'series' | 'cancelled' | 'recurs' | 'along' | 'updated' | 'openUpdated' | 'viewers'
>;

/** An event on the calendar; entries change in place. */
export interface IndexEntry extends Shown, Logged {
  position: number;
  span: Span;
  /** Readers from whom the other guests are hidden. */
  hiddenFrom: ReadonlySet<string>;
  /** The number of the last change that they see too. */
  openChange: number;
  /** The number of the last change while it was a series. */
  seriesChange: number;
}

/** The event of an entry, to hand out: the entry itself changes in place. */
export const storedIn = ({ record, series }: IndexEntry): StoredEvent => storedOf(record, series);
