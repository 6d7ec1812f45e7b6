import { isFields } from './patch.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** Writes JSON with the keys of every object sorted. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Estimates the memory of a JSON value in bytes, on the high side: two bytes per UTF-16 unit. */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
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

/** Counts the characters of one response against `maxLength`. */
export class LengthBudget {
  #left = maxResponseCharacters;
  #step = stepLength;

  /** Spends written characters. Returns true when the caller must yield to other requests; throws TooLongError. */
  take(length: number): boolean {
    this.#left -= length;
    this.#step -= length;
    if (this.#left < 0) throw new TooLongError();
    if (this.#step > 0) return false;
    this.#step = stepLength;
    return true;
  }
}

/** Writes the values of one response as JSON. Large values are written in parts, with a yield between them. */
export class JsonWriter {
  readonly #budget = new LengthBudget();

  async write(value: unknown): Promise<string> {
    if (!isLarge(value)) {
      const text = JSON.stringify(value);
      if (this.#budget.take(text.length)) await eventLoop.yield();
      return text;
    }
    const parts: string[] = [];
    if (Array.isArray(value)) {
      for (const entry of value) parts.push(await this.write(entry));
      return `[${parts.join(',')}]`;
    }
    for (const [key, field] of Object.entries(value))
      if (field !== undefined) parts.push(`${JSON.stringify(key)}:${await this.write(field)}`);
    return `{${parts.join(',')}}`;
  }
}

/** Values with more nested values than this are written in parts. */
const maxSmallValues = 1_000;
/** List entries count as this many values: their `toJSON` may add fields. */
const valuesPerEntry = 20;

const isLarge = (value: unknown): value is object => countUpTo(value, maxSmallValues) < 0;

/** Subtracts the number of nested values from `left`, and stops below 0. */
function countUpTo(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - (Array.isArray(value) ? value.length * valuesPerEntry : 1);
  if (rest < 0) return rest;
  for (const part of Object.values(value)) {
    rest = countUpTo(part, rest);
    if (rest < 0) break;
  }
  return rest;
}
