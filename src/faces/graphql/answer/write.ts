import { isFields } from '../../../core/kernel/patch.ts';
import { eventLoop } from '../../../core/runtime/event-loop.ts';

/** In characters. Above what any page needs: 2,500 events with all fields and twenty guests have some 12 million. */
export const maxLength = 16_000_000;
/** After so many characters others get their turn. */
export const stepLength = 500_000;
/** Lists above this length are written in pieces of it. */
const pieceEntries = 50;

/** An answer gets longer than one may be. */
export class TooLongError extends Error {}

/** Writes the values of one answer as JSON, long lists in pieces, so that a long answer does not hold up the others. */
export class JsonWriter {
  #left = maxLength;
  #step = stepLength;

  /** Throws TooLongError when the values written so far and this one are too long together. */
  async write(value: unknown): Promise<string> {
    if (isLong(value)) return this.#writeList(value);
    if (!isFields(value) || !Object.values(value).some(isLong)) return this.#take(JSON.stringify(value));
    const parts: string[] = [];
    for (const [key, field] of Object.entries(value)) {
      parts.push(`${JSON.stringify(key)}:${isLong(field) ? await this.#writeList(field) : await this.#take(JSON.stringify(field))}`);
    }
    return `{${parts.join(',')}}`;
  }

  async #writeList(list: readonly unknown[]): Promise<string> {
    const parts: string[] = [];
    for (let start = 0; start < list.length; start += pieceEntries) {
      parts.push(await this.#take(JSON.stringify(list.slice(start, start + pieceEntries)).slice(1, -1)));
    }
    return `[${parts.join(',')}]`;
  }

  async #take(text: string): Promise<string> {
    this.#left -= text.length;
    this.#step -= text.length;
    if (this.#left < 0) throw new TooLongError();
    if (this.#step < 0) {
      this.#step = stepLength;
      await eventLoop.yield();
    }
    return text;
  }
}

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > pieceEntries;
