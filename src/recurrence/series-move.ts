import { type EventTime, kindOf, comparableTimeOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dayAt, dayMs } from './calendar-days.ts';
import { formatOriginalStart, parseOriginalStart } from './original-start.ts';
import { occurrencesOf, type Occurrences } from './occurrences.ts';
import { recurrenceZoneOf } from './recurrence-set.ts';

/** Move of a series from one start to another of the same kind. Times move by their local time, each in its own zone. */
export class SeriesMove {
  readonly isAllDay: boolean;
  readonly oldClock: ZoneClock;
  readonly newClock: ZoneClock;
  /** Difference of the local starts. */
  readonly localShiftMs: number;
  /** Difference of the times of day (ms), without days. */
  readonly #timeOfDayShiftMs: number;
  readonly #oldTimeOfDayMs: number;
  /** Later of the old and the new start (epoch ms). */
  readonly laterStartInstant: number;
  readonly isSameZone: boolean;

  constructor(oldStart: EventTime, newStart: EventTime) {
    const [oldInstant, newInstant] = [startInstantOf(oldStart), startInstantOf(newStart)];
    this.isAllDay = newStart.date !== undefined;
    this.oldClock = clockOf(recurrenceZoneOf(oldStart));
    this.newClock = clockOf(recurrenceZoneOf(newStart));
    this.isSameZone = recurrenceZoneOf(oldStart) === recurrenceZoneOf(newStart);
    const [oldLocal, newLocal] = [
      this.oldClock.toLocalTime(oldInstant),
      this.newClock.toLocalTime(newInstant),
    ];
    this.localShiftMs = newLocal - oldLocal;
    this.#timeOfDayShiftMs = timeOfDayMs(newLocal) - timeOfDayMs(oldLocal);
    this.#oldTimeOfDayMs = timeOfDayMs(oldLocal);
    this.laterStartInstant = Math.max(oldInstant, newInstant);
  }

  /** Shifts an instant in local time, from the old zone to the new one. */
  shift(instant: number, byMs: number): number {
    return this.newClock.toInstant(this.oldClock.toLocalTime(instant) + byMs);
  }

  /** Returns the local time that the rule gives an occurrence, even if the clocks skipped it and the occurrence moved forward. */
  #localOf(instant: number): number {
    const local = this.oldClock.toLocalTime(instant);
    const localByRule = dayAt(local) * dayMs + this.#oldTimeOfDayMs;
    return this.oldClock.toInstant(localByRule) === instant ? localByRule : local;
  }

  /**
   * Returns the candidates for the moved occurrence, best first: same instant, shift in local time by less than a day, same day, any
   * shift. Undefined for a candidate that does not apply.
   */
  listCandidates(instant: number): (number | undefined)[] {
    const local = this.#localOf(instant);
    const sameDayLocal = local + this.#timeOfDayShiftMs;
    return [
      instant,
      Math.abs(this.localShiftMs) < dayMs ? this.newClock.toInstant(local + this.localShiftMs) : undefined,
      dayAt(sameDayLocal) === dayAt(local) ? this.newClock.toInstant(sameDayLocal) : undefined,
      this.newClock.toInstant(local + this.localShiftMs),
    ];
  }

  /** Assigns at most one free occurrence to each instant. A better candidate of any instant precedes worse ones of all others. */
  assignStarts(instants: readonly number[], occurrences: Occurrences): Map<number, number> {
    const sortedInstants = [...instants].sort((a, b) => a - b);
    const candidates = new Map(sortedInstants.map((instant) => [instant, this.listCandidates(instant)]));
    const allCandidates = [...candidates.values()].flat().filter((start) => start !== undefined);
    const freeStarts = new Set(occurrences.filterStarts(allCandidates));
    const startByInstant = new Map<number, number>();
    for (const candidateRank of candidateRanks)
      for (const [instant, starts] of candidates) {
        const start = starts[candidateRank];
        if (startByInstant.has(instant) || start === undefined || !freeStarts.delete(start)) continue;
        startByInstant.set(instant, start);
      }
    return startByInstant;
  }
}

/** Indexes of the candidates that `listCandidates` returns. */
const candidateRanks = [0, 1, 2, 3];

/** Parts of a series that determine its occurrences. */
interface SeriesTimes {
  readonly start?: EventTime | undefined;
  readonly recurrence?: readonly string[] | undefined;
}

/** Returns the new original starts of instances after a move of their series. Instances that the series no longer has are absent. */
export function moveOriginalStarts(
  originalStarts: readonly string[],
  oldStart: EventTime | undefined,
  { start, recurrence = [] }: SeriesTimes,
): Map<string, string> {
  if (!oldStart || !start || recurrence.length === 0 || kindOf(oldStart) !== kindOf(start)) return new Map();
  const move = new SeriesMove(oldStart, start);
  // Original starts of the other kind remain from an earlier rule.
  const sameKindOriginals = originalStarts.filter((original) => original.includes('T') !== move.isAllDay);
  const newStarts = move.assignStarts(
    sameKindOriginals.map(parseOriginalStart),
    occurrencesOf({ start, recurrence }),
  );
  return new Map(
    sameKindOriginals.flatMap((original) => {
      const newStart = newStarts.get(parseOriginalStart(original));
      return newStart === undefined ? [] : [[original, formatOriginalStart(newStart, move.isAllDay)]];
    }),
  );
}

/** Returns the instant (epoch ms) of a stored start, in whole seconds; days as in UTC. */
export const startInstantOf = (time: EventTime): number =>
  Math.floor(Number(comparableTimeOf(time)) / 1000) * 1000;

const timeOfDayMs = (local: number): number => local - dayAt(local) * dayMs;
