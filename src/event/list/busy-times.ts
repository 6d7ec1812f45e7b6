/** Epoch milliseconds; `to` is not included. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const fewest = 4096;

/** Times that are collected in any order and merged; so that they stay few, also while they are collected. */
export class BusyTimes {
  readonly #range: Period;
  #periods: Period[] = [];
  /** How many may be collected until they are merged. */
  #most = fewest;

  /** What lies outside of `range` is cut off. */
  constructor(range: Period) {
    this.#range = range;
  }

  add(from: number, to: number): void {
    const period = { from: Math.max(from, this.#range.from), to: Math.min(to, this.#range.to) };
    if (period.from >= period.to) return;
    this.#periods.push(period);
    if (this.#periods.length < this.#most) return;
    this.#periods = merged(this.#periods);
    this.#most = Math.max(fewest, 2 * this.#periods.length);
  }

  /** In order, none touching another. */
  merged(): readonly Period[] {
    return merged(this.#periods);
  }
}

function merged(periods: readonly Period[]): Period[] {
  const found: Period[] = [];
  for (const period of periods.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (!last || last.to < period.from) found.push(period);
    else if (last.to < period.to) found[found.length - 1] = { from: last.from, to: period.to };
  }
  return found;
}
