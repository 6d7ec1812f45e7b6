import type { Span } from '../../event/projection/projection.ts';
import { firstIndex } from './change-log.ts';

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
  /** Those that start at or after a moment, in order; equal ones as they came. */
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
