import type { Span } from '../../event/projection/projection.ts';

interface SpanEntry {
  readonly span: Span;
}

const dayMs = 86_400_000;
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
