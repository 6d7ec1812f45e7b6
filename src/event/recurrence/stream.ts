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
export function chunkOf({ starts, clock, until }: Source, from: number, before: number, wanted: number, work?: Work): Chunk {
  const stop = Math.min(before, until + 1);
  if (stop <= from) return { from, upTo: before, starts: [] };
  // Around a change of the clocks the order of local times is not that of instants: a little more is read.
  const end = clock.toLocal(stop) + clock.shiftNear(stop);
  let at = clock.toLocal(from) - clock.shiftNear(from);
  const found = new Set<number>();
  for (;;) {
    const { starts: local, upTo, steps } = starts.take(at, end, wanted);
    if (work) work.left -= 1 + steps / stepsInUnit;
    for (const start of local) found.add(clock.toInstant(start));
    const complete = upTo >= end ? before : Math.min(before, clock.earliest(upTo));
    if (complete > from) {
      const within = [...found].filter((start) => start >= from && start < complete && start <= until);
      return { from, upTo: complete, starts: within.sort((one, other) => one - other) };
    }
    at = upTo;
  }
}

/** The last start of a source before an instant; an instant that may be later where it was not found. */
export function lastOf(source: Source, before: number): number | undefined {
  const { starts, clock, until } = source;
  const stop = Math.min(before, until + 1);
  const local = starts.last(clock.toLocal(stop - 1) + clock.shiftNear(stop));
  if (local === undefined) return undefined;
  const instant = clock.toInstant(local);
  const shift = clock.shiftNear(instant);
  if (shift === 0 && instant < stop) return instant;
  // The last local time around a change of the clocks need not name the last instant.
  let latest: number | undefined;
  const begin = Math.min(instant, stop) - shift - 1;
  for (let from = begin; from < stop; ) {
    const chunk = chunkOf(source, from, stop, wantedAround);
    latest = chunk.starts.at(-1) ?? latest;
    from = chunk.upTo;
  }
  return latest ?? lastOf(source, begin);
}

const wantedAround = 500;
