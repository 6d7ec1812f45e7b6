import { eventLoop } from '../../../core/runtime/event-loop.ts';
import { isPromise, unexpected, type Write } from './leaves.ts';
import type { LengthBudget } from '../../../operations/json-writer.ts';

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
