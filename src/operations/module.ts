import type { FieldRelations } from '../core/coercion/other-issues.ts';
import type { Issue } from '../core/kernel/errors.ts';
import type { Operations } from './operation.ts';

/** Validates the values of an input type without stored data. */
export interface InputCheck {
  /** Paths start at the value. */
  issuesOf(value: unknown): readonly Issue[];
  readonly relations?: FieldRelations;
}

/** By name of the input type. */
export type InputChecks = Readonly<Record<string, InputCheck>>;

/**
 * A resource as the gateway takes it in. Its part of the schema stands in `schema/`, with the operations as root fields;
 * its module gets a service, so that another one can stand behind the same operations.
 */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
  /** Run on inputs that do not fit the schema, so that all their issues come at once. */
  readonly inputChecks?: InputChecks;
}
