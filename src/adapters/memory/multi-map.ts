/**
 * Sets of values by key, each in the order of addition. Most keys have a single value, which is stored
 * without a Set, since a Set takes 200 bytes.
 */
export class MultiMap<Key, Value extends object> {
  readonly #byKey = new Map<Key, Value | Set<Value>>();

  /** Number of keys. */
  get size(): number {
    return this.#byKey.size;
  }

  keys(): Iterable<Key> {
    return this.#byKey.keys();
  }

  /** Values of a key. The result may show values that are added later. */
  valuesOf(key: Key): Iterable<Value> {
    const values = this.#byKey.get(key);
    if (values === undefined) return [];
    return values instanceof Set ? values : [values];
  }

  add(key: Key, value: Value): void {
    const values = this.#byKey.get(key);
    if (values === undefined) this.#byKey.set(key, value);
    else if (values instanceof Set) values.add(value);
    else if (values !== value) this.#byKey.set(key, new Set([values, value]));
  }

  delete(key: Key, value: Value): void {
    const values = this.#byKey.get(key);
    if (values instanceof Set) values.delete(value);
    if (values === value || (values instanceof Set && values.size === 0)) this.#byKey.delete(key);
  }

  deleteKey(key: Key): void {
    this.#byKey.delete(key);
  }
}
