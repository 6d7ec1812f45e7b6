import { definedFields, type Fields, isFields, mapValues } from '../core/json.ts';
import type { FieldSelection } from '../core/fields/table.ts';
import { memoizeByObject } from '../core/memoize.ts';
import { mapInTurns } from '../core/runtime/event-loop.ts';

/** Selection while it is parsed. */
interface MutableSelection extends FieldSelection {
  isWhole: boolean;
  readonly fields: Map<string, MutableSelection>;
}

/** Limits on the parameter: its characters, and the depth of nested fields. */
const [maxParameterLength, maxDepth] = [8192, 20];

/** Parses the `fields` parameter of a partial response, such as `a,b/c,d(e,f/g),*`; undefined if the text is invalid or too long. */
export function parseFields(text: string): FieldSelection | undefined {
  if (text.length > maxParameterLength) return undefined;
  const tokens = text.match(/[,/()]|[^,/()]+/g) ?? [];
  const selection = emptySelection();
  const end = parseList(tokens, 0, selection, 0);
  return end === tokens.length ? selection : undefined;
}

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

/** Caches `innerSelectionsOf` by name, since the entries of a list have the same names. */
const innerSelectionsByName = memoizeByObject(
  (_selections: readonly FieldSelection[]) => new Map<string, readonly FieldSelection[]>(),
);

/** Returns the selections that apply to a field: those by its name, and those by `*`. */
function innerSelectionsOf(selections: readonly FieldSelection[], name: string): readonly FieldSelection[] {
  const cache = innerSelectionsByName(selections);
  let innerSelections = cache.get(name);
  if (!innerSelections) {
    innerSelections = selections
      .flatMap(({ fields }) => [fields.get(name), name === '*' ? undefined : fields.get('*')])
      .filter((field) => field !== undefined);
    cache.set(name, innerSelections);
  }
  return innerSelections;
}

/** Selects fields of a response, and ignores names of missing fields. Other requests run between the entries of long lists. */
export async function selectFields(selection: FieldSelection, json: Fields): Promise<Fields> {
  const selectedEntries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const selections = innerSelectionsOf([selection], name);
    const entries =
      Array.isArray(value) && selections.length > 0
        ? await mapInTurns(value, (entry) => select(selections, entry))
        : undefined;
    selectedEntries.push([name, entries ? entries.filter(isSelected) : select(selections, value)]);
  }
  return definedFields(Object.fromEntries(selectedEntries));
}

const isSelected = (value: unknown): boolean => value !== undefined;

/** Selects fields of any value; undefined if none is selected. */
function select(selections: readonly FieldSelection[], json: unknown): unknown {
  if (selections.some(({ isWhole }) => isWhole)) return json;
  if (selections.length === 0) return undefined;
  if (Array.isArray(json)) return json.map((entry) => select(selections, entry)).filter(isSelected);
  if (!isFields(json)) return undefined;
  return definedFields(mapValues(json, (value, name) => select(innerSelectionsOf(selections, name), value)));
}
