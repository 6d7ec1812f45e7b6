const { RANDOM_SEED = '1', RANDOM_RUNS = '1', RANDOM_LENGTH = 'short' } = process.env;
const randomSeed = Number(RANDOM_SEED);
const randomRuns = Number(RANDOM_RUNS);

/** The length of a random history: short ones run with each change, `RANDOM_LENGTH=long` has what they are too short for. */
export const historyLength = (short: number, long: number): number =>
  RANDOM_LENGTH === 'long' ? long : short;

/** The seeds of all runs: each run is a test that has its seed in its title, and RANDOM_SEED repeats it alone. */
export const seeds: readonly number[] = Array.from({ length: randomRuns }, (_, run) => randomSeed + run);

export type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** Numbers that follow from a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds would otherwise begin alike.
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** From 0 on, 1 not included. */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 on, `limit` not included. */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  chance(probability: number): boolean {
    return this.share() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** So many of a list, in any order. */
  some<T>(list: readonly T[], most = list.length): T[] {
    const rest = [...list];
    return Array.from(
      { length: this.below(Math.min(most, list.length) + 1) },
      () => rest.splice(this.below(rest.length), 1)[0] as T,
    );
  }

  weighted<T>(table: Weighted<T>): T {
    let left = this.share() * table.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of table) if ((left -= weight) < 0) return value;
    throw new Error('The table is empty.');
  }
}
