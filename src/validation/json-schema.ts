import { compileTable, type FieldNode, maxInt32 } from '../core/fields/table.ts';
import { eventFields } from '../event/model/fields.ts';
import { enumValues, inputFields } from '../generated/input-shapes.ts';
import { limits as notificationLimits } from '../notification/notification.fields.ts';

/** A JSON Schema or a part of one (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Properties of a field that a JSON Schema can express. */
type FieldLimits = Pick<FieldNode, 'kind' | 'max' | 'isRequired' | 'value' | 'fields' | 'entry'>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Builds the JSON Schema of an event's body: types, enums and limits of single values. */
export function eventJsonSchema(): JsonSchema {
  return {
    $schema: dialect,
    title: 'Event',
    ...createObjectSchema('EventInput', compileTable(eventFields).fields),
  };
}

/** Builds the JSON Schema of a notification's body. */
export function notificationJsonSchema(): JsonSchema {
  const { properties, ...schema } = createObjectSchema('NotificationInput', new Map()) as {
    properties: Record<string, JsonSchema>;
  };
  const { custom_attributes, event_types, ...otherProperties } = properties;
  const boundedProperties = {
    custom_attributes: {
      ...custom_attributes,
      maxProperties: notificationLimits.maxCustomAttributes,
      propertyNames: { minLength: 1 },
    },
    event_types: { ...event_types, maxItems: notificationLimits.maxEventTypes },
  };
  return {
    $schema: dialect,
    title: 'Notification',
    ...schema,
    properties: { ...otherProperties, ...boundedProperties },
  };
}

function createObjectSchema(type: string, limits: ReadonlyMap<string, FieldLimits>): JsonSchema {
  const fields = Object.entries(inputFields[type] ?? {});
  const required = fields.map(([name]) => name).filter((name) => limits.get(name)?.isRequired);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, createSchema(field, limits.get(name))]),
    ),
    additionalProperties: false,
    ...(required.length > 0 && { required }),
  };
}

/** Creates the schema of a type of the GraphQL schema, such as `[String!]`. */
function createSchema(type: string, limits: FieldLimits | undefined): JsonSchema {
  if (!type.endsWith('!')) return addNull(createSchema(`${type}!`, limits));
  const nullableType = type.slice(0, -1);
  if (nullableType.startsWith('[')) {
    const entryLimits = limits && { ...limits, max: undefined, isRequired: undefined };
    return {
      type: 'array',
      items: createSchema(nullableType.slice(1, -1), entryLimits),
      ...(limits?.max && { maxItems: limits.max.entries }),
    };
  }
  const values = enumValues[nullableType];
  if (values) return { enum: values };
  return nullableType in inputFields
    ? createObjectSchema(nullableType, limits?.fields ?? new Map<string, FieldLimits>())
    : createLeafSchema(nullableType, limits);
}

/** Allows null in addition. */
const addNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema.enum)
    ? { enum: [...(schema.enum as unknown[]), null] }
    : { ...schema, type: [schema.type, 'null'] };

function createLeafSchema(type: string, limits: FieldLimits | undefined): JsonSchema {
  const { max, min, length } = readBounds(limits?.value);
  switch (type) {
    case 'Boolean':
      return { type: 'boolean' };
    case 'Int':
      return { type: 'integer', minimum: min ?? -maxInt32 - 1, maximum: max ?? maxInt32 };
    case 'LocalDate':
      return { type: 'string', format: 'date' };
    case 'DateTime':
      return { type: 'string', format: 'date-time' };
    case 'StringMap': {
      const maxLength = readBounds(limits?.entry?.value).length;
      const value = { type: ['string', 'null'], ...(maxLength !== undefined && { maxLength }) };
      return {
        type: 'object',
        additionalProperties: value,
        ...(limits?.max && { maxProperties: limits.max.entries }),
      };
    }
    default:
      return { type: 'string', ...(length !== undefined && { maxLength: length }) };
  }
}

/** Limits of a single value. */
interface Bounds {
  readonly min?: number;
  readonly max?: number;
  /** Maximum length in characters. */
  readonly length?: number;
}

/** Reads the limits of a value from the checks of its Zod schema. */
function readBounds(value: FieldNode['value']): Bounds {
  const checks =
    (value?._zod.def as { checks?: readonly { _zod: { def: object } }[] } | undefined)?.checks ?? [];
  return checks.reduce<Bounds>((bounds, { _zod: { def } }) => {
    const { reason, max, params } =
      (def as { params?: { reason?: string; max?: number; params?: Bounds } }).params ?? {};
    return { ...bounds, ...params, ...(reason === 'tooLong' && { length: max }) };
  }, {});
}
