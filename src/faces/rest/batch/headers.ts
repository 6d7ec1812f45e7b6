/** A block of headers or a body that cannot be read; the message says why. */
export class Unreadable extends Error {}

/** Of one head, in characters and in fields. */
const limits = { length: 16_384, fields: 100 } as const;

const blankLine = /\r?\n\r?\n/;
const lineEnd = /\r?\n/;
const field = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/s;
// A tab is allowed inside of values.
const control = /(?!\t)\p{Cc}/u;

/** Splits what came at the first blank line. Without one all of it is head. */
export function splitHead(text: string): { readonly head: string; readonly body: string } {
  const [start] = /^\r?\n/.exec(text) ?? [];
  if (start !== undefined) return { head: '', body: text.slice(start.length) };
  const at = blankLine.exec(text);
  return at
    ? { head: text.slice(0, at.index), body: text.slice(at.index + at[0].length) }
    : { head: text, body: '' };
}

/** The lines of a head, continued ones joined. */
export function linesOf(head: string): readonly string[] {
  if (head.length > limits.length)
    throw new Unreadable(`its headers are longer than ${limits.length} characters`);
  const lines = head
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split(lineEnd)
    .filter((line) => line !== '');
  if (lines.length > limits.fields) throw new Unreadable(`it has more than ${limits.fields} headers`);
  return lines;
}

/** The fields of header lines, their names in lower case; values of a name that comes again are joined by commas. */
export function readHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined || control.test(value))
      throw new Unreadable('one of its headers is malformed');
    const key = name.toLowerCase();
    const before = headers.get(key);
    headers.set(key, before === undefined ? value.trimEnd() : `${before}, ${value.trimEnd()}`);
  }
  return Object.fromEntries(headers);
}
