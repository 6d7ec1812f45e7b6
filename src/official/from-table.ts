import type { FieldNode } from '../core/fields/table.ts';
import { describedAs } from '../core/fields/values.ts';
import type { Property, Schema } from './schema.ts';

/** What the official API says otherwise of the fields of one table. Paths are without the brackets of lists. */
export interface Differences {
  /** Official names of the schemas of objects, and of the entries of lists. */
  readonly named?: Readonly<Record<string, string>>;
  /** Fields that the official API does not have. */
  readonly without?: readonly string[];
  /** Fields whose default is in answers. */
  readonly always?: readonly string[];
  /** What properties are besides. */
  readonly besides?: Readonly<Record<string, Property>>;
  /** Official names of fields. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** The schemas of a table: its own, and one for each that has a name. */
export function schemasFrom(
  table: FieldNode,
  name: string,
  { named = {}, without = [], always = [], besides = {}, renamed = {} }: Differences,
): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  const propertiesOf = (fields: FieldNode['fields'], above: string): Record<string, Property> =>
    Object.fromEntries(
      [...fields.values()].flatMap((node) => {
        const path = above + node.name;
        if (without.includes(path)) return [];
        const official = renamed[path];
        return [
          [
            official ?? node.name,
            {
              ...(official !== undefined && { field: node.name }),
              ...schemaOf(node, path),
              ...standardOf(node, path),
              ...besides[path],
            },
          ],
        ];
      }),
    );
  const standardOf = (node: FieldNode, path: string): Property =>
    node.default === undefined || always.includes(path) ? {} : { standard: node.default };
  const schemaOf = (node: FieldNode, path: string): Schema => {
    if (node.kind === 'leaf') return leafOf(node);
    if (node.entry) return { type: 'object', additionalProperties: leafOf(node.entry) };
    const one = node.fields.size === 0 ? leafOf(node) : objectOf(node, path);
    return node.kind === 'list' ? { type: 'array', items: one } : one;
  };
  const objectOf = (node: FieldNode, path: string): Schema => {
    const schema: Schema = { type: 'object', properties: propertiesOf(node.fields, `${path}.`) };
    const official = named[path];
    if (official === undefined) return schema;
    schemas[official] = schema;
    return { $ref: official };
  };
  const properties = propertiesOf(table.fields, '');
  return { [name]: { type: 'object', properties }, ...schemas };
}

function leafOf({ value, instant }: FieldNode): Schema {
  if (instant) return { type: 'string', format: 'date-time' };
  const description = value && describedAs(value);
  return { ...typeOf(value), ...(description !== undefined && description !== '' && { description }) };
}

function typeOf(value: FieldNode['value']): Schema {
  const { type, entries } = (value?._zod.def ?? { type: 'string' }) as {
    readonly type: string;
    readonly entries?: Readonly<Record<string, string>>;
  };
  if (entries) return { type: 'string', enum: Object.values(entries) };
  if (type === 'number') return { type: 'integer', format: 'int32' };
  return { type: type === 'boolean' ? 'boolean' : 'string' };
}
