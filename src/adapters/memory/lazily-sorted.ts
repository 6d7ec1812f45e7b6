/** Sorts items as they are read (a binary heap): reading the first few of many costs little more than one pass. */
export function* lazilySorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<T> {
  const heap = [...items];
  const at = (index: number): T => heap[index] as T;
  const sink = (from: number): void => {
    const item = at(from);
    for (let index = from; ;) {
      let child = 2 * index + 1;
      if (child + 1 < heap.length && compare(at(child + 1), at(child)) < 0) child += 1;
      if (child >= heap.length || compare(at(child), item) >= 0) {
        heap[index] = item;
        return;
      }
      heap[index] = at(child);
      index = child;
    }
  };
  for (let index = (heap.length >> 1) - 1; index >= 0; index -= 1) sink(index);
  while (heap.length > 0) {
    yield at(0);
    const last = heap.pop() as T;
    if (heap.length === 0) return;
    heap[0] = last;
    sink(0);
  }
}
