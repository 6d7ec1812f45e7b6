import { type EventTime, kindOf, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dayAt, dayMs } from './calendar-days.ts';
import { formatOriginal, parseOriginal } from './original-start.ts';
import { occurrencesOf, type Occurrences } from './occurrences.ts';
import { recurrenceZoneOf } from './recurrence-set.ts';

/** The move of a series from one start to another of the same kind. Times move by their local time, each in its own zone. */
export class Move {
  readonly isAllDay: boolean;
  readonly from: ZoneClock;
  readonly to: ZoneClock;
  readonly difference: number;
  /** Difference of the times of day alone (ms). */
  readonly #timeOfDayDifference: number;
  readonly #oldTimeOfDay: number;
  readonly laterStart: number;
  readonly isSameZone: boolean;

  constructor(old: EventTime, next: EventTime) {
    const [before, after] = [startInstantOf(old), startInstantOf(next)];
    this.isAllDay = next.date !== undefined;
    this.from = clockOf(recurrenceZoneOf(old));
    this.to = clockOf(recurrenceZoneOf(next));
    this.isSameZone = recurrenceZoneOf(old) === recurrenceZoneOf(next);
    const [oldLocal, newLocal] = [this.from.toLocal(before), this.to.toLocal(after)];
    this.difference = newLocal - oldLocal;
    this.#timeOfDayDifference = timeOfDay(newLocal) - timeOfDay(oldLocal);
    this.#oldTimeOfDay = timeOfDay(oldLocal);
    this.laterStart = Math.max(before, after);
  }

  shift(instant: number, byMs: number): number {
    return this.to.toInstant(this.from.toLocal(instant) + byMs);
  }

  /** Local time of an occurrence by its rule, even if the clocks skipped it and the occurrence moved forward. */
  #localOf(instant: number): number {
    const local = this.from.toLocal(instant);
    const byRule = dayAt(local) * dayMs + this.#oldTimeOfDay;
    return this.from.toInstant(byRule) === instant ? byRule : local;
  }

  /** Candidates for the moved occurrence, best first (contract, section 15); undefined for a step that does not apply. */
  candidatesFor(instant: number): (number | undefined)[] {
    const local = this.#localOf(instant);
    const sameDay = local + this.#timeOfDayDifference;
    return [
      instant,
      Math.abs(this.difference) < dayMs ? this.to.toInstant(local + this.difference) : undefined,
      dayAt(sameDay) === dayAt(local) ? this.to.toInstant(sameDay) : undefined,
      this.to.toInstant(local + this.difference),
    ];
  }

  /** Assigns at most one free occurrence to each instant; earlier candidates win. */
  assign(instants: readonly number[], occurrences: Occurrences): Map<number, number> {
    const sorted = [...instants].sort((a, b) => a - b);
    const candidates = new Map(sorted.map((instant) => [instant, this.candidatesFor(instant)]));
    const allCandidates = [...candidates.values()].flat().filter((start) => start !== undefined);
    const free = new Set(occurrences.filterStarts(allCandidates));
    const assigned = new Map<number, number>();
    for (const step of [0, 1, 2, 3])
      for (const [instant, starts] of candidates) {
        const start = starts[step];
        if (assigned.has(instant) || start === undefined || !free.delete(start)) continue;
        assigned.set(instant, start);
      }
    return assigned;
  }
}

interface Timing {
  readonly start?: EventTime | undefined;
  readonly recurrence?: readonly string[] | undefined;
}

/** Original starts of instances after a move of their series. Instances that the series no longer has are absent. */
export function movedOriginals(
  originals: readonly string[],
  before: EventTime | undefined,
  { start, recurrence = [] }: Timing,
): Map<string, string> {
  if (!before || !start || recurrence.length === 0 || kindOf(before) !== kindOf(start)) return new Map();
  const move = new Move(before, start);
  // Original starts of the other kind remain from an earlier rule.
  const sameKind = originals.filter((original) => original.includes('T') !== move.isAllDay);
  const newStarts = move.assign(sameKind.map(parseOriginal), occurrencesOf({ start, recurrence }));
  return new Map(
    sameKind.flatMap((original) => {
      const newStart = newStarts.get(parseOriginal(original));
      return newStart === undefined ? [] : [[original, formatOriginal(newStart, move.isAllDay)]];
    }),
  );
}

/** Instant of a stored start, in whole seconds; days as in UTC. */
export const startInstantOf = (time: EventTime): number => Math.floor(Number(orderOf(time)) / 1000) * 1000;

const timeOfDay = (local: number): number => local - dayAt(local) * dayMs;
