import { isFields } from '../core/kernel/patch.ts';
import { localOf, offsetAt, printOffset } from '../core/time/local-time.ts';
import { partOf, selectAny, type FieldSelection } from './partial.ts';
import type { Property, Schema, Schemas } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** A resource in official names. What is unset is absent, and so is what is as usual. */
export const written = (schemas: Schemas, name: string, value: object): Json => objectOf(shapeOf(schemas, name), value) ?? {};

/** How an object is written: what is asked for of it, worked out once. */
interface Shape {
  readonly entries: readonly Entry[];
  /** Properties that are always the same. */
  readonly constants: Json;
}

interface Entry {
  readonly name: string;
  readonly field: string;
  readonly property: Property;
  /** Absent: all of it is asked for. */
  readonly parts: readonly FieldSelection[] | undefined;
  /** Of an object, or of the entries of a list; absent: there are no properties. */
  readonly shape: Shape | undefined;
  /** That of the whole, where parts are asked for. */
  readonly whole: Shape | undefined;
}

/** By schemas, and what is asked for: the whole is known by the schemas. */
const shapes = new WeakMap<Schemas, WeakMap<object, Map<string, Shape>>>();

/** The shape of a resource, worked out once for the whole, and for each selection. */
function shapeOf(schemas: Schemas, name: string, parts?: readonly FieldSelection[]): Shape {
  const make = (): Shape => shapeFrom(schemas, schemas[name]?.properties ?? {}, parts);
  const asked = parts ? parts[0] : schemas;
  if (!asked || (parts && parts.length > 1)) return make();
  const known = entryIn(entryIn(shapes, schemas, () => new WeakMap<object, Map<string, Shape>>()), asked, () => new Map<string, Shape>());
  return entryIn(known, name, make);
}

/** The entry of a key, made where there is none. */
function entryIn<Key, Value>(map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown }, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function shapeFrom(schemas: Schemas, properties: NonNullable<Schema['properties']>, parts: readonly FieldSelection[] | undefined): Shape {
  const constants: Record<string, unknown> = {};
  const entries: Entry[] = [];
  const isOpen = !parts || parts.some(({ fields }) => fields.has('*'));
  for (const name of isOpen ? Object.keys(properties) : new Set(parts.flatMap(({ fields }) => [...fields.keys()]))) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const part = parts ? partOf(parts, name) : true;
    if (!property || !part) continue;
    if (property.constant === undefined) entries.push(entryOf(schemas, name, property, part));
    else if (part === true) constants[name] = property.constant;
  }
  return { entries, constants };
}

function entryOf(schemas: Schemas, name: string, property: Property, part: true | readonly FieldSelection[]): Entry {
  const within = (of: Schema, asked?: readonly FieldSelection[]): Shape | undefined => {
    if (of.$ref !== undefined) return asked ? within(schemas[of.$ref] ?? {}, asked) : shapeOf(schemas, of.$ref);
    return of.items ? within(of.items, asked) : of.properties && shapeFrom(schemas, of.properties, asked);
  };
  const parts = part === true ? undefined : part;
  return { name, field: property.field ?? name, property, parts, shape: within(property, parts), whole: parts && within(property) };
}

function valueOf({ property, parts, shape, whole }: Entry, value: unknown): unknown {
  if (value === null || value === undefined || value === property.standard) return undefined;
  if (typeof value !== 'object') return parts ? undefined : typeof value === 'string' ? (property.spelled?.[value] ?? value) : value;
  if (!shape) return parts ? selectAny(parts, value) : value;
  if (Array.isArray(value)) return value.map((entry: object) => objectOf(shape, entry) ?? {});
  // An object is there, whatever is asked for of it.
  return objectOf(shape, value) ?? (whole && objectOf(whole, value) && {});
}

function objectOf({ entries }: Shape, value: object): Record<string, unknown> | undefined {
  let json: Record<string, unknown> | undefined;
  for (const entry of entries) {
    const found = valueOf(entry, (value as Json)[entry.field]);
    if (found !== undefined) (json ??= {})[entry.name] = found;
  }
  return json;
}

const times = ['start', 'end', 'originalStartTime'] as const;

/** Writes events, or parts of them, their times at the offset of a zone where one was asked for. */
export function eventWriter(schemas: Schemas, zone: unknown, parts?: readonly FieldSelection[]): (event: object) => Json {
  const shape = shapeOf(schemas, 'Event', parts);
  return (event) => {
    const json = objectOf(shape, event) ?? {};
    if (typeof zone === 'string') for (const name of times) if (isFields(json[name])) json[name] = inZone(json[name], zone);
    // Of a cancelled event the times may be gone, and all that describes it with them.
    return (event as Json).start === undefined ? json : Object.assign(json, shape.constants);
  };
}

/** The same moment at the offset that a zone has then. */
function inZone(time: Json, zone: string): Json {
  if (typeof time.dateTime !== 'string') return time;
  const instant = Date.parse(time.dateTime.toUpperCase());
  if (Number.isNaN(instant)) return time;
  const offset = offsetAt(instant, zone);
  const [, fraction = ''] = /(\.\d+)/.exec(time.dateTime) ?? [];
  const whole = Math.floor(instant / 1000) * 1000;
  return { ...time, dateTime: `${new Date(whole + offset).toISOString().slice(0, 19)}${fraction}${offset === 0 ? 'Z' : printOffset(offset)}` };
}

/** Any time of RFC 3339 as an instant of UTC. */
export const instantOf = (text: string): number => (text.length === 10 ? localOf(text) : Date.parse(text.toUpperCase()));
