/** Sorts items as they are read (a binary heap): reading the first few of many costs little more than one pass. */
export function* sortLazily<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<T> {
  const heap = [...items];
  const itemAt = (index: number): T => heap[index] as T;
  /** Moves the item at `from` down the heap until no item below it comes first. */
  const siftDown = (from: number): void => {
    const item = itemAt(from);
    for (let index = from; ;) {
      let child = 2 * index + 1;
      if (child + 1 < heap.length && compare(itemAt(child + 1), itemAt(child)) < 0) child += 1;
      if (child >= heap.length || compare(itemAt(child), item) >= 0) {
        heap[index] = item;
        return;
      }
      heap[index] = itemAt(child);
      index = child;
    }
  };
  // Builds the heap from the last inner node upwards.
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) siftDown(index);
  while (heap.length > 0) {
    yield itemAt(0);
    const lastItem = heap.pop() as T;
    if (heap.length === 0) return;
    heap[0] = lastItem;
    siftDown(0);
  }
}
