import { type Fields, isFields } from './patch.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** Writes JSON with the keys of every object sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, value: unknown) => (isFields(value) ? sortFields(value) : value));
}

const sortFields = (fields: Fields): Fields =>
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
const stepLength = 500_000;

export class TooLongError extends Error {}

/** Counts the characters of one response against `maxResponseCharacters`. */
export class LengthBudget {
  #remaining = maxResponseCharacters;
  #untilYield = stepLength;

  /** Spends written characters. Returns true when the caller must yield to other requests; throws TooLongError. */
  spend(length: number): boolean {
    this.#remaining -= length;
    this.#untilYield -= length;
    if (this.#remaining < 0) throw new TooLongError();
    if (this.#untilYield > 0) return false;
    this.#untilYield = stepLength;
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

const isLarge = (value: unknown): value is object => subtractValues(value, maxSmallValues) < 0;

/** Subtracts the number of nested values from `remaining`, and stops below 0. */
function subtractValues(value: unknown, remaining: number): number {
  if (typeof value !== 'object' || value === null) return remaining - 1;
  let left = remaining - (Array.isArray(value) ? value.length * valuesPerEntry : 1);
  if (left < 0) return left;
  for (const nestedValue of Object.values(value)) {
    left = subtractValues(nestedValue, left);
    if (left < 0) break;
  }
  return left;
}
