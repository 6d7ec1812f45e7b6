/** Memoizes a function by key. When the cache is full, it is cleared. Errors are not cached. */
export function memoize<Args extends readonly unknown[], Result>(
  maxEntries: number,
  keyOf: (...args: Args) => string,
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  const results = new Map<string, { readonly value: Result }>();
  return (...args) => {
    const key = keyOf(...args);
    let result = results.get(key);
    if (!result) {
      result = { value: make(...args) };
      if (results.size >= maxEntries) results.clear();
      results.set(key, result);
    }
    return result.value;
  };
}
