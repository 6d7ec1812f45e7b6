import { RequestFault } from './params.ts';

/** The deepest nesting of inputs: above any input of the schema, far below the limit of recursion. */
const maxDepth = 40;
/** Characters that count as one value: an answer may repeat them for each message of a publication. */
const charactersPerValue = 4;

/**
 * The size of a JSON value: 1 for each value in it, and 1 for every four characters of strings and keys. Throws for a value
 * that is nested too deep.
 */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return 1 + value.length / charactersPerValue;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === maxDepth) throw new RequestFault(`Input may be nested ${maxDepth} levels deep at most.`);
  let size = 1;
  if (Array.isArray(value)) {
    for (const entry of value) size += sizeOf(entry, depth + 1);
    return size;
  }
  // Not `Object.entries`, which takes three times as long for an object of many keys.
  for (const key of Object.keys(value))
    size += key.length / charactersPerValue + sizeOf((value as Record<string, unknown>)[key], depth + 1);
  return size;
}
