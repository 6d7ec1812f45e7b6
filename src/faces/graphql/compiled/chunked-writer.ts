import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { isPromise, unexpected, type Write } from './leaves.ts';
import { maxLength, stepLength } from '../answer/write.ts';

/** What is left for one answer, in characters. */
export class Budget {
  #left = maxLength;
  #step = stepLength;

  /** Takes what was written; true when it is time to let others work. Throws when the answer gets too long. */
  take(length: number): boolean {
    this.#left -= length;
    this.#step -= length;
    if (this.#left < 0) return unexpected();
    if (this.#step > 0) return false;
    this.#step = stepLength;
    return true;
  }
}

/** So many entries are written between two looks at what they come to. */
const turnEntries = 50;

/**
 * Writes a list, waiting for entries that are not ready. What was written is joined before each wait: a string that
 * is built by concatenation is a tree of its parts, and dear to keep.
 */
export async function writeInTurns(list: unknown, write: Write, budget: Budget): Promise<string> {
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
    } else if (parts.length === turnEntries && join()) await eventLoop.yield();
    parts.push(write(entry));
  }
  join();
  return `[${done.join(',')}]`;
}
