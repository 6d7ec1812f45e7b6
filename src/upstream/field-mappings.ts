import { type FieldNode, type FieldSelection, wholeSelection } from '../core/fields/table.ts';
import { type Fields, filterFields, isFields } from '../core/json.ts';
import { isDate } from '../core/time/local-time.ts';
import { resolveSchema } from '../google/body-reader.ts';
import type { Property, Schemas } from '../google/schemas.ts';

/** Maps a field of the gateway to a property of the official API. */
export interface FieldMapping {
  readonly node: FieldNode;
  readonly officialName: string;
  /** Whether responses omit the property at its default. */
  readonly isOptional: boolean;
  /** Schema of the value, or of the entries of a list. */
  readonly schema: Property;
  /** Mappings of the fields of an object, or of list entries. */
  readonly fields: readonly FieldMapping[];
}

/** Builds the mappings of the fields that the official API offers. */
export function createFieldMappings(
  nodes: FieldNode['fields'],
  schemas: Schemas,
  { properties = {} }: Property,
): readonly FieldMapping[] {
  const propertiesByField = new Map(
    Object.entries(properties).map(([officialName, property]) => [
      property.field ?? officialName,
      { officialName, property },
    ]),
  );
  return [...nodes.values()].flatMap((node) => {
    const { officialName, property } = propertiesByField.get(node.name) ?? {};
    if (officialName === undefined || !property) return [];
    const schema = entrySchemaOf(property, schemas);
    const fields = node.kind === 'map' ? [] : createFieldMappings(node.fields, schemas, schema);
    return [{ node, officialName, isOptional: property.omittedDefault !== undefined, schema, fields }];
  });
}

/** Returns the schema of a value, or of the entries of a list. */
const entrySchemaOf = (property: Property, schemas: Schemas): Property =>
  property.items ? entrySchemaOf(property.items, schemas) : resolveSchema(schemas, property);

/** Converts an official value; undefined if it is invalid. */
function readValue(mapping: FieldMapping, value: unknown): unknown {
  const { kind } = mapping.node;
  if (kind === 'map')
    return isFields(value) ? filterFields(value, (entry) => typeof entry === 'string') : undefined;
  if (kind !== 'list') return readEntry(mapping, value);
  return Array.isArray(value)
    ? value.map((entry) => readEntry(mapping, entry)).filter((entry) => entry !== undefined)
    : undefined;
}

/** Integers of GraphQL are below this. */
const integerLimit = 2 ** 31;

/** Converts an official object or leaf, or an entry of a list; undefined if it is invalid. */
function readEntry({ node, schema, fields }: FieldMapping, value: unknown): unknown {
  if (node.fields.size > 0) return isFields(value) ? readFields(fields, value) : undefined;
  const { type, format, enum: allowedValues, officialValues = {} } = schema;
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (type === 'integer')
    return Number.isInteger(value) && Math.abs(Number(value)) < integerLimit ? value : undefined;
  if (
    typeof value !== 'string' ||
    (allowedValues && !allowedValues.includes(value)) ||
    (format === 'date' && !isDate(value))
  )
    return undefined;
  return Object.keys(officialValues).find((fieldValue) => officialValues[fieldValue] === value) ?? value;
}

/** Renames an object to field names. Missing fields get their default where `usesDefault` allows. */
export function readFields(
  fields: readonly FieldMapping[],
  json: Fields,
  usesDefault: (field: FieldMapping) => boolean = () => true,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const officialValue = Object.hasOwn(json, field.officialName) ? json[field.officialName] : undefined;
    const value = readValue(field, officialValue) ?? (usesDefault(field) ? field.node.default : undefined);
    if (value !== undefined) values[field.node.name] = value;
  }
  return values;
}

/** Properties that further fields are computed from, by field. */
type NeededNames = Readonly<Record<string, readonly string[]>>;

const neededNamesOf = ({ fields }: FieldSelection, neededNames: NeededNames): readonly string[] =>
  Object.entries(neededNames).flatMap(([name, officialNames]) => (fields.has(name) ? officialNames : []));

/** Entries of the parameter `fields` for a selection, with `alwaysNames`; undefined for all fields. */
export const formatFields = (
  mappings: readonly FieldMapping[],
  selection: FieldSelection | undefined,
  alwaysNames: readonly string[],
  neededNames: NeededNames = {},
): readonly string[] | undefined =>
  !selection || selectsAll(selection)
    ? undefined
    : [
        ...new Set([
          ...alwaysNames,
          ...neededNamesOf(selection, neededNames),
          ...formatSelection(mappings, selection),
        ]),
      ];

/** Writes a selection in the syntax of the parameter `fields`. */
const formatSelection = (
  fields: readonly FieldMapping[],
  { fields: selectedFields }: FieldSelection,
): string[] =>
  fields.flatMap((field) => {
    const innerSelection = selectedFields.get(field.node.name);
    return innerSelection ? [formatField(field, innerSelection)] : [];
  });

function formatField({ officialName, fields, node }: FieldMapping, selection: FieldSelection): string {
  if (selectsAll(selection) || isReadAsWhole(node, fields)) return officialName;
  // Google may omit entries without any selected field.
  const neededNames = fields
    .filter((field) => field.node.isRequired && !selection.fields.has(field.node.name))
    .map((field) => field.officialName);
  const innerFields = [...neededNames, ...formatSelection(fields, selection)];
  return innerFields.length === 0 ? officialName : `${officialName}(${innerFields.join(',')})`;
}

/** Maximum number of fields of an object that is read as a whole. */
const maxWholeFields = 4;

/** Whether an object is read as a whole, because Google may omit objects whose selected fields are unset. */
const isReadAsWhole = ({ kind }: FieldNode, fields: readonly FieldMapping[]): boolean =>
  kind === 'object' && fields.length <= maxWholeFields && fields.every((field) => field.node.kind === 'leaf');

export const selectsAll = (selection: FieldSelection | undefined): boolean =>
  !selection || selection.isWhole || selection.fields.has('*');

/** Merges selections; undefined selects all. */
export function mergeSelections(
  selections: readonly (FieldSelection | undefined)[],
): FieldSelection | undefined {
  const definedSelections = selections.filter((selection) => selection !== undefined);
  if (definedSelections.length < selections.length || definedSelections.some(selectsAll)) return undefined;
  const names = new Set(definedSelections.flatMap(({ fields }) => [...fields.keys()]));
  const innerSelectionOf = (name: string): FieldSelection =>
    mergeSelections(definedSelections.flatMap(({ fields }) => fields.get(name) ?? [])) ?? wholeSelection;
  return { isWhole: false, fields: new Map([...names].map((name) => [name, innerSelectionOf(name)])) };
}

export const selectField = (name: string): FieldSelection => ({
  isWhole: false,
  fields: new Map([[name, wholeSelection]]),
});

/** Formats the parameter `fields` of a list. `idName`: property read if no entry is selected, since cursors count entries. */
export function formatListFields(
  selection: FieldSelection | undefined,
  idName: string,
  formatNodeFields: (selection: FieldSelection | undefined) => readonly string[] | undefined,
  neededNames: NeededNames = {},
): string | undefined {
  if (!selection || selectsAll(selection)) return undefined;
  const { fields } = selection;
  const nodeSelections = [fields.get('nodes'), fields.get('edges')?.fields.get('node')].filter(
    (nodeSelection) => nodeSelection !== undefined,
  );
  const nodeFields =
    nodeSelections.length === 0 ? [idName] : formatNodeFields(mergeSelections(nodeSelections));
  return formatFieldsParameter([
    'nextPageToken',
    ...neededNamesOf(selection, neededNames),
    nodeFields ? `items(${nodeFields.join(',')})` : 'items',
  ]);
}

/** Maximum length of the parameter `fields`. A longer one is omitted, so that the service returns all fields. */
const maxFieldsLength = 2000;

/** Formats the parameter `fields`; undefined if it would be too long. */
export function formatFieldsParameter(fields: readonly string[] | undefined): string | undefined {
  const text = fields?.join(',');
  return text !== undefined && text.length > maxFieldsLength ? undefined : text;
}
