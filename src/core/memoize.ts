/** Memoizes a function of an object. A result lives as long as its object. */
export function memoizeByObject<Key extends object, Result extends object | string>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, Result>();
  return (key) => {
    let result = results.get(key);
    if (result === undefined) results.set(key, (result = compute(key)));
    return result;
  };
}

/** Memoizes a function by key. When the cache is full, it is cleared. Errors are not cached. */
export function memoize<Args extends readonly unknown[], Result>(
  maxEntries: number,
  keyOf: (...args: Args) => string,
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  const entryByKey = new Map<string, { readonly value: Result }>();
  return (...args) => {
    const key = keyOf(...args);
    let entry = entryByKey.get(key);
    if (!entry) {
      entry = { value: compute(...args) };
      if (entryByKey.size >= maxEntries) entryByKey.clear();
      entryByKey.set(key, entry);
    }
    return entry.value;
  };
}
