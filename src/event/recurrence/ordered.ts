/** Numbers in ascending order, none twice; a list is one, and so is what is worked out by index. */
export interface Ordered {
  readonly length: number;
  at(index: number): number | undefined;
}

/** The index of the first number that is not below `value`. */
export function lowerBound(ordered: Ordered, value: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered.at(middle) as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each of some numbers with each of others added, which are all smaller than what lies between two of the former. */
export function sums(greater: Ordered, smaller: Ordered): Ordered {
  const size = smaller.length;
  return {
    length: greater.length * size,
    at: (index) => (greater.at(Math.floor(index / size)) as number) + (smaller.at(index % size) as number),
  };
}
