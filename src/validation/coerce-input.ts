import * as shapes from '../generated/input-shapes.ts';
import { SchemaCoercer } from '../core/fields/coerce.ts';
import { CoercionErrors } from '../core/fields/scalar-coercers.ts';
import { officialNames } from '../google/api-differences.ts';

const coercer = new SchemaCoercer(shapes, officialNames);

/** Coerces the value of an argument as the server does: to its valid parts, or to `coercionError`. `type`: its type in the schema. */
export function coerceInput(value: unknown, argument: string, type: string) {
  const errors = new CoercionErrors();
  return { value: errors.coerceAt(argument, coercer.coercerFor(type), value), issues: errors.issues };
}
