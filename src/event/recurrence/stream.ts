import { lowerBound } from './ordered.ts';
import type { Source } from './recurrence-set.ts';

/** Some instants at which a source has starts: in order, none twice, all of those from `from` on and before `upTo`. */
export interface Chunk {
  readonly from: number;
  readonly upTo: number;
  readonly starts: readonly number[];
}

/** What one call may still spend on looking for starts; a unit is some tenth of a millisecond at most. */
export interface Work {
  left: number;
}

const stepsInUnit = 32;

/** Reads a source forward, from one chunk to the next. */
export interface Stream {
  /** The starts around an instant: those from it on are wanted. */
  at(instant: number, before: number, wanted: number): Chunk;
  /** Whether the source has a start at this very instant. */
  has(instant: number, before: number): boolean;
}

/** Chunks for single questions are small, so that a rare question costs little. */
const wantedToAsk = 32;

export function streamOf(source: Source, work: Work): Stream {
  let chunk: Chunk = { from: 0, upTo: 0, starts: [] };
  const at = (instant: number, before: number, wanted: number): Chunk => {
    if (instant < chunk.from || instant >= chunk.upTo) chunk = chunkOf(source, instant, before, wanted, work);
    return chunk;
  };
  return {
    at,
    has(instant, before) {
      const { starts } = at(instant, before, wantedToAsk);
      return starts[lowerBound(starts, instant)] === instant;
    },
  };
}

/** The starts of a source from `from` on and before `before`: about as many as are wanted, or all where there are fewer. */
export function chunkOf(
  { starts, clock, until }: Source,
  from: number,
  before: number,
  wanted: number,
  work?: Work,
): Chunk {
  const stop = Math.min(before, until + 1);
  if (stop <= from) return { from, upTo: before, starts: [] };
  const found = new Set<number>();
  /** Adds what some local times name; gives the instant from which on to search further. */
  const read = (begin: number, end: number, instantOf: (local: number) => number): number => {
    const { starts: local, upTo, steps } = starts.take(begin, end, wanted);
    if (work) work.left -= 1 + steps / stepsInUnit;
    for (const start of local) found.add(clock.toInstant(start));
    return upTo >= end ? before : instantOf(upTo);
  };
  // Skipped local times name the same instants as those behind them.
  const skipped = clock.skippedBefore(from);
  const complete = Math.min(
    before,
    read(clock.firstLocal(from), clock.firstLocal(stop), (local) => clock.earliest(local)),
    skipped ? read(skipped.begin, skipped.end, (local) => clock.toInstant(local)) : before,
  );
  const within = [...found].filter((start) => start >= from && start < complete && start <= until);
  return { from, upTo: complete, starts: within.sort((one, other) => one - other) };
}

/** The last start of a source before an instant; an instant that may be later where it was not found. */
export function lastOf(source: Source, before: number): number | undefined {
  const stop = Math.min(before, source.until + 1);
  return lastUpTo(source, source.clock.firstLocal(stop) - 1, stop);
}

/** The last start in local time up to `upTo`, and before an instant. */
function lastUpTo(source: Source, upTo: number, stop: number): number | undefined {
  const { starts, clock } = source;
  const local = starts.last(upTo);
  if (local === undefined) return undefined;
  const instant = clock.toInstant(local);
  const skipped = clock.skippedBefore(instant);
  if (!skipped) return instant;
  // Skipped local times before it may name later instants.
  let latest: number | undefined;
  for (let from = skipped.at; from < stop;) {
    const chunk = chunkOf(source, from, stop, wantedAround);
    latest = chunk.starts.at(-1) ?? latest;
    from = chunk.upTo;
  }
  // Or it is before the gap, whose local times all name instants behind it.
  return latest ?? lastUpTo(source, clock.toLocal(skipped.at - 1), skipped.at);
}

const wantedAround = 500;
