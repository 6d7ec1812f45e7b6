import * as shapes from '../generated/input-shapes.ts';
import type { Issue } from '../core/errors.ts';
import { Coercer } from '../core/fields/coerce.ts';
import { CoercionErrors } from '../core/fields/leaves.ts';
import { officialNames } from '../google/names.ts';

const coercer = new Coercer(shapes, officialNames);

interface CoercedInput {
  /** What of the value fits; `coercionError` for nothing. */
  readonly value: unknown;
  /** Paths start with the argument. */
  readonly issues: readonly Issue[];
}

/** Coerces the value of an argument to its type, as the server does before its rules. */
export function coerceInput(value: unknown, argument: string, type: string): CoercedInput {
  const errors = new CoercionErrors();
  return { value: errors.at(argument, coercer.for(type), value), issues: errors.issues };
}
