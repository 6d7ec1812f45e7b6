import { type EventTime, kindOf, orderOf } from '../core/time/time.ts';
import { clockOf, type ZoneClock } from '../core/time/zone-clock.ts';
import { dayAt, dayMs } from './calendar-days.ts';
import { originalAt, startOf } from './original-start.ts';
import { occurrencesOf, type Occurrences } from './occurrences.ts';
import { zoneOf } from './recurrence-set.ts';

/** A start of a series and another one of the same kind: times are moved in local time, each in its own zone. */
export class Move {
  readonly isDay: boolean;
  readonly from: ZoneClock;
  readonly to: ZoneClock;
  /** The new start minus the old one, in local time and milliseconds. */
  readonly difference: number;
  /** Difference of the time of the day alone. */
  readonly #ofDay: number;
  readonly #oldTime: number;
  /** The later one of both starts. */
  readonly later: number;
  readonly isSameZone: boolean;

  constructor(old: EventTime, next: EventTime) {
    const [before, after] = [momentOf(old), momentOf(next)];
    this.isDay = next.date !== undefined;
    this.from = clockOf(zoneOf(old));
    this.to = clockOf(zoneOf(next));
    this.isSameZone = zoneOf(old) === zoneOf(next);
    const [then, now] = [this.from.toLocal(before), this.to.toLocal(after)];
    this.difference = now - then;
    this.#ofDay = timeOfDay(now) - timeOfDay(then);
    this.#oldTime = timeOfDay(then);
    this.later = Math.max(before, after);
  }

  /** A moment shifted by so much in local time. */
  shifted(moment: number, by: number): number {
    return this.to.toInstant(this.from.toLocal(moment) + by);
  }

  /** A local time that the clocks skipped, and by which an occurrence was moved forward, is that of its series. */
  #localOf(moment: number): number {
    const local = this.from.toLocal(moment);
    const usual = dayAt(local) * dayMs + this.#oldTime;
    return this.from.toInstant(usual) === moment ? usual : local;
  }

  /** Where an occurrence may go, the best place first (contract, section 15); undefined for a step that there is not. */
  places(moment: number): (number | undefined)[] {
    const local = this.#localOf(moment);
    const sameDay = local + this.#ofDay;
    return [
      moment,
      Math.abs(this.difference) < dayMs ? this.to.toInstant(local + this.difference) : undefined,
      dayAt(sameDay) === dayAt(local) ? this.to.toInstant(sameDay) : undefined,
      this.to.toInstant(local + this.difference),
    ];
  }

  /** Assigns each moment at most one free occurrence; earlier steps win. */
  placed(moments: readonly number[], occurrences: Occurrences): Map<number, number> {
    const asked = new Map([...moments].sort((a, b) => a - b).map((moment) => [moment, this.places(moment)]));
    const there = occurrences.among([...asked.values()].flat().filter((place) => place !== undefined));
    const [found, taken] = [new Map<number, number>(), new Set<number>()];
    for (const step of [0, 1, 2, 3])
      for (const [moment, places] of asked) {
        const place = places[step];
        if (found.has(moment) || place === undefined || !there.has(place) || taken.has(place)) continue;
        found.set(moment, place);
        taken.add(place);
      }
    return found;
  }
}

/** A series by what decides when it takes place. */
interface Timing {
  readonly start?: EventTime | undefined;
  readonly recurrence?: readonly string[] | undefined;
}

/** The original starts that instances have after a move of their series; absent: it has no such instance any more. */
export function placesOf(
  originals: readonly string[],
  before: EventTime | undefined,
  { start, recurrence = [] }: Timing,
): Map<string, string> {
  if (!before || !start || recurrence.length === 0 || kindOf(before) !== kindOf(start)) return new Map();
  const move = new Move(before, start);
  // An original start of the other kind is left from an earlier rule.
  const own = originals.filter((original) => original.includes('T') !== move.isDay);
  const placed = move.placed(own.map(startOf), occurrencesOf({ start, recurrence }));
  return new Map(
    own.flatMap((original) => {
      const place = placed.get(startOf(original));
      return place === undefined ? [] : [[original, originalAt(place, move.isDay)]];
    }),
  );
}

/** A stored start, in whole seconds; days count as in UTC. */
export const momentOf = (time: EventTime): number => Math.floor(Number(orderOf(time)) / 1000) * 1000;

const timeOfDay = (local: number): number => local - dayAt(local) * dayMs;
