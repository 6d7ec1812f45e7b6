/** An object with fields: a nested object or a map. */
export type Fields = Readonly<Record<string, unknown>>;

/** Deep equality of JSON values; the order of keys is irrelevant. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((entry, index) => sameJson(entry, b[index]));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]));
}

/** Freezes a value deeply, so that it can be returned without a copy. Skips frozen parts, which patched records share. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

/** Groups entries by key. Groups and entries keep their order. */
export function groupByKey<T>(entries: Iterable<T>, keyOf: (entry: T) => string): Map<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

export const mapValues = <T, Result>(
  record: Readonly<Record<string, T>>,
  map: (value: T) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Merges a change into a value (JSON Merge Patch, RFC 7396): an absent field stays, null clears, a scalar or a list replaces,
 * an object or a map merges field by field. Cleared fields and objects without fields are absent in the result.
 * Unchanged parts, or the whole value, are returned by the same reference.
 */
export function patch<T>(before: T, change: unknown): T | undefined {
  return merge(before, change) as T | undefined;
}

function merge(before: unknown, change: unknown): unknown {
  if (change === undefined) return before;
  if (change === null) return undefined;
  if (isFields(change)) return mergeFields(before, change);
  const value = withoutNulls(change);
  return sameJson(before, value) ? before : value;
}

function mergeFields(before: unknown, change: Fields): unknown {
  const base = isFields(before) ? before : undefined;
  let result: Record<string, unknown> | undefined;
  for (const key of Object.keys(change)) {
    const old = base && Object.hasOwn(base, key) ? base[key] : undefined;
    const merged = merge(old, change[key]);
    if (merged === old) continue;
    result ??= { ...base };
    if (merged === undefined) delete result[key];
    else setField(result, key, merged);
  }
  if (!result) return base;
  return Object.keys(result).length === 0 ? undefined : result;
}

/**
 * Removes null, undefined and empty objects from a value. List entries stay: an empty one becomes `{}`. Negative zero
 * becomes 0, as in JSON. Unchanged parts are returned by the same reference.
 */
export function withoutNulls(value: Fields): Fields;
export function withoutNulls(value: unknown): unknown;
export function withoutNulls(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return withoutNullsInList(value);
  if (!isFields(value)) return value === 0 ? 0 : value;
  // Literals of GraphQL documents have no prototype; stored objects need one.
  let result: Record<string, unknown> | undefined =
    Object.getPrototypeOf(value) === Object.prototype ? undefined : {};
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    const inner = withoutNulls(value[key]);
    const pruned = isFields(inner) && Object.keys(inner).length === 0 ? undefined : inner;
    if (!result && pruned !== undefined && Object.is(pruned, value[key])) continue;
    if (!result) {
      result = {};
      for (const earlier of keys.slice(0, index)) setField(result, earlier, value[earlier]);
    }
    if (pruned !== undefined) setField(result, key, pruned);
  }
  return result ?? value;
}

function withoutNullsInList(list: readonly unknown[]): readonly unknown[] {
  let result: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    const pruned = withoutNulls(entry) ?? {};
    if (!Object.is(pruned, entry)) (result ??= list.slice())[index] = pruned;
  }
  return result ?? list;
}

/** Assigns a field, even one called `__proto__`, without changing the prototype. */
function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Merges two lists: kept entries stay at their positions, `others` fill the gaps in order and continue at the end. */
export function mergeKeepingPositions<T, K extends T>(
  stored: readonly K[],
  isKept: (entry: K) => boolean,
  others: readonly T[],
): T[] {
  const rest = [...others];
  const list = stored.flatMap((entry): T[] => (isKept(entry) ? [entry] : rest.splice(0, 1)));
  return [...list, ...rest];
}
