/** The same function, which remembers up to so many results by a key; beyond that it forgets all and begins anew. What throws is not remembered. */
export function remembered<Args extends readonly unknown[], Result>(
  most: number,
  keyOf: (...args: Args) => string,
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  const results = new Map<string, { readonly value: Result }>();
  return (...args) => {
    const key = keyOf(...args);
    let result = results.get(key);
    if (!result) {
      result = { value: make(...args) };
      if (results.size >= most) results.clear();
      results.set(key, result);
    }
    return result.value;
  };
}
