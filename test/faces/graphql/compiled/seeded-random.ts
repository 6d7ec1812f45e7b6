/** Pseudo-random choices, repeatable by their seed. */
export class Chance {
  #state: number;

  constructor(seed: string | number) {
    // FNV-1a hash of the seed.
    let hash = 2166136261;
    for (const character of String(seed)) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
    this.#state = hash >>> 0;
  }

  /** Returns a number in `[0, 1)`, by the generator mulberry32. */
  nextFraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  /** Returns true with the given probability. */
  happens(probability: number): boolean {
    return this.nextFraction() < probability;
  }

  /** Returns an integer from 0 to `max`, both included. */
  nextIntegerUpTo(max: number): number {
    return Math.floor(this.nextFraction() * (max + 1));
  }

  /** Returns a random entry of the list. */
  pick<T>(list: readonly T[]): T {
    return list[this.nextIntegerUpTo(list.length - 1)] as T;
  }
}
