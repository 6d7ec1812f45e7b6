import { AppError } from '../core/errors.ts';
import type { FieldNode, FieldSelection } from '../core/fields/table.ts';
import { isFields } from '../core/patch.ts';
import { isDate } from '../core/time/local-time.ts';
import type { Property, Schemas } from '../google/schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** A field of a resource, as the gateway has it and as the service does. */
export interface FormField {
  readonly row: FieldNode;
  /** Its name in the official API. */
  readonly official: string;
  /** Answers may be without it: then it has its default. */
  readonly mayLack: boolean;
  /** Undefined for a value that the field cannot have. */
  readonly read: (value: unknown) => unknown;
  /** Of an object, or of a list's entries. */
  readonly fields: readonly FormField[];
}

/** The fields of a resource that the official API has. */
export function formOf(
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
    const of = entryOf(property, schemas);
    const fields = row.kind === 'map' ? [] : formOf(row.fields, schemas, of);
    return [
      { row, official, fields, mayLack: property.standard !== undefined, read: readerOf(row, of, fields) },
    ];
  });
}

/** The schema of a value, or of a list's entries. */
function entryOf(property: Property, schemas: Schemas): Property {
  if (property.items) return entryOf(property.items, schemas);
  return property.$ref === undefined ? property : (schemas[property.$ref] ?? {});
}

function readerOf(
  { kind, fields: inner }: FieldNode,
  of: Property,
  fields: readonly FormField[],
): FormField['read'] {
  if (kind === 'map')
    return (value) =>
      isFields(value)
        ? Object.fromEntries(Object.entries(value).filter(([, entry]) => typeof entry === 'string'))
        : undefined;
  const one: FormField['read'] =
    inner.size > 0 ? (value) => (isFields(value) ? readFields(fields, value) : undefined) : leafReader(of);
  if (kind !== 'list') return one;
  return (value) =>
    Array.isArray(value) ? value.map(one).filter((entry) => entry !== undefined) : undefined;
}

const largest = 2 ** 31;

function leafReader({ type, format, enum: values, spelled = {} }: Property): FormField['read'] {
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : undefined);
  if (type === 'integer')
    return (value) => (Number.isInteger(value) && Math.abs(Number(value)) < largest ? value : undefined);
  const fieldsOf = new Map(Object.entries(spelled).map(([field, official]) => [official, field]));
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

/** An object in the names of the fields: what the service did not send has its default, where that is shown. */
export function readFields(
  fields: readonly FormField[],
  json: Json,
  isShown: (field: FormField) => boolean = () => true,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const value =
      field.read(Object.hasOwn(json, field.official) ? json[field.official] : undefined) ??
      (isShown(field) ? field.row.default : undefined);
    if (value !== undefined) found[field.row.name] = value;
  }
  return found;
}

/** What is selected, in the words of the parameter `fields`. */
export const selectedTexts = (fields: readonly FormField[], { fields: selected }: FieldSelection): string[] =>
  fields.flatMap((field) => {
    const inner = selected.get(field.row.name);
    return inner ? [selectedText(field, inner)] : [];
  });

function selectedText({ official, fields, row }: FormField, selection: FieldSelection): string {
  if (isWhole(selection) || isSmall(row, fields)) return official;
  // An entry without any of its fields might not be sent.
  const needed = fields
    .filter((field) => field.row.needed && !selection.fields.has(field.row.name))
    .map((field) => field.official);
  const inner = [...needed, ...selectedTexts(fields, selection)];
  return inner.length === 0 ? official : `${official}(${inner.join(',')})`;
}

/** An object of a few plain fields comes as a whole: without those that are selected it might not be sent. */
const isSmall = ({ kind }: FieldNode, fields: readonly FormField[]): boolean =>
  kind === 'object' && fields.length <= 4 && fields.every((field) => field.row.kind === 'leaf');

export const isWhole = (selection: FieldSelection | undefined): boolean =>
  !selection || selection.whole || selection.fields.has('*');

/** What any of the selections asks for. */
export function unionOf(selections: readonly (FieldSelection | undefined)[]): FieldSelection | undefined {
  const given = selections.filter((selection) => selection !== undefined);
  if (given.length < selections.length || given.some(isWhole)) return undefined;
  const names = new Set(given.flatMap(({ fields }) => [...fields.keys()]));
  const inner = (name: string): FieldSelection =>
    unionOf(given.flatMap(({ fields }) => fields.get(name) ?? [])) ?? everything;
  return { whole: false, fields: new Map([...names].map((name) => [name, inner(name)])) };
}

const everything: FieldSelection = { whole: true, fields: new Map() };

/** One field, the whole of it. */
export const alone = (name: string): FieldSelection => ({
  whole: false,
  fields: new Map([[name, everything]]),
});

/** The entries of a list, as the parameter `fields` has them. `id`: the field that is asked for where no entry is selected, since cursors count them. */
export function itemsText(
  { fields }: FieldSelection,
  id: string,
  textsOf: (selection: FieldSelection | undefined) => readonly string[] | undefined,
): string {
  const nodes = [fields.get('nodes'), fields.get('edges')?.fields.get('node')].filter(
    (one) => one !== undefined,
  );
  const texts = nodes.length === 0 ? [id] : textsOf(unionOf(nodes));
  return texts ? `items(${texts.join(',')})` : 'items';
}

/** Longer ones are left out: the service sends the whole then. */
const longestFields = 2000;

/** The parameter `fields` of a call. */
export function fieldsParameter(texts: readonly string[]): string | undefined {
  const text = texts.join(',');
  return text.length > longestFields ? undefined : text;
}

/** Stands for a method of a service that the official one behind the gateway does not have. */
export const notOffered = (): Promise<never> =>
  Promise.reject(
    new AppError(
      'FORBIDDEN',
      'notOffered',
      'This is not offered here: the gateway stands in front of the official service, and keeps nothing itself. Use that service.',
    ),
  );

export const insufficientScope = (): AppError =>
  new AppError('FORBIDDEN', 'insufficientScope', 'The token does not carry the scope that this needs.');
