import { type Fields, isFields } from './json-values.ts';
import { eventLoop } from './runtime/event-loop.ts';

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
