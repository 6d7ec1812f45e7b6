import { compileTable, type FieldNode } from '../core/fields/table.ts';
import { eventFields } from '../event/model/fields.ts';
import { enumValues, inputFields } from '../generated/input-shapes.ts';
import { limits } from '../notification/notification.fields.ts';

/** A part of a JSON Schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The properties of a field that JSON Schema can express. */
type Row = Pick<FieldNode, 'kind' | 'max' | 'needed' | 'value' | 'fields' | 'entry'>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** JSON Schema of an event's body: types, enums and limits of single values. */
export function eventJsonSchema(): JsonSchema {
  return {
    $schema: dialect,
    title: 'Event',
    ...objectSchema('EventInput', compileTable(eventFields).fields),
  };
}

/** JSON Schema of a notification's body. */
export function notificationJsonSchema(): JsonSchema {
  const { properties, ...schema } = objectSchema('NotificationInput', new Map()) as {
    properties: Record<string, JsonSchema>;
  };
  const { custom_attributes, event_types, ...others } = properties;
  const bounded = {
    custom_attributes: {
      ...custom_attributes,
      maxProperties: limits.customAttributes,
      propertyNames: { minLength: 1 },
    },
    event_types: { ...event_types, maxItems: limits.eventTypes },
  };
  return { $schema: dialect, title: 'Notification', ...schema, properties: { ...others, ...bounded } };
}

function objectSchema(type: string, rows: ReadonlyMap<string, Row>): JsonSchema {
  const fields = Object.entries(inputFields[type] ?? {});
  const required = fields.map(([name]) => name).filter((name) => rows.get(name)?.needed);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, of]) => [name, schemaOf(of, rows.get(name))])),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

function schemaOf(type: string, row: Row | undefined): JsonSchema {
  if (!type.endsWith('!')) return orNull(schemaOf(`${type}!`, row));
  const bare = type.slice(0, -1);
  if (bare.startsWith('[')) {
    const entry = row && { ...row, max: undefined, needed: undefined };
    return {
      type: 'array',
      items: schemaOf(bare.slice(1, -1), entry),
      ...(row?.max && { maxItems: row.max.entries }),
    };
  }
  const values = enumValues[bare];
  if (values) return { enum: values };
  return bare in inputFields
    ? objectSchema(bare, row?.fields ?? new Map<string, Row>())
    : leafSchema(bare, row);
}

const orNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema.enum)
    ? { enum: [...(schema.enum as unknown[]), null] }
    : { ...schema, type: [schema.type, 'null'] };

function leafSchema(type: string, row: Row | undefined): JsonSchema {
  const { max, min, length } = boundsOf(row?.value);
  switch (type) {
    case 'Boolean':
      return { type: 'boolean' };
    case 'Int':
      return { type: 'integer', minimum: min ?? -2_147_483_648, maximum: max ?? 2_147_483_647 };
    case 'LocalDate':
      return { type: 'string', format: 'date' };
    case 'DateTime':
      return { type: 'string', format: 'date-time' };
    case 'StringMap': {
      const entry = boundsOf(row?.entry?.value).length;
      const value = { type: ['string', 'null'], ...(entry !== undefined && { maxLength: entry }) };
      return {
        type: 'object',
        additionalProperties: value,
        ...(row?.max && { maxProperties: row.max.entries }),
      };
    }
    default:
      return { type: 'string', ...(length !== undefined && { maxLength: length }) };
  }
}

interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** In characters. */
  readonly length?: number;
}

/** The limits in the checks of a zod schema. */
function boundsOf(value: FieldNode['value']): Bounds {
  const checks =
    (value?._zod.def as { checks?: readonly { _zod: { def: object } }[] } | undefined)?.checks ?? [];
  return checks.reduce<Bounds>((bounds, { _zod: { def } }) => {
    const { reason, max, params } =
      (def as { params?: { reason?: string; max?: number; params?: Bounds } }).params ?? {};
    return { ...bounds, ...params, ...(reason === 'tooLong' && { length: max }) };
  }, {});
}
