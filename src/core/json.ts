import { eventLoop } from './runtime/event-loop.ts';

/** An object with fields: a nested object or a map. */
export type Fields = Readonly<Record<string, unknown>>;

/** Deep equality of JSON values; the order of keys is irrelevant. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((entry, index) => isSameJson(entry, right[index]))
    );
  if (Array.isArray(right)) return false;
  const [leftFields, rightFields] = [left as Fields, right as Fields];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameJson(leftFields[key], rightFields[key]))
  );
}

/** Freezes a value deeply, so that it can be returned without a copy. Skips frozen values, which patched records share. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const nestedValue of Object.values(value)) deepFreeze(nestedValue);
  return value;
}

/**
 * Copies a JSON value deeply and freezes the copy. Frozen parts are not copied, and parts that occur twice stay one. V8 of Node.js
 * 20 gives each frozen object that was spread, or lost a field, a hidden class of its own, 3 kB for an event; copies share theirs.
 */
export function frozenCopy<T>(value: T, copies = new Map<object, object>()): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const knownCopy = copies.get(value);
  if (knownCopy) return knownCopy as T;
  const copy = Array.isArray(value)
    ? value.map((entry: unknown) => frozenCopy(entry, copies))
    : mapValues(value as Fields, (field) => frozenCopy(field, copies));
  copies.set(value, Object.freeze(copy));
  return copy as T;
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
  map: (value: T, name: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));

/** Whether a value is an object with fields, not null and not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Merges a change into a value (JSON Merge Patch, RFC 7396): an absent field stays, null clears, a scalar or a list replaces,
 * an object or a map merges field by field. Cleared fields and objects without fields are absent in the result.
 * Unchanged parts, or the whole value, are returned by the same reference.
 */
export function patch<T>(before: T, change: unknown): T | undefined;
export function patch(before: unknown, change: unknown): unknown {
  if (change === undefined) return before;
  if (change === null) return undefined;
  if (isFields(change)) return mergeFields(before, change);
  const value = withoutNulls(change);
  return isSameJson(before, value) ? before : value;
}

function mergeFields(before: unknown, change: Fields): unknown {
  const baseFields = isFields(before) ? before : undefined;
  let result: Record<string, unknown> | undefined;
  for (const key of Object.keys(change)) {
    const oldValue = baseFields && Object.hasOwn(baseFields, key) ? baseFields[key] : undefined;
    const mergedValue = patch(oldValue, change[key]);
    if (mergedValue === oldValue) continue;
    result ??= { ...baseFields };
    if (mergedValue === undefined) delete result[key];
    else setField(result, key, mergedValue);
  }
  if (!result) return baseFields;
  return Object.keys(result).length === 0 ? undefined : result;
}

export function filterFields<T>(
  fields: Readonly<Record<string, T>>,
  isKept: (value: T, name: string) => boolean,
): Record<string, T>;
export function filterFields(fields: object, isKept: (value: unknown, name: string) => boolean): Fields;
export function filterFields(fields: object, isKept: (value: unknown, name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => isKept(value, name)));
}

export const definedFields = <T extends object>(fields: T): T =>
  filterFields(fields, (value) => value !== undefined) as T;

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
    const field = withoutNulls(value[key]);
    const prunedValue = isFields(field) && Object.keys(field).length === 0 ? undefined : field;
    if (!result && prunedValue !== undefined && Object.is(prunedValue, value[key])) continue;
    if (!result) {
      result = {};
      for (const earlierKey of keys.slice(0, index)) setField(result, earlierKey, value[earlierKey]);
    }
    if (prunedValue !== undefined) setField(result, key, prunedValue);
  }
  return result ?? value;
}

function withoutNullsInList(list: readonly unknown[]): readonly unknown[] {
  let result: unknown[] | undefined;
  for (const [index, entry] of list.entries()) {
    const prunedValue = withoutNulls(entry) ?? {};
    if (!Object.is(prunedValue, entry)) (result ??= list.slice())[index] = prunedValue;
  }
  return result ?? list;
}

/** Assigns a field, even one called `__proto__`, without changing the prototype. */
function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Merges two lists: some entries of `stored` stay at their positions, `others` fill the gaps in order and
 * continue at the end.
 */
export function mergeKeepingPositions<T, K extends T>(
  stored: readonly K[],
  hasFixedPosition: (entry: K) => boolean,
  others: readonly T[],
): T[] {
  const remainingOthers = [...others];
  const list = stored.flatMap((entry): T[] =>
    hasFixedPosition(entry) ? [entry] : remainingOthers.splice(0, 1),
  );
  return [...list, ...remainingOthers];
}

/** Writes JSON with the keys of every object sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (isFields(member) ? sortFields(member) : member));
}

export const sortFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).sort(([name], [otherName]) => (name < otherName ? -1 : 1)));

/** Memory in bytes of a string without its characters, of any other scalar, and of an object or list without its entries. */
const stringBytes = 16;
const scalarBytes = 8;
const objectBytes = 32;

/** Estimates the memory of a JSON value in bytes, on the high side: two bytes per UTF-16 unit. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return stringBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return scalarBytes;
  let bytes = objectBytes;
  for (const key of Object.keys(value))
    bytes += estimateBytes(key) + estimateBytes((value as Record<string, unknown>)[key]);
  return bytes;
}

export const mebibyte = 1024 * 1024;

/** Limit of a response in characters. 2,500 events with all fields and 20 guests have about 12 million. */
export const maxResponseCharacters = 16_000_000;
/** Characters written between two yields to other requests. */
const charactersPerTurn = 500_000;

/** A response exceeds `maxResponseCharacters`. */
export class TooLongError extends Error {}

/** Counts the characters of one response against `maxResponseCharacters`. */
export class LengthBudget {
  #remainingCharacters = maxResponseCharacters;
  #charactersUntilYield = charactersPerTurn;

  /** Spends written characters. Returns true when the caller must yield to other requests; throws TooLongError. */
  spend(length: number): boolean {
    this.#remainingCharacters -= length;
    this.#charactersUntilYield -= length;
    if (this.#remainingCharacters < 0) throw new TooLongError();
    if (this.#charactersUntilYield > 0) return false;
    this.#charactersUntilYield = charactersPerTurn;
    return true;
  }
}

/** Writes the values of one response as JSON. Large values are written piece by piece, with a yield between them. */
export class JsonWriter {
  readonly #budget = new LengthBudget();

  async write(value: unknown): Promise<string> {
    if (!isLarge(value)) {
      const json = JSON.stringify(value);
      if (this.#budget.spend(json.length)) await eventLoop.yield();
      return json;
    }
    const members: string[] = [];
    if (Array.isArray(value)) {
      for (const entry of value) members.push(await this.write(entry));
      return `[${members.join(',')}]`;
    }
    for (const [key, field] of Object.entries(value))
      if (field !== undefined) members.push(`${JSON.stringify(key)}:${await this.write(field)}`);
    return `{${members.join(',')}}`;
  }
}

/** Values with more nested values than this are large. */
const maxSmallValues = 1_000;
/** List entries count as this many values: their `toJSON` may add fields. */
const valuesPerEntry = 20;

/** Whether a value takes so long to write that other requests must run in between. */
const isLarge = (value: unknown): value is object => subtractValues(value, maxSmallValues) < 0;

/** Subtracts the number of nested values from `remaining`, and stops below 0. */
function subtractValues(value: unknown, remaining: number): number {
  if (typeof value !== 'object' || value === null) return remaining - 1;
  let valuesLeft = remaining - (Array.isArray(value) ? value.length * valuesPerEntry : 1);
  if (valuesLeft < 0) return valuesLeft;
  for (const nestedValue of Object.values(value)) {
    valuesLeft = subtractValues(nestedValue, valuesLeft);
    if (valuesLeft < 0) break;
  }
  return valuesLeft;
}
