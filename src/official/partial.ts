import { remembered } from '../core/kernel/remembered.ts';

/** What `fields` asks for of an object: the whole, or some fields, in which `*` stands for every name. */
export interface FieldSelection {
  readonly whole: boolean;
  readonly fields: ReadonlyMap<string, FieldSelection>;
}

interface Growing extends FieldSelection {
  whole: boolean;
  readonly fields: Map<string, Growing>;
}

/** Of the text, in characters, and of the nesting. */
const limits = { length: 8192, depth: 20 } as const;

/** So many texts of up to this length are remembered: clients send the same ones again and again. */
const usual = { texts: 100, length: 500 } as const;

/** Reads `a,b/c,d(e,f/g),*`. Undefined for text with broken syntax or beyond the limits. */
export const parseFields = (text: string): FieldSelection | undefined => (text.length > usual.length ? parse(text) : parseUsual(text));

function parse(text: string): FieldSelection | undefined {
  if (text.length > limits.length) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = empty();
  const end = readList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

const parseUsual = remembered(usual.texts, (text: string) => text, parse);

const empty = (): Growing => ({ whole: false, fields: new Map() });

/** Reads a list of paths into a selection. The index of the first token behind it; undefined for broken syntax. */
function readList(tokens: readonly string[], start: number, into: Growing, depth: number): number | undefined {
  let at: number | undefined = start - 1;
  do at = readPath(tokens, at + 1, into, depth);
  while (at !== undefined && tokens[at] === ',');
  return at;
}

function readPath(tokens: readonly string[], start: number, into: Growing, depth: number): number | undefined {
  const name = tokens[start]?.trim() ?? '';
  if (depth === limits.depth || /^$|^[,/()]$|^.+\*|\*.+$/s.test(name)) return undefined;
  const field = into.fields.get(name) ?? empty();
  into.fields.set(name, field);
  const next = tokens[start + 1];
  if (next === '/') return readPath(tokens, start + 2, field, depth + 1);
  if (next !== '(') {
    field.whole = true;
    return start + 1;
  }
  const end = readList(tokens, start + 2, field, depth + 1);
  if (end === undefined || tokens[end] !== ')') return undefined;
  // White space may follow a parenthesis.
  return tokens[end + 1]?.trim() === '' ? end + 2 : end + 1;
}

/** What of a field is selected by any of the selections, none of which is for the whole: all of it, parts of it, or nothing. */
export function partOf(selections: readonly FieldSelection[], name: string): true | readonly FieldSelection[] | undefined {
  const inside = selections.flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')]).filter((field) => field !== undefined);
  if (inside.length === 0) return undefined;
  return inside.some(({ whole }) => whole) || inside;
}

/** The part of a JSON value that is selected. Lists are entered; what does not exist selects nothing. */
export const select = (selection: FieldSelection, json: unknown): unknown => selectAny([selection], json);

/** The part that any of the selections, none of which is for the whole, selects. */
export function selectAny(selections: readonly FieldSelection[], json: unknown): unknown {
  if (Array.isArray(json)) return json.map((entry) => selectAny(selections, entry)).filter((entry) => entry !== undefined);
  if (typeof json !== 'object' || json === null) return undefined;
  const selected = Object.entries(json).map(([name, value]: [string, unknown]) => {
    const part = partOf(selections, name);
    return [name, part === true ? value : part && selectAny(part, value)] as const;
  });
  return Object.fromEntries(selected.filter(([, value]) => value !== undefined));
}
