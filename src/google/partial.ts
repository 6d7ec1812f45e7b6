import type { Fields } from '../core/patch.ts';
import type { FieldSelection } from '../core/fields/table.ts';
import { memoize } from '../core/remembered.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';

interface MutableSelection extends FieldSelection {
  isWhole: boolean;
  readonly fields: Map<string, MutableSelection>;
}

const maxLength = 8192;
const maxDepth = 20;

/** Parsed texts are cached, since clients repeat the same ones. */
const cache = { maxTexts: 100, maxLength: 500 } as const;

/** Parses the `fields` parameter of a partial response, such as `a,b/c,d(e,f/g),*`; undefined if the text is invalid or too long. */
export const parseFields = (text: string): FieldSelection | undefined =>
  text.length > cache.maxLength ? parse(text) : parseCached(text);

function parse(text: string): FieldSelection | undefined {
  if (text.length > maxLength) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = emptySelection();
  const end = readList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

const parseCached = memoize(cache.maxTexts, (text: string) => text, parse);

const emptySelection = (): MutableSelection => ({ isWhole: false, fields: new Map() });

/** Adds tokens to a selection. Returns the index of the next token; undefined for invalid syntax. */
type ReadTokens = (
  tokens: readonly string[],
  start: number,
  target: MutableSelection,
  depth: number,
) => number | undefined;

const readList: ReadTokens = (tokens, start, target, depth) => {
  let next: number | undefined = start - 1;
  do next = readPath(tokens, next + 1, target, depth);
  while (next !== undefined && tokens[next] === ',');
  return next;
};

const readPath: ReadTokens = (tokens, start, target, depth) => {
  const name = tokens[start]?.trim() ?? '';
  if (depth === maxDepth || /^$|^[,/()]$|^.+\*|\*.+$/s.test(name)) return undefined;
  const field = target.fields.get(name) ?? emptySelection();
  target.fields.set(name, field);
  const next = tokens[start + 1];
  if (next === '/') return readPath(tokens, start + 2, field, depth + 1);
  if (next !== '(') {
    field.isWhole = true;
    return start + 1;
  }
  const end = readList(tokens, start + 2, field, depth + 1);
  if (end === undefined || tokens[end] !== ')') return undefined;
  // A parenthesis may be followed by white space.
  return tokens[end + 1]?.trim() === '' ? end + 2 : end + 1;
};

/** Field mask of a value: selections by name and by `*`, merged and cached per name. */
export interface FieldMask {
  readonly whole: boolean;
  /** Selected names; undefined selects all. */
  readonly names: readonly string[] | undefined;
  readonly at: (name: string) => FieldMask | undefined;
}

const masks = new WeakMap<FieldSelection, FieldMask>();

export function fieldMaskOf(selection: FieldSelection): FieldMask {
  let mask = masks.get(selection);
  if (!mask) masks.set(selection, (mask = mergeSelections([selection])));
  return mask;
}

function mergeSelections(selections: readonly FieldSelection[]): FieldMask {
  const masksByName = new Map<string, FieldMask | undefined>();
  const maskOf = (name: string): FieldMask | undefined => {
    const inside = selections
      .flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')])
      .filter((field) => field !== undefined);
    return inside.length === 0 ? undefined : mergeSelections(inside);
  };
  return {
    whole: selections.some(({ isWhole }) => isWhole),
    names: selections.some(({ fields }) => fields.has('*'))
      ? undefined
      : [...new Set(selections.flatMap(({ fields }) => [...fields.keys()]))],
    at(name) {
      if (!masksByName.has(name)) masksByName.set(name, maskOf(name));
      return masksByName.get(name);
    },
  };
}

/** Selects fields of a response. Names of missing fields are ignored. Long lists yield to other requests between their entries. */
export async function selectFields(selection: FieldSelection, json: Fields): Promise<Fields> {
  const { at } = fieldMaskOf(selection);
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const mask = at(name);
    if (mask)
      selected.push([
        name,
        Array.isArray(value) && !mask.whole ? await selectEntries(mask, value) : applyMask(mask, value),
      ]);
  }
  return Object.fromEntries(selected.filter(([, value]) => value !== undefined));
}

async function selectEntries(mask: FieldMask, list: readonly unknown[]): Promise<unknown[]> {
  const entries = await mapInTurns(list, (entry) => applyMask(mask, entry));
  return entries.filter((entry) => entry !== undefined);
}

/** Selects fields of any value, synchronously. */
export function applyMask(mask: FieldMask, json: unknown): unknown {
  if (mask.whole) return json;
  if (Array.isArray(json))
    return json.map((entry) => applyMask(mask, entry)).filter((entry) => entry !== undefined);
  if (typeof json !== 'object' || json === null) return undefined;
  const selected: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const inside = mask.at(name);
    const selectedValue: unknown = inside && applyMask(inside, value);
    if (selectedValue !== undefined) selected.push([name, selectedValue]);
  }
  return Object.fromEntries(selected);
}
