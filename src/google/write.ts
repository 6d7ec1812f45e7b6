import { type Fields, isFields } from '../core/patch.ts';
import { offsetAt, printOffset } from '../core/time/local-time.ts';
import { type Part, selectPart } from './partial.ts';
import { resolved } from './read.ts';
import type { Property, Schema, Schemas } from './schemas.ts';

/** A resource in official names. What is unset is absent, and so is what is as usual. */
export const written = (schemas: Schemas, name: string, value: object): Fields =>
  objectOf(shapeOf(schemas, name), value) ?? {};

/** How an object is written: what is asked for of it, worked out once. */
interface Shape {
  readonly entries: readonly Entry[];
  /** Properties that are always the same. */
  readonly constants: Fields;
}

interface Entry {
  readonly name: string;
  readonly field: string;
  readonly property: Property;
  /** Absent: all of it is asked for. */
  readonly part: Part | undefined;
  /** Of an object, or of the entries of a list; absent: there are no properties. */
  readonly shape: Shape | undefined;
  /** That of the whole, where parts are asked for. */
  readonly whole: Shape | undefined;
}

/** By schemas and what is asked for: the whole is known by the schemas. */
const shapes = new WeakMap<Schemas, WeakMap<object, Map<string, Shape>>>();

/** The shape of a resource, worked out once for the whole, and for each part. */
function shapeOf(schemas: Schemas, name: string, part?: Part): Shape {
  const known = entryIn(
    entryIn(shapes, schemas, () => new WeakMap<object, Map<string, Shape>>()),
    part ?? schemas,
    () => new Map<string, Shape>(),
  );
  return entryIn(known, name, () =>
    shapeFrom(
      schemas,
      resolved(schemas, { $ref: name }).properties as NonNullable<Schema['properties']>,
      part,
    ),
  );
}

/** The entry of a key, made where there is none. */
function entryIn<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

const all: Part = { whole: true, names: undefined, at: () => all };

function shapeFrom(
  schemas: Schemas,
  properties: NonNullable<Schema['properties']>,
  asked: Part = all,
): Shape {
  const constants: Record<string, unknown> = {};
  const entries: Entry[] = [];
  for (const name of asked.names ?? Object.keys(properties)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const part = asked.at(name);
    if (!property || !part) continue;
    if (property.constant === undefined)
      entries.push(entryOf(schemas, name, property, part.whole ? undefined : part));
    else if (part.whole) constants[name] = property.constant;
  }
  return { entries, constants };
}

function entryOf(schemas: Schemas, name: string, property: Property, part: Part | undefined): Entry {
  const within = (of: Schema, asked?: Part): Shape | undefined => {
    if (of.$ref !== undefined) return shapeOf(schemas, of.$ref, asked);
    return of.items ? within(of.items, asked) : of.properties && shapeFrom(schemas, of.properties, asked);
  };
  return {
    name,
    field: property.field ?? name,
    property,
    part,
    shape: within(property, part),
    whole: part && within(property),
  };
}

function valueOf({ property, part, shape, whole }: Entry, value: unknown): unknown {
  if (value === null || value === undefined || value === property.standard) return undefined;
  if (typeof value !== 'object')
    return part ? undefined : typeof value === 'string' ? (property.spelled?.[value] ?? value) : value;
  if (!shape) return part ? selectPart(part, value) : value;
  if (Array.isArray(value)) return value.map((entry: object) => objectOf(shape, entry) ?? {});
  // An object is there, whatever is asked for of it.
  return objectOf(shape, value) ?? (whole && objectOf(whole, value) && {});
}

function objectOf({ entries }: Shape, value: object): Record<string, unknown> | undefined {
  let json: Record<string, unknown> | undefined;
  for (const entry of entries) {
    const found = valueOf(entry, (value as Fields)[entry.field]);
    if (found !== undefined) (json ??= {})[entry.name] = found;
  }
  return json;
}

const times = ['start', 'end', 'originalStartTime'] as const;

/** Writes events, or parts of them, their times at the offset of a zone where one was asked for. */
export function eventWriter(schemas: Schemas, zone: unknown, part?: Part): (event: object) => Fields {
  const shape = shapeOf(schemas, 'Event', part);
  return (event) => {
    const json = objectOf(shape, event) ?? {};
    if (typeof zone === 'string')
      for (const name of times) if (isFields(json[name])) json[name] = inZone(json[name], zone);
    // Of a cancelled event the times may be gone, and all that describes it with them.
    return (event as Fields).start === undefined ? json : Object.assign(json, shape.constants);
  };
}

/** The same moment at the offset that a zone has then. */
function inZone(time: Fields, zone: string): Fields {
  if (typeof time.dateTime !== 'string') return time;
  const instant = instantOf(time.dateTime);
  // Early offsets have seconds, which cannot be written.
  const offset = Math.round(offsetAt(instant, zone) / 60_000) * 60_000;
  const [, fraction = ''] = /(\.\d+)/.exec(time.dateTime) ?? [];
  const whole = Math.floor(instant / 1000) * 1000;
  const local = new Date(whole + offset).toISOString();
  // Years have four digits in RFC 3339: a time beyond them stays as it is.
  if (!/^\d{4}-/.test(local)) return time;
  return { ...time, dateTime: `${local.slice(0, 19)}${fraction}${offset === 0 ? 'Z' : printOffset(offset)}` };
}

/** A time of RFC 3339 with an offset as an instant of UTC. */
export const instantOf = (text: string): number => Date.parse(text.toUpperCase());

/** A body in official names, otherwise as it was sent: with its nulls, and what is as usual. */
export function asSent(schemas: Schemas, name: string, body: Fields): Fields {
  return official(schemas, { $ref: name }, body) as Fields;
}

function official(schemas: Schemas, property: Property, value: unknown): unknown {
  const of: Property = property.$ref === undefined ? property : { ...schemas[property.$ref], ...property };
  if (Array.isArray(value)) return value.map((entry) => official(schemas, of.items ?? {}, entry));
  if (typeof value === 'string') return of.spelled?.[value] ?? value;
  if (!isFields(value) || !of.properties) return value;
  const known = Object.entries(of.properties).flatMap(([name, inner]): [string, unknown][] => {
    const field = inner.field ?? name;
    const has = inner.constant === undefined && Object.hasOwn(value, field) && value[field] !== undefined;
    return has ? [[name, official(schemas, inner, value[field])]] : [];
  });
  return Object.fromEntries(known);
}
