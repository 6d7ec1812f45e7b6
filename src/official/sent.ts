import { isFields } from '../core/kernel/patch.ts';
import type { Property, Schemas } from './schema.ts';

/** A body in official names, otherwise as it was sent: with its nulls, and what is as usual. */
export function asSent(
  schemas: Schemas,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return official(schemas, { $ref: name }, body) as Readonly<Record<string, unknown>>;
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
