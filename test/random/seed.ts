const { RANDOM_SEED = '1', RANDOM_RUNS = '1', RANDOM_LENGTH = 'short' } = process.env;
const randomSeed = Number(RANDOM_SEED);
const randomRuns = Number(RANDOM_RUNS);

/** Picks the length of a random sequence: short by default, long with `RANDOM_LENGTH=long`. */
export const chooseLength = (short: number, long: number): number =>
  RANDOM_LENGTH === 'long' ? long : short;

/** Seeds of all runs. Each run is a test with its seed in the title; RANDOM_SEED repeats it. */
export const seeds: readonly number[] = Array.from({ length: randomRuns }, (_, run) => randomSeed + run);

/** Values with their weights, for `Random.pickWeighted`. */
export type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** Generates random numbers that are determined by a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Multiplied, since neighbouring seeds would start similarly.
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** A number in `[0, 1)`. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer in `[0, limit)`. */
  integerBelow(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integerBelow(list.length)] as T;
  }

  /** A random subset of a list, in random order. */
  pickSome<T>(list: readonly T[], maxCount = list.length): T[] {
    const remaining = [...list];
    return Array.from(
      { length: this.integerBelow(Math.min(maxCount, list.length) + 1) },
      () => remaining.splice(this.integerBelow(remaining.length), 1)[0] as T,
    );
  }

  pickWeighted<T>(table: Weighted<T>): T {
    let remainingWeight = this.fraction() * table.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of table) if ((remainingWeight -= weight) < 0) return value;
    throw new Error('The table is empty.');
  }
}
