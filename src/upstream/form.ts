import { AppError } from '../core/errors.ts';
import type { FieldNode, FieldSelection } from '../core/fields/table.ts';
import { isFields } from '../core/patch.ts';
import { isDate } from '../core/time/local-time.ts';
import type { Property, Schemas } from '../google/schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** Maps a field of the gateway to a property of the official API. */
export interface FormField {
  readonly row: FieldNode;
  readonly official: string;
  /** Whether responses omit the property at its default. */
  readonly isOptional: boolean;
  readonly read: (value: unknown) => unknown;
  readonly fields: readonly FormField[];
}

/** Builds the mapping for the fields that the official API offers. */
export function createForm(
  rows: FieldNode['fields'],
  schemas: Schemas,
  { properties = {} }: Property,
): readonly FormField[] {
  const officials = new Map(
    Object.entries(properties).map(([official, property]) => [
      property.field ?? official,
      { official, property },
    ]),
  );
  return [...rows.values()].flatMap((row) => {
    const { official, property } = officials.get(row.name) ?? {};
    if (official === undefined || !property) return [];
    const schema = entrySchemaOf(property, schemas);
    const fields = row.kind === 'map' ? [] : createForm(row.fields, schemas, schema);
    const isOptional = property.omittedDefault !== undefined;
    return [{ row, official, fields, isOptional, read: readerOf(row, schema, fields) }];
  });
}

function entrySchemaOf(property: Property, schemas: Schemas): Property {
  if (property.items) return entrySchemaOf(property.items, schemas);
  return property.$ref === undefined ? property : (schemas[property.$ref] ?? {});
}

function readerOf(
  { kind, fields: inner }: FieldNode,
  schema: Property,
  fields: readonly FormField[],
): FormField['read'] {
  if (kind === 'map')
    return (value) =>
      isFields(value)
        ? Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry === 'string'))
        : undefined;
  const readEntry: FormField['read'] = inner.size
    ? (value) => (isFields(value) ? readFields(fields, value) : undefined)
    : leafReader(schema);
  if (kind !== 'list') return readEntry;
  return (value) =>
    Array.isArray(value) ? value.map(readEntry).filter((entry) => entry !== undefined) : undefined;
}

const maxInteger = 2 ** 31;

function leafReader({ type, format, enum: values, officialValues = {} }: Property): FormField['read'] {
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : undefined);
  if (type === 'integer')
    return (value) => (Number.isInteger(value) && Math.abs(Number(value)) < maxInteger ? value : undefined);
  const fieldsOf = new Map(Object.entries(officialValues).map(([field, official]) => [official, field]));
  return (value) => {
    if (
      typeof value !== 'string' ||
      (values && !values.includes(value)) ||
      (format === 'date' && !isDate(value))
    )
      return undefined;
    return fieldsOf.get(value) ?? value;
  };
}

/** Renames an object to field names. Missing fields get their default if `isShown`. */
export function readFields(
  fields: readonly FormField[],
  json: Json,
  isShown: (field: FormField) => boolean = () => true,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value =
      field.read(Object.hasOwn(json, field.official) ? json[field.official] : undefined) ??
      (isShown(field) ? field.row.default : undefined);
    if (value !== undefined) values[field.row.name] = value;
  }
  return values;
}

/** Writes a selection in the syntax of the parameter `fields`. */
export const fieldTexts = (fields: readonly FormField[], { fields: selected }: FieldSelection): string[] =>
  fields.flatMap((field) => {
    const inner = selected.get(field.row.name);
    return inner ? [selectedText(field, inner)] : [];
  });

function selectedText({ official, fields, row }: FormField, selection: FieldSelection): string {
  if (selectsAll(selection) || isSmall(row, fields)) return official;
  // Google may omit entries without any selected field.
  const needed = fields
    .filter((field) => field.row.needed && !selection.fields.has(field.row.name))
    .map((field) => field.official);
  const inner = [...needed, ...fieldTexts(fields, selection)];
  return inner.length === 0 ? official : `${official}(${inner.join(',')})`;
}

/** Whether an object is read as a whole, because Google may omit objects whose selected fields are unset. */
const isSmall = ({ kind }: FieldNode, fields: readonly FormField[]): boolean =>
  kind === 'object' && fields.length <= 4 && fields.every((field) => field.row.kind === 'leaf');

export const selectsAll = (selection: FieldSelection | undefined): boolean =>
  !selection || selection.isWhole || selection.fields.has('*');

/** Merges selections; undefined selects all. */
export function mergeSelections(
  selections: readonly (FieldSelection | undefined)[],
): FieldSelection | undefined {
  const defined = selections.filter((selection) => selection !== undefined);
  if (defined.length < selections.length || defined.some(selectsAll)) return undefined;
  const names = new Set(defined.flatMap(({ fields }) => [...fields.keys()]));
  const inner = (name: string): FieldSelection =>
    mergeSelections(defined.flatMap(({ fields }) => fields.get(name) ?? [])) ?? wholeSelection;
  return { isWhole: false, fields: new Map([...names].map((name) => [name, inner(name)])) };
}

const wholeSelection: FieldSelection = { isWhole: true, fields: new Map() };

export const selectField = (name: string): FieldSelection => ({
  isWhole: false,
  fields: new Map([[name, wholeSelection]]),
});

/** Writes the `items` of the parameter `fields`. `id`: read if no entry is selected, since cursors count entries. */
export function itemsField(
  { fields }: FieldSelection,
  id: string,
  textsOf: (selection: FieldSelection | undefined) => readonly string[] | undefined,
): string {
  const nodes = [fields.get('nodes'), fields.get('edges')?.fields.get('node')].filter(
    (selection) => selection !== undefined,
  );
  const texts = nodes.length === 0 ? [id] : textsOf(mergeSelections(nodes));
  return texts ? `items(${texts.join(',')})` : 'items';
}

/** Longer parameters are omitted, so that the service returns all fields. */
const maxFieldsLength = 2000;

export function fieldsParameter(texts: readonly string[]): string | undefined {
  const text = texts.join(',');
  return text.length > maxFieldsLength ? undefined : text;
}

/** Rejects operations that the gateway does not offer in front of the official service. */
export const notOffered = (): Promise<never> =>
  Promise.reject(
    new AppError(
      'FORBIDDEN',
      'notOffered',
      'This is not offered here: the gateway forwards to the official service and stores nothing itself. Use that service.',
    ),
  );

export const insufficientScope = (): AppError =>
  new AppError('FORBIDDEN', 'insufficientScope', 'The token lacks the scope for this.');
