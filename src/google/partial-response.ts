import { definedFields, type Fields } from '../core/json.ts';
import type { FieldSelection } from '../core/fields/table.ts';
import { memoize, memoizeByObject } from '../core/memoize.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';

/** Selection while it is parsed. */
interface MutableSelection extends FieldSelection {
  isWhole: boolean;
  readonly fields: Map<string, MutableSelection>;
}

/** Limits on the parameter: its characters, and the depth of nested fields. */
const [maxParameterLength, maxDepth] = [8192, 20];

/** Limits of the cache of parsed texts: their number, and the characters of each. Clients repeat the same texts. */
const cacheLimits = { maxTexts: 100, maxLength: 500 } as const;

/** Parses the `fields` parameter of a partial response, such as `a,b/c,d(e,f/g),*`; undefined if the text is invalid or too long. */
export const parseFields = (text: string): FieldSelection | undefined =>
  text.length > cacheLimits.maxLength ? parseSelection(text) : parseSelectionCached(text);

function parseSelection(text: string): FieldSelection | undefined {
  if (text.length > maxParameterLength) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = emptySelection();
  const end = parseList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

const parseSelectionCached = memoize(cacheLimits.maxTexts, parseSelection);

const emptySelection = (): MutableSelection => ({ isWhole: false, fields: new Map() });

/** Adds tokens to a selection. Returns the index of the next token; undefined for invalid syntax. */
type ParseTokens = (
  tokens: readonly string[],
  start: number,
  target: MutableSelection,
  depth: number,
) => number | undefined;

/** Parses paths separated by commas. */
const parseList: ParseTokens = (tokens, start, target, depth) => {
  let end: number | undefined = start - 1;
  do end = parsePath(tokens, end + 1, target, depth);
  while (end !== undefined && tokens[end] === ',');
  return end;
};

/** Parses a name, with the names below it (`a/b` or `a(b,c)`). */
const parsePath: ParseTokens = (tokens, start, target, depth) => {
  const name = tokens[start]?.trim() ?? '';
  // A name is not empty, is not a separator, and contains `*` only if it is `*`.
  if (depth === maxDepth || /^$|^[,/()]$|^.+\*|\*.+$/s.test(name)) return undefined;
  const field = target.fields.get(name) ?? emptySelection();
  target.fields.set(name, field);
  const nextToken = tokens[start + 1];
  if (nextToken === '/') return parsePath(tokens, start + 2, field, depth + 1);
  if (nextToken !== '(') {
    field.isWhole = true;
    return start + 1;
  }
  const end = parseList(tokens, start + 2, field, depth + 1);
  if (end === undefined || tokens[end] !== ')') return undefined;
  // A parenthesis may be followed by white space.
  return tokens[end + 1]?.trim() === '' ? end + 2 : end + 1;
};

/** Field mask of a value: selections by name and by `*`, merged and cached per name. */
export interface FieldMask {
  readonly isWhole: boolean;
  /** Selected names; undefined selects all. */
  readonly names: readonly string[] | undefined;
  readonly maskOf: (name: string) => FieldMask | undefined;
}

/** Returns the field mask of a selection, the same one at each call. */
export const fieldMaskOf = memoizeByObject((selection: FieldSelection) => mergeSelections([selection]));

function mergeSelections(selections: readonly FieldSelection[]): FieldMask {
  const masksByName = new Map<string, FieldMask | undefined>();
  const createMask = (name: string): FieldMask | undefined => {
    const innerSelections = selections
      .flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')])
      .filter((field) => field !== undefined);
    return innerSelections.length === 0 ? undefined : mergeSelections(innerSelections);
  };
  return {
    isWhole: selections.some(({ isWhole }) => isWhole),
    names: selections.some(({ fields }) => fields.has('*'))
      ? undefined
      : [...new Set(selections.flatMap(({ fields }) => [...fields.keys()]))],
    maskOf(name) {
      if (!masksByName.has(name)) masksByName.set(name, createMask(name));
      return masksByName.get(name);
    },
  };
}

/** Selects fields of a response, and ignores names of missing fields. Other requests run between the entries of long lists. */
export async function selectFields(selection: FieldSelection, json: Fields): Promise<Fields> {
  const { maskOf } = fieldMaskOf(selection);
  const selectedEntries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const mask = maskOf(name);
    if (mask)
      selectedEntries.push([
        name,
        Array.isArray(value) && !mask.isWhole ? await selectEntries(mask, value) : applyMask(mask, value),
      ]);
  }
  return definedFields(Object.fromEntries(selectedEntries));
}

async function selectEntries(mask: FieldMask, list: readonly unknown[]): Promise<unknown[]> {
  const entries = await mapInTurns(list, (entry) => applyMask(mask, entry));
  return entries.filter((entry) => entry !== undefined);
}

/** Selects fields of any value, synchronously. */
export function applyMask(mask: FieldMask, json: unknown): unknown {
  if (mask.isWhole) return json;
  if (Array.isArray(json))
    return json.map((entry) => applyMask(mask, entry)).filter((entry) => entry !== undefined);
  if (typeof json !== 'object' || json === null) return undefined;
  const namedValues: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const fieldMask = mask.maskOf(name);
    const selectedValue: unknown = fieldMask && applyMask(fieldMask, value);
    if (selectedValue !== undefined) namedValues.push([name, selectedValue]);
  }
  return Object.fromEntries(namedValues);
}
