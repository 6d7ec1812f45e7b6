import type { Fields } from '../core/patch.ts';
import type { FieldSelection } from '../core/fields/table.ts';
import { remembered } from '../core/remembered.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';

interface Growing extends FieldSelection {
  whole: boolean;
  readonly fields: Map<string, Growing>;
}

/** Of the text, in characters, and of the nesting. */
const limits = { length: 8192, depth: 20 } as const;

/** So many texts of up to this length are remembered: clients send the same ones again and again. */
const usual = { texts: 100, length: 500 } as const;

/** Reads `a,b/c,d(e,f/g),*`. Undefined for text with broken syntax or beyond the limits. */
export const parseFields = (text: string): FieldSelection | undefined =>
  text.length > usual.length ? parse(text) : parseUsual(text);

function parse(text: string): FieldSelection | undefined {
  if (text.length > limits.length) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = empty();
  const end = readList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

const parseUsual = remembered(usual.texts, (text: string) => text, parse);

const empty = (): Growing => ({ whole: false, fields: new Map() });

/** Reads into a selection. The index of the first token behind what was read; undefined for broken syntax. */
type ReadTokens = (
  tokens: readonly string[],
  start: number,
  into: Growing,
  depth: number,
) => number | undefined;

const readList: ReadTokens = (tokens, start, into, depth) => {
  let at: number | undefined = start - 1;
  do at = readPath(tokens, at + 1, into, depth);
  while (at !== undefined && tokens[at] === ',');
  return at;
};

const readPath: ReadTokens = (tokens, start, into, depth) => {
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
};

/** What of a value is asked for. What stars and names ask for together is worked out once for each name. */
export interface Part {
  readonly whole: boolean;
  /** The names that are asked for; undefined where any is. */
  readonly names: readonly string[] | undefined;
  /** Of a field; undefined where it is not asked for. */
  readonly at: (name: string) => Part | undefined;
}

const parts = new WeakMap<FieldSelection, Part>();

/** What a selection asks for. */
export function partOf(selection: FieldSelection): Part {
  let part = parts.get(selection);
  if (!part) parts.set(selection, (part = merged([selection])));
  return part;
}

function merged(selections: readonly FieldSelection[]): Part {
  const known = new Map<string, Part | undefined>();
  const found = (name: string): Part | undefined => {
    const inside = selections
      .flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')])
      .filter((field) => field !== undefined);
    return inside.length === 0 ? undefined : merged(inside);
  };
  return {
    whole: selections.some(({ whole }) => whole),
    names: selections.some(({ fields }) => fields.has('*'))
      ? undefined
      : [...new Set(selections.flatMap(({ fields }) => [...fields.keys()]))],
    at(name) {
      if (!known.has(name)) known.set(name, found(name));
      return known.get(name);
    },
  };
}

/** The part of an answer that is selected. Lists are entered; what does not exist selects nothing. Other requests have their turn between the entries. */
export async function select(selection: FieldSelection, json: Fields): Promise<Fields> {
  const { at } = partOf(selection);
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const inside = at(name);
    if (inside)
      selected.push([
        name,
        Array.isArray(value) && !inside.whole ? await entriesOf(inside, value) : selectPart(inside, value),
      ]);
  }
  return Object.fromEntries(selected.filter(([, value]) => value !== undefined));
}

async function entriesOf(part: Part, list: readonly unknown[]): Promise<unknown[]> {
  const entries = await mapInTurns(list, (entry) => selectPart(part, entry));
  return entries.filter((entry) => entry !== undefined);
}

/** The same of any value, at once. */
export function selectPart(part: Part, json: unknown): unknown {
  if (part.whole) return json;
  if (Array.isArray(json))
    return json.map((entry) => selectPart(part, entry)).filter((entry) => entry !== undefined);
  if (typeof json !== 'object' || json === null) return undefined;
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const inside = part.at(name);
    const found: unknown = inside && selectPart(inside, value);
    if (found !== undefined) selected.push([name, found]);
  }
  return Object.fromEntries(selected);
}
