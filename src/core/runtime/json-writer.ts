import { isFields } from '../kernel/patch.ts';
import { eventLoop } from './event-loop.ts';

/** The longest answer in characters. 2,500 events with all fields and 20 guests have about 12 million. */
export const maxLength = 16_000_000;
/** After so many characters the writer yields to other requests. */
const stepLength = 500_000;
/** Longer lists are written in chunks of so many entries. */
const chunkEntries = 50;

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

/** Writes the values of one answer as JSON, long lists in chunks, yielding to other requests between them. */
export class JsonWriter {
  readonly #budget = new LengthBudget();

  /** Throws TooLongError when this value makes the answer too long. */
  async write(value: unknown): Promise<string> {
    if (isLong(value)) return this.#writeList(value);
    if (!isFields(value) || !Object.values(value).some(isLong)) return this.#take(JSON.stringify(value));
    const parts: string[] = [];
    for (const [key, field] of Object.entries(value)) {
      parts.push(
        `${JSON.stringify(key)}:${isLong(field) ? await this.#writeList(field) : await this.#take(JSON.stringify(field))}`,
      );
    }
    return `{${parts.join(',')}}`;
  }

  async #writeList(list: readonly unknown[]): Promise<string> {
    const parts: string[] = [];
    for (let start = 0; start < list.length; start += chunkEntries) {
      parts.push(await this.#take(JSON.stringify(list.slice(start, start + chunkEntries)).slice(1, -1)));
    }
    return `[${parts.join(',')}]`;
  }

  #take(text: string): string | Promise<string> {
    return this.#budget.take(text.length) ? eventLoop.yield().then(() => text) : text;
  }
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > chunkEntries;
