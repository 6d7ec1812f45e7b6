import type { Span } from '../../event/projection/projection.ts';
import { firstIndex } from './change-log.ts';

interface SpanEntry {
  readonly position: number;
  readonly span: Span;
}

/** An entry, and where it stood when its day was read: entries change in place while others write. */
export interface Started<T> {
  readonly entry: T;
  readonly at: number;
  readonly position: number;
}

export const startOf = <T extends SpanEntry>(entry: T): Started<T> => ({
  entry,
  at: entry.span.start,
  position: entry.position,
});

type Standing = Omit<Started<unknown>, 'entry'>;

export const compareStarts = (a: Standing, b: Standing): number =>
  a.at === b.at ? a.position - b.position : a.at < b.at ? -1 : 1;

const dayMs = 86_400_000;
const dayOf = (moment: number): number => Math.floor(moment / dayMs);
/** Events that are longer (days), or never end, are examined by every query for a time. */
const maxDays = 40;

// Both ends may be the same infinity, of which the difference is no number.
const isLong = ({ from, to }: Span): boolean => !(dayOf(to - 1) - dayOf(from) < maxDays);

/** The days on which an entry is found: that of its start, and all on which it takes place unless it is long. */
function daysOf(span: Span): Set<number> {
  const days = new Set([dayOf(span.start)]);
  if (!isLong(span)) for (let day = dayOf(span.from); day <= dayOf(span.to - 1); day += 1) days.add(day);
  return days;
}

/** Events by the days on which they take place: a query costs what lies in its time, and the long events. */
export function createTimeIndex<T extends SpanEntry>() {
  const days = new Map<number, Set<T>>();
  /** The days in order; undefined since one came or went. */
  let inOrder: number[] | undefined;
  const long = new Set<T>();

  return {
    add(entry: T): void {
      if (isLong(entry.span)) long.add(entry);
      for (const day of daysOf(entry.span)) {
        const there = days.get(day);
        if (there) there.add(entry);
        else {
          days.set(day, new Set([entry]));
          inOrder = undefined;
        }
      }
    },

    remove(entry: T): void {
      long.delete(entry);
      for (const day of daysOf(entry.span)) {
        const there = days.get(day);
        there?.delete(entry);
        if (there?.size !== 0) continue;
        days.delete(day);
        inOrder = undefined;
      }
    },

    /** The entries whose span overlaps a time, each once, in no order. */
    overlapping({ from, to }: Pick<Span, 'from' | 'to'>): Set<T> {
      const found = new Set<T>();
      const take = (entries: Iterable<T>): void => {
        for (const entry of entries) if (entry.span.from < to && entry.span.to > from) found.add(entry);
      };
      take(long);
      const [first, last] = [dayOf(from), dayOf(to - 1)];
      // A time without an end on one side is looked up among the days that there are.
      if (!(last - first <= days.size)) {
        for (const [day, entries] of days) if (day >= first && day <= last) take(entries);
      } else for (let day = first; day <= last; day += 1) take(days.get(day) ?? []);
      return found;
    },

    /** The entries that start at or after a moment, in order, equal ones as they came: costs what the days cost that are read. */
    *startingFrom(moment: number): Generator<Started<T>> {
      // Held on to: days come and go while others write.
      const sorted = (inOrder ??= [...days.keys()].sort((a, b) => (a < b ? -1 : 1)));
      const first = dayOf(moment);
      for (let index = firstIndex(sorted, (day) => day >= first); index < sorted.length; index += 1) {
        const day = sorted[index] as number;
        yield* [...(days.get(day) ?? [])]
          .map(startOf)
          .filter(({ at }) => dayOf(at) === day && at >= moment)
          .sort(compareStarts);
      }
    },
  };
}
