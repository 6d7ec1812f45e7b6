import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { isPromise, unexpected, type Write } from './leaves.ts';
import { maxLength, stepLength } from '../../../operations/json-writer.ts';

/** The characters that are left for one answer. */
export class LengthBudget {
  #left = maxLength;
  #step = stepLength;

  /** Spends characters that were written. True when it is time to yield; throws when the answer is too long. */
  take(length: number): boolean {
    this.#left -= length;
    this.#step -= length;
    if (this.#left < 0) return unexpected();
    if (this.#step > 0) return false;
    this.#step = stepLength;
    return true;
  }
}

/** After so many entries their length is spent. */
const chunkEntries = 50;

/**
 * Writes a list, and waits for entries that are not ready. Parts are joined before each wait: a string built by
 * concatenation is a tree of its parts, which takes much memory.
 */
export async function writeChunked(list: unknown, write: Write, budget: LengthBudget): Promise<string> {
  if (!Array.isArray(list)) return unexpected();
  const done: string[] = [];
  let parts: string[] = [];
  const join = (): boolean => {
    const text = parts.join(',');
    parts = [];
    if (text !== '') done.push(text);
    return budget.take(text.length);
  };
  for (let index = 0; index < list.length; index += 1) {
    let entry: unknown = list[index];
    if (isPromise(entry)) {
      if (join()) await eventLoop.yield();
      entry = await entry;
    } else if (parts.length === chunkEntries && join()) await eventLoop.yield();
    parts.push(write(entry));
  }
  join();
  return `[${done.join(',')}]`;
}
