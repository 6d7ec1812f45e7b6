import { memoizeByObject } from '../core/memoize.ts';
import { type Fields, isFields } from '../core/json.ts';
import { offsetAt, formatOffset } from '../core/time/local-time.ts';
import { resolveSchema } from './body-reader.ts';
import type { Property, Schema, Schemas } from './schemas.ts';

type Properties = NonNullable<Schema['properties']>;

/** Writes a resource in official names, without unset fields and defaults. */
export const writeResource = (schemas: Schemas, name: string, value: object): Fields =>
  writeObject(schemas, propertiesOf(schemas, name), value) ?? {};

const propertiesOf = (schemas: Schemas, name: string): Properties =>
  resolveSchema(schemas, { $ref: name }).properties as Properties;

/** Lists the properties of a schema that resources have a field for. */
const listWrittenProperties = memoizeByObject((properties: Properties) =>
  Object.entries(properties)
    .filter(([, { constant }]) => constant === undefined)
    .map(([name, property]) => ({ name, field: property.field ?? name, property })),
);

/** Writes the set properties of an object; undefined if it has none. `names`: the properties to write; absent: all. */
function writeObject(
  schemas: Schemas,
  properties: Properties,
  value: object,
  names?: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  let json: Record<string, unknown> | undefined;
  for (const { name, field, property } of listWrittenProperties(properties)) {
    if (names && !names.has(name)) continue;
    const writtenValue = writeValue(schemas, property, (value as Fields)[field]);
    if (writtenValue !== undefined) (json ??= {})[name] = writtenValue;
  }
  return json;
}

function writeValue(schemas: Schemas, property: Property, value: unknown): unknown {
  if (value === null || value === undefined || value === property.omittedDefault) return undefined;
  if (typeof value === 'string') return property.officialValues?.[value] ?? value;
  if (typeof value !== 'object') return value;
  const { items, properties } = resolveSchema(schemas, property);
  if (!Array.isArray(value)) return properties ? writeObject(schemas, properties, value) : value;
  const entryProperties = items && resolveSchema(schemas, items).properties;
  return entryProperties
    ? value.map((entry: object) => writeObject(schemas, entryProperties, entry) ?? {})
    : value;
}

/** Properties of an event that hold a time. */
const timeFields = ['start', 'end', 'originalStartTime'] as const;

/** Writes an event. `zone`: a time zone's name if times shall have its offset. `names`: the properties to write; absent: all. */
export function writeEvent(
  schemas: Schemas,
  event: object,
  zone: unknown,
  names?: ReadonlySet<string>,
): Fields {
  const properties = propertiesOf(schemas, 'Event');
  const json = writeObject(schemas, properties, event, names) ?? {};
  if (typeof zone === 'string')
    for (const name of timeFields) if (isFields(json[name])) json[name] = moveToZone(json[name], zone);
  // A cancelled event may lack its times, and then has no event type either.
  if ((event as Fields).start !== undefined) json.eventType = properties.eventType?.constant;
  return json;
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
  if (typeof value === 'string') return property.officialValues?.[value] ?? value;
  const { items, properties } = resolveSchema(schemas, property);
  if (Array.isArray(value)) return items ? value.map((entry) => renameFields(schemas, items, entry)) : value;
  if (!isFields(value) || !properties) return value;
  const setProperties = listWrittenProperties(properties).filter(({ field }) => value[field] !== undefined);
  return Object.fromEntries(
    setProperties.map(({ name, field, property: inner }) => [
      name,
      renameFields(schemas, inner, value[field]),
    ]),
  );
}
