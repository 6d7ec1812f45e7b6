import { sameJson } from './equal.ts';

/** What a JSON body can hold, once nulls are gone: a stored record has absent fields, never null ones. */
type Fields = Readonly<Record<string, unknown>>;

/** True for an object with fields: a nested object or a map, not a list and not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The one merge behind every change (JSON Merge Patch, RFC 7396, with canonical results):
 * an absent field is kept, null clears, a scalar or a list replaces, an object or a map merges field by field.
 * A cleared field and an object without fields are both absent in the result.
 * What the change leaves as it was comes back as the same reference, the whole record included.
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
 * The value with every null, undefined and empty object inside it left out; list entries stay in place.
 * A negative zero becomes 0, which is what JSON makes of it on the way out. A part without any of these is the same
 * reference.
 */
export function withoutNulls(value: Fields): Fields;
export function withoutNulls(value: unknown): unknown;
export function withoutNulls(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return withoutNullsInList(value);
  if (!isFields(value)) return value === 0 ? 0 : value;
  // Values that were read from a document have no prototype; stored ones are like any other object.
  let result: Record<string, unknown> | undefined = Object.getPrototypeOf(value) === Object.prototype ? undefined : {};
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    const inner = withoutNulls(value[key]);
    const kept = isFields(inner) && Object.keys(inner).length === 0 ? undefined : inner;
    if (!result && kept !== undefined && Object.is(kept, value[key])) continue;
    if (!result) {
      result = {};
      for (const earlier of keys.slice(0, index)) setField(result, earlier, value[earlier]);
    }
    if (kept !== undefined) setField(result, key, kept);
  }
  return result ?? value;
}

function withoutNullsInList(list: readonly unknown[]): readonly unknown[] {
  let result: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    const kept = withoutNulls(entry) ?? {};
    if (!Object.is(kept, entry)) (result ??= list.slice())[index] = kept;
  }
  return result ?? list;
}

/** Plain assignment, except that a key named `__proto__` stays a key. */
function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
