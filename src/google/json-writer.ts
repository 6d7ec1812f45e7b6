import { memoize, memoizeByObject } from '../core/memoize.ts';
import { type Fields, isFields } from '../core/json.ts';
import { offsetAt, formatOffset } from '../core/time/local-time.ts';
import { type FieldMask, applyMask } from './partial-response.ts';
import { resolveSchema } from './body-reader.ts';
import type { Property, Schema, Schemas } from './schemas.ts';

/** Writes a resource in official names, without unset fields and defaults. */
export const writeResource = (schemas: Schemas, name: string, value: object): Fields =>
  writeObject(shapeOf(schemas, name), value) ?? {};

/** Compiled instructions for writing an object: the selected properties and constants. */
interface Shape {
  readonly entries: readonly PropertyShape[];
  readonly constants: Fields;
}

interface PropertyShape {
  readonly name: string;
  /** Name of the field of the gateway. */
  readonly field: string;
  readonly property: Property;
  readonly mask: FieldMask | undefined;
  /** Shape of an object or of list entries; absent for other values. */
  readonly shape: Shape | undefined;
  /** Shape of the whole object, if `mask` selects some of it. */
  readonly wholeShape: Shape | undefined;
}

const wholeMask: FieldMask = { isWhole: true, names: undefined, maskOf: () => wholeMask };

/** Caches shapes by schemas, mask and name. There are no more names than schemas, so the innermost cache needs no limit. */
const shapeCacheOf = memoizeByObject((schemas: Schemas) =>
  memoizeByObject((mask: FieldMask) =>
    memoize(Infinity, (name: string) => {
      const { properties } = resolveSchema(schemas, { $ref: name });
      return buildShape(schemas, properties as NonNullable<Schema['properties']>, mask);
    }),
  ),
);

const shapeOf = (schemas: Schemas, name: string, mask = wholeMask): Shape =>
  shapeCacheOf(schemas)(mask)(name);

function buildShape(
  schemas: Schemas,
  properties: NonNullable<Schema['properties']>,
  mask: FieldMask = wholeMask,
): Shape {
  const constants: Record<string, unknown> = {};
  const entries: PropertyShape[] = [];
  for (const name of mask.names ?? Object.keys(properties)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fieldMask = mask.maskOf(name);
    if (!property || !fieldMask) continue;
    if (property.constant === undefined)
      entries.push(buildPropertyShape(schemas, name, property, fieldMask.isWhole ? undefined : fieldMask));
    else if (fieldMask.isWhole) constants[name] = property.constant;
  }
  return { entries, constants };
}

function buildPropertyShape(
  schemas: Schemas,
  name: string,
  property: Property,
  mask?: FieldMask,
): PropertyShape {
  /** Returns the shape of an object, or of the objects in a list. */
  const innerShapeOf = (schema: Schema, innerMask?: FieldMask): Shape | undefined => {
    if (schema.$ref !== undefined) return shapeOf(schemas, schema.$ref, innerMask);
    if (schema.items) return innerShapeOf(schema.items, innerMask);
    return schema.properties && buildShape(schemas, schema.properties, innerMask);
  };
  return {
    name,
    field: property.field ?? name,
    property,
    mask,
    shape: innerShapeOf(property, mask),
    wholeShape: mask && innerShapeOf(property),
  };
}

function writeValue({ property, mask, shape, wholeShape }: PropertyShape, value: unknown): unknown {
  if (value === null || value === undefined || value === property.omittedDefault) return undefined;
  if (typeof value !== 'object')
    return mask ? undefined : typeof value === 'string' ? (property.officialValues?.[value] ?? value) : value;
  if (!shape) return mask ? applyMask(mask, value) : value;
  if (Array.isArray(value)) return value.map((entry: object) => writeObject(shape, entry) ?? {});
  // An object without any selected property is written as `{}`.
  return writeObject(shape, value) ?? (wholeShape && writeObject(wholeShape, value) && {});
}

/** Writes the selected properties of an object; undefined if it has none of them. */
function writeObject({ entries }: Shape, value: object): Record<string, unknown> | undefined {
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
  const shape = shapeOf(schemas, 'Event', mask);
  return (event) => {
    const json = writeObject(shape, event) ?? {};
    if (typeof zone === 'string')
      for (const name of timeFields) if (isFields(json[name])) json[name] = moveToZone(json[name], zone);
    // A cancelled event may lack its times, and then has no constants such as `eventType` either.
    return (event as Fields).start === undefined ? json : Object.assign(json, shape.constants);
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
