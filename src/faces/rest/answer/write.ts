import { isFields } from '../../../core/kernel/patch.ts';
import { localOf, offsetAt, printOffset } from '../../../core/time/local-time.ts';
import type { Property, Schema, Schemas } from '../method.ts';

type Json = Readonly<Record<string, unknown>>;

/** A resource in official names. What is unset is absent, and so is what is as usual. */
export const written = (schemas: Schemas, name: string, value: object): Json => (valueOf(schemas, { $ref: name }, value) ?? {}) as Json;

function valueOf(schemas: Schemas, property: Property, value: unknown): unknown {
  if (value === null || value === undefined || value === property.standard) return undefined;
  if (typeof value !== 'object') return typeof value === 'string' ? (property.spelled?.[value] ?? value) : value;
  const of: Schema = property.$ref === undefined ? property : (schemas[property.$ref] ?? {});
  if (Array.isArray(value)) return value.map((entry) => valueOf(schemas, of.items ?? {}, entry) ?? {});
  if (!of.properties) return value;
  const json: Record<string, unknown> = {};
  for (const name in of.properties) {
    const inner = of.properties[name] as Property;
    const found = valueOf(schemas, inner, (value as Json)[inner.field ?? name]);
    if (found !== undefined) json[name] = found;
  }
  return Object.keys(json).length > 0 ? json : undefined;
}

const times = ['start', 'end', 'originalStartTime'] as const;

/** An event, its times at the offset of a zone where one was asked for. */
export function writtenEvent(schemas: Schemas, event: object, zone: unknown): Json {
  const json = written(schemas, 'Event', event);
  const zoned = typeof zone === 'string' ? Object.fromEntries(times.flatMap((name) => (isFields(json[name]) ? [[name, inZone(json[name], zone)]] : []))) : {};
  // Of a cancelled event the times may be gone, and all that describes it with them.
  return { ...json, ...zoned, ...(json.start !== undefined && { eventType: 'default' }) };
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
