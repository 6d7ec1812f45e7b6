import type { Span } from '../../event/projection/projection.ts';
import { findFirstIndex } from './change-log.ts';
import { MultiMap } from './multi-map.ts';

/** An entry that the index can hold. Its span must not change while it is in the index. */
interface SpanEntry {
  readonly position: number;
  readonly span: Span;
}

/** An entry with its sort key when its day was read: entries change in place concurrently. */
export interface StartCandidate<T> {
  readonly entry: T;
  /** Time that the list is sorted by (epoch ms), as in `EventQuery.after`. */
  readonly at: number;
  readonly position: number;
}

/** Copies the sort key of an entry, which may change while a page is read. */
export const toStartCandidate = <T extends SpanEntry>(entry: T): StartCandidate<T> => ({
  entry,
  at: entry.span.start,
  position: entry.position,
});

type StartKey = Omit<StartCandidate<unknown>, 'entry'>;

/** Orders by start, then by position. */
export const compareStarts = (a: StartKey, b: StartKey): number =>
  a.at === b.at ? a.position - b.position : a.at < b.at ? -1 : 1;

const dayMs = 86_400_000;
const dayOf = (epochMs: number): number => Math.floor(epochMs / dayMs);
/** Maximum days of an event that is indexed. Longer and endless ones are not: every query examines them. */
const maxIndexedDays = 40;

// Negated, because the difference is NaN if both ends are the same infinity.
const isLong = ({ from, to }: Span): boolean => !(dayOf(to - 1) - dayOf(from) < maxIndexedDays);

/** Days that an entry is indexed by: its start day, and unless it is long all days of its span. */
function daysOf(span: Span): Set<number> {
  const days = new Set([dayOf(span.start)]);
  if (!isLong(span)) for (let day = dayOf(span.from); day <= dayOf(span.to - 1); day += 1) days.add(day);
  return days;
}

/** Indexes events by day. A query costs the events on its days plus all long events. */
export function createTimeIndex<T extends SpanEntry>() {
  const entriesByDay = new MultiMap<number, T>();
  let sortedDays: number[] | undefined;
  const longEntries = new Set<T>();

  return {
    add(entry: T): void {
      if (isLong(entry.span)) longEntries.add(entry);
      const dayCount = entriesByDay.size;
      for (const day of daysOf(entry.span)) entriesByDay.add(day, entry);
      if (entriesByDay.size !== dayCount) sortedDays = undefined;
    },

    remove(entry: T): void {
      longEntries.delete(entry);
      const dayCount = entriesByDay.size;
      for (const day of daysOf(entry.span)) entriesByDay.delete(day, entry);
      if (entriesByDay.size !== dayCount) sortedDays = undefined;
    },

    /** Entries whose span overlaps a range (epoch ms), unordered. */
    entriesOverlapping({ from, to }: Pick<Span, 'from' | 'to'>): Set<T> {
      const overlappingEntries = new Set<T>();
      const addOverlapping = (entries: Iterable<T>): void => {
        for (const entry of entries)
          if (entry.span.from < to && entry.span.to > from) overlappingEntries.add(entry);
      };
      addOverlapping(longEntries);
      const [firstDay, lastDay] = [dayOf(from), dayOf(to - 1)];
      // An unbounded or long range visits the existing days. Negated for NaN and Infinity.
      if (!(lastDay - firstDay <= entriesByDay.size)) {
        for (const day of entriesByDay.keys())
          if (day >= firstDay && day <= lastDay) addOverlapping(entriesByDay.valuesOf(day));
      } else for (let day = firstDay; day <= lastDay; day += 1) addOverlapping(entriesByDay.valuesOf(day));
      return overlappingEntries;
    },

    /** Entries that start at `minStartMs` or later, by start and position. The cost is that of the days read. */
    *entriesStartingFrom(minStartMs: number): Generator<StartCandidate<T>> {
      // The local reference stays stable while others add and remove days.
      const dayKeys = (sortedDays ??= [...entriesByDay.keys()].sort((a, b) => (a < b ? -1 : 1)));
      const firstDay = dayOf(minStartMs);
      for (
        let index = findFirstIndex(dayKeys, (day) => day >= firstDay);
        index < dayKeys.length;
        index += 1
      ) {
        const day = dayKeys[index] as number;
        // An entry is indexed by each of its days, but starts on one of them.
        yield* [...entriesByDay.valuesOf(day)]
          .map(toStartCandidate)
          .filter(({ at }) => dayOf(at) === day && at >= minStartMs)
          .sort(compareStarts);
      }
    },
  };
}
