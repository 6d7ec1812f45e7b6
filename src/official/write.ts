import { isFields } from '../core/kernel/patch.ts';
import { offsetAt, printOffset } from '../core/time/local-time.ts';
import type { Property, Schema, Schemas } from './schema.ts';
import { resolved } from './resolved.ts';

type Json = Readonly<Record<string, unknown>>;

/** A resource in official names. What is unset is absent, and so is what is as usual. */
export function written(schemas: Schemas, name: string, value: object, wanted?: Wanted): Json {
  const properties = resolved(schemas, { $ref: name }).properties as NonNullable<Schema['properties']>;
  return objectOf(schemas, properties, value, wanted ?? Object.keys(properties)) ?? {};
}

/** The properties of a resource that the answer needs: others are not worked out. */
export type Wanted = Iterable<string> | undefined;

function valueOf(schemas: Schemas, property: Property, value: unknown): unknown {
  if (value === null || value === undefined || value === property.standard) return undefined;
  if (typeof value !== 'object') return typeof value === 'string' ? (property.spelled?.[value] ?? value) : value;
  const { items, properties } = resolved(schemas, property);
  if (items && Array.isArray(value)) return value.map((entry) => valueOf(schemas, items, entry) ?? {});
  return properties ? objectOf(schemas, properties, value, Object.keys(properties)) : value;
}

function objectOf(schemas: Schemas, properties: NonNullable<Schema['properties']>, value: object, names: Iterable<string>): Json | undefined {
  let json: Record<string, unknown> | undefined;
  for (const name of names) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const found = inner && valueOf(schemas, inner, (value as Json)[inner.field ?? name]);
    if (found !== undefined) (json ??= {})[name] = found;
  }
  return json;
}

const times = ['start', 'end', 'originalStartTime'] as const;

/** An event, its times at the offset of a zone where one was asked for. */
export function writtenEvent(schemas: Schemas, event: object, zone: unknown, wanted?: Wanted): Json {
  const json = written(schemas, 'Event', event, wanted);
  const isWhole = (event as Json).start !== undefined;
  if (typeof zone !== 'string') return isWhole ? { ...json, eventType: 'default' } : json;
  const zoned = Object.fromEntries(times.flatMap((name) => (isFields(json[name]) ? [[name, inZone(json[name], zone)]] : [])));
  // Of a cancelled event the times may be gone, and all that describes it with them.
  return { ...json, ...zoned, ...(isWhole && { eventType: 'default' }) };
}

/** The same moment at the offset that a zone has then. */
function inZone(time: Json, zone: string): Json {
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
