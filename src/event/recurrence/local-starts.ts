import { lowerBound } from './ordered.ts';

/** Starts in local time, written as the epoch milliseconds they would have in UTC: in order, none twice. */
export interface LocalStarts {
  /**
   * Some of the starts at or after `from` and before `before`, about as many as are `wanted`. All before `upTo` are among
   * them; `upTo` is `before` or later when these are all.
   */
  take(from: number, before: number, wanted: number): LocalChunk;
  /** The last start at or before `at`; a time at or before `at`, but not before the last start, where it was not found. */
  last(at: number): number | undefined;
}

export interface LocalChunk {
  readonly starts: readonly number[];
  readonly upTo: number;
  /** How many periods of a rule were examined. */
  readonly steps: number;
}

/** The starts that a list names, in any order. */
export function listedStarts(values: readonly number[]): LocalStarts {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  return {
    take(from, before, wanted) {
      const index = lowerBound(sorted, from);
      const starts = sorted.slice(index, Math.min(index + wanted, lowerBound(sorted, before)));
      return { starts, upTo: Math.min(before, sorted[index + wanted] ?? Infinity), steps: 0 };
    },
    last: (at) => sorted[lowerBound(sorted, at + 1) - 1],
  };
}
