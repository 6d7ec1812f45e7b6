import * as shapes from '../generated/input-shapes.ts';
import { SchemaCoercer } from '../core/fields/coerce.ts';
import { CoercionErrors } from '../core/fields/leaves.ts';
import { officialNames } from '../google/names.ts';

const coercer = new SchemaCoercer(shapes, officialNames);

/** Coerces the value of an argument as the server does: to its valid parts, or to `coercionError`. */
export function coerceInput(value: unknown, argument: string, type: string) {
  const errors = new CoercionErrors();
  return { value: errors.coerceAt(argument, coercer.coercerFor(type), value), issues: errors.issues };
}
