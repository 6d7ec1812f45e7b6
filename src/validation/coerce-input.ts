import * as shapes from '../generated/input-shapes.ts';
import { Coercer } from '../core/fields/coerce.ts';
import { CoercionErrors } from '../core/fields/leaves.ts';
import { officialNames } from '../google/names.ts';

const coercer = new Coercer(shapes, officialNames);

/** Coerces the value of an argument as the server does: to its valid parts, or to `coercionError`. */
export function coerceInput(value: unknown, argument: string, type: string) {
  const errors = new CoercionErrors();
  return { value: errors.coerceAt(argument, coercer.for(type), value), issues: errors.issues };
}
