import type { AppError } from '../core/kernel/errors.ts';
import { HttpError } from './face.ts';

/** How deep a body may be nested: deeper than any input, and far from what recursive code can bear. */
const maxDepth = 40;

/** How many values a body may hold, and how many keys each of its objects: more than any resource takes. */
const maxValues = 25_000;
const maxKeys = 5_000;

const [quote, backslash, comma, colon] = [...Buffer.from('"\\,:')];
const blanks = [...Buffer.from(' \t\r\n')];
const [openBrace, closeBrace, openBracket, closeBracket] = [...Buffer.from('{}[]')];

/** Refuses, by its bytes alone, a body that would be expensive to parse and to walk. */
export function checkSize(body: Buffer): void {
  let values = 1;
  /** How many keys the objects have that are open, the innermost last; lists stand there too. */
  const keys: number[] = [];
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === quote) index = endOfString(body, index);
    else if (byte === openBrace || byte === openBracket) {
      if (keys.push(0) > maxDepth)
        throw new HttpError(400, 'invalid', `The body may be nested ${maxDepth} levels deep at most.`);
    } else if (byte === closeBrace || byte === closeBracket) keys.pop();
    else if (byte === comma) {
      if ((values += 1) > maxValues) throw tooMany(`The body may hold ${maxValues} values at most.`);
    } else if (byte === colon) {
      const count = (keys.pop() ?? 0) + 1;
      if (count > maxKeys) throw tooMany(`An object may have ${maxKeys} keys at most.`);
      keys.push(count);
    }
  }
}

const tooMany = (message: string): AppError => new HttpError(400, 'tooMany', message);

/**
 * Counts the entries of a body that is a list, by its commas and up to `most`: an empty list counts as one entry. Undefined
 * for any other body.
 */
export function entriesOfList(body: Buffer, most: number): number | undefined {
  let index = hasMark(body) ? 3 : 0;
  while (blanks.includes(body[index] as number)) index += 1;
  if (body[index] !== openBracket) return undefined;
  let entries = 1;
  for (let depth = 0; index < body.length && entries < most; index += 1) {
    const byte = body[index];
    if (byte === quote) index = endOfString(body, index);
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === comma && depth === 1) entries += 1;
  }
  return entries;
}

/** Whether a body begins with a byte order mark. */
export const hasMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** Where a string ends that begins here. */
function endOfString(body: Buffer, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== quote) index += body[index] === backslash ? 2 : 1;
  return index;
}
