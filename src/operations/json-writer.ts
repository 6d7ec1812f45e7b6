import { isFields } from '../core/kernel/patch.ts';
import { eventLoop } from '../core/runtime/event-loop.ts';

/** The longest answer in characters. 2,500 events with all fields and 20 guests have about 12 million. */
export const maxLength = 16_000_000;
/** After so many characters the writer yields to other requests. */
export const stepLength = 500_000;
/** Longer lists are written in chunks of so many entries. */
const chunkEntries = 50;

/** The answer is longer than `maxLength`. */
export class TooLongError extends Error {}

/** Writes the values of one answer as JSON, long lists in chunks, yielding to other requests between them. */
export class JsonWriter {
  #left = maxLength;
  #step = stepLength;

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
    this.#left -= text.length;
    this.#step -= text.length;
    if (this.#left < 0) throw new TooLongError();
    if (this.#step >= 0) return text;
    this.#step = stepLength;
    return eventLoop.yield().then(() => text);
  }
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > chunkEntries;
