import { isFields } from './patch.ts';
import { eventLoop } from './runtime/event-loop.ts';

/** JSON with the keys of every object in order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** Estimates the memory of a JSON value in bytes, rather too high: strings count two bytes for each UTF-16 unit. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return 16 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 32;
  for (const key of Object.keys(value))
    bytes += bytesOf(key) + bytesOf((value as Record<string, unknown>)[key]);
  return bytes;
}

export const mebibyte = 1024 * 1024;

/** The longest answer in characters. 2,500 events with all fields and 20 guests have about 12 million. */
export const maxLength = 16_000_000;
/** After so many characters the writer yields to other requests. */
const stepLength = 500_000;

/** The answer is longer than `maxLength`. */
export class TooLongError extends Error {}

/** The characters that are left for one answer. */
export class LengthBudget {
  #left = maxLength;
  #step = stepLength;

  /** Spends characters that were written. True when it is time to yield to other requests; throws TooLongError. */
  take(length: number): boolean {
    this.#left -= length;
    this.#step -= length;
    if (this.#left < 0) throw new TooLongError();
    if (this.#step > 0) return false;
    this.#step = stepLength;
    return true;
  }
}

/** Writes the values of one answer as JSON, large ones part by part, yielding to other requests between them. */
export class JsonWriter {
  readonly #budget = new LengthBudget();

  /** Throws TooLongError when this value makes the answer too long. */
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

/** A value that holds more values than this is written in parts; an entry of a list counts as many, as it may make its JSON itself. */
const smallValues = 1_000;
const valuesPerEntry = 20;

const isLarge = (value: unknown): value is object => countUpTo(value, smallValues) < 0;

/** Counts the values in a value down from `left`; below 0 there are more. */
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
