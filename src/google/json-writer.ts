import { memoize, memoizeByObject } from '../core/memoize.ts';
import { type Fields, isFields } from '../core/json-values.ts';
import { offsetAt, formatOffset } from '../core/time/local-time.ts';
import { type FieldMask, applyMask } from './partial-response.ts';
import { resolveSchema } from './body-reader.ts';
import type { Property, Schema, Schemas } from './schemas.ts';

/** Writes a resource in official names, without unset fields and defaults. */
export const writeResource = (schemas: Schemas, name: string, value: object): Fields =>
  writeObject(shapeOf(schemas, name), value) ?? {};

/** Compiled instructions for writing an object: its properties and constants. */
interface Shape {
  readonly entries: readonly PropertyShape[];
  readonly constants: Fields;
}

interface PropertyShape {
  readonly name: string;
  /** Name of the field of the gateway. */
  readonly field: string;
  readonly property: Property;
  /** Shape of an object or of list entries; absent for other values. */
  readonly shape: Shape | undefined;
}

/** Caches shapes by schemas and name. There are no more names than schemas, so the inner cache needs no limit. */
const shapeCacheOf = memoizeByObject((schemas: Schemas) =>
  memoize(
    Infinity,
    (name: string) => name,
    (name) => {
      const { properties } = resolveSchema(schemas, { $ref: name });
      return buildShape(schemas, properties as NonNullable<Schema['properties']>);
    },
  ),
);

const shapeOf = (schemas: Schemas, name: string): Shape => shapeCacheOf(schemas)(name);

function buildShape(schemas: Schemas, properties: NonNullable<Schema['properties']>): Shape {
  const constants: Record<string, unknown> = {};
  const entries: PropertyShape[] = [];
  for (const [name, property] of Object.entries(properties))
    if (property.constant === undefined)
      entries.push({ name, field: property.field ?? name, property, shape: innerShapeOf(schemas, property) });
    else constants[name] = property.constant;
  return { entries, constants };
}

/** Returns the shape of an object, or of the objects in a list. */
function innerShapeOf(schemas: Schemas, schema: Schema): Shape | undefined {
  if (schema.$ref !== undefined) return shapeOf(schemas, schema.$ref);
  if (schema.items) return innerShapeOf(schemas, schema.items);
  return schema.properties && buildShape(schemas, schema.properties);
}

function writeValue({ property, shape }: PropertyShape, value: unknown): unknown {
  if (value === null || value === undefined || value === property.omittedDefault) return undefined;
  if (typeof value === 'string') return property.officialValues?.[value] ?? value;
  if (typeof value !== 'object' || !shape) return value;
  if (Array.isArray(value)) return value.map((entry: object) => writeObject(shape, entry) ?? {});
  return writeObject(shape, value);
}

/** Writes the properties of an object; undefined if it has none of them. */
function writeObject(
  { entries }: Pick<Shape, 'entries'>,
  value: object,
): Record<string, unknown> | undefined {
  let json: Record<string, unknown> | undefined;
  for (const entry of entries) {
    const writtenValue = writeValue(entry, (value as Fields)[entry.field]);
    if (writtenValue !== undefined) (json ??= {})[entry.name] = writtenValue;
  }
  return json;
}

/** Properties of an event that hold a time. */
const timeFields = ['start', 'end', 'originalStartTime'] as const;

/** Creates a writer of events, or of the parts that `mask` selects. `zone`: a time zone's name if times shall have its offset. */
export function createEventJsonWriter(
  schemas: Schemas,
  zone: unknown,
  mask?: FieldMask,
): (event: object) => Fields {
  const { entries, constants } = shapeOf(schemas, 'Event');
  // Views compute fields when they are read, so fields that are not selected are not even read.
  const shape =
    mask && !mask.isWhole
      ? { entries: entries.filter(({ name }) => mask.maskOf(name) !== undefined) }
      : { entries };
  return (event) => {
    const json = writeObject(shape, event) ?? {};
    if (typeof zone === 'string')
      for (const name of timeFields) if (isFields(json[name])) json[name] = moveToZone(json[name], zone);
    // A cancelled event may lack its times, and then has no constants such as `eventType` either.
    if ((event as Fields).start !== undefined) Object.assign(json, constants);
    return mask ? (applyMask(mask, json) as Fields) : json;
  };
}

/** Writes a time with the offset that a time zone has at that time. */
function moveToZone(time: Fields, zone: string): Fields {
  if (typeof time.dateTime !== 'string') return time;
  const instant = parseRfc3339(time.dateTime);
  // RFC 3339 has no seconds in offsets, which some zones had long ago.
  const offsetMs = Math.round(offsetAt(instant, zone) / 60_000) * 60_000;
  const [, fraction = ''] = /(\.\d+)/.exec(time.dateTime) ?? [];
  const wholeSecondsMs = Math.floor(instant / 1000) * 1000;
  const localTime = new Date(wholeSecondsMs + offsetMs).toISOString();
  // RFC 3339 has years of four digits; later times stay unchanged.
  if (!/^\d{4}-/.test(localTime)) return time;
  return {
    ...time,
    dateTime: `${localTime.slice(0, 19)}${fraction}${offsetMs === 0 ? 'Z' : formatOffset(offsetMs)}`,
  };
}

/** Parses an RFC 3339 time with an offset; returns epoch milliseconds. */
export const parseRfc3339 = (text: string): number => Date.parse(text.toUpperCase());

/** Renames the fields of a body to official names, and keeps nulls and defaults. */
export function toOfficialBody(schemas: Schemas, name: string, body: Fields): Fields {
  return renameFields(schemas, { $ref: name }, body) as Fields;
}

function renameFields(schemas: Schemas, property: Property, value: unknown): unknown {
  const schema: Property = { ...schemas[property.$ref ?? ''], ...property };
  if (Array.isArray(value)) return value.map((entry) => renameFields(schemas, schema.items ?? {}, entry));
  if (typeof value === 'string') return schema.officialValues?.[value] ?? value;
  if (!isFields(value) || !schema.properties) return value;
  const renamedEntries = Object.entries(schema.properties).flatMap(
    ([name, propertySchema]): [string, unknown][] => {
      const field = propertySchema.field ?? name;
      const isSet =
        propertySchema.constant === undefined && Object.hasOwn(value, field) && value[field] !== undefined;
      return isSet ? [[name, renameFields(schemas, propertySchema, value[field])]] : [];
    },
  );
  return Object.fromEntries(renamedEntries);
}
