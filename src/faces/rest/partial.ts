import { eventLoop } from '../../core/runtime/event-loop.ts';

type Json = Readonly<Record<string, unknown>>;

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

/** Reads `a,b/c,d(e,f/g),*`. Undefined for text with broken syntax or beyond the limits. */
export function parseFields(text: string): FieldSelection | undefined {
  if (text.length > limits.length) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = empty();
  const end = readList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

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

/** What selections, none of which is for the whole, have of a value; worked out once for each name. */
interface Merged {
  readonly whole: boolean;
  /** Of a field; undefined where it is not selected. */
  readonly at: (name: string) => Merged | undefined;
}

function merged(selections: readonly FieldSelection[]): Merged {
  const known = new Map<string, Merged | undefined>();
  const found = (name: string): Merged | undefined => {
    const inside = selections.flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')]).filter((field) => field !== undefined);
    return inside.length === 0 ? undefined : merged(inside);
  };
  return {
    whole: selections.some(({ whole }) => whole),
    at(name) {
      if (!known.has(name)) known.set(name, found(name));
      return known.get(name);
    },
  };
}

/** The part of an answer that is selected. Lists are entered; what does not exist selects nothing. Other requests have their turn between the entries. */
export async function select(selection: FieldSelection, json: Json): Promise<Json> {
  const { at } = merged([selection]);
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const inside = at(name);
    if (inside) selected.push([name, Array.isArray(value) && !inside.whole ? await entriesOf(inside, value) : partOf(inside, value)]);
  }
  return Object.fromEntries(selected.filter(([, value]) => value !== undefined));
}

async function entriesOf(selection: Merged, list: readonly unknown[]): Promise<unknown[]> {
  const entries: unknown[] = [];
  for (const entry of list) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    entries.push(partOf(selection, entry));
  }
  return entries.filter((entry) => entry !== undefined);
}

function partOf(selection: Merged, json: unknown): unknown {
  if (selection.whole) return json;
  if (Array.isArray(json)) return json.map((entry) => partOf(selection, entry)).filter((entry) => entry !== undefined);
  if (typeof json !== 'object' || json === null) return undefined;
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const inside = selection.at(name);
    const part: unknown = inside && partOf(inside, value);
    if (part !== undefined) selected.push([name, part]);
  }
  return Object.fromEntries(selected);
}
