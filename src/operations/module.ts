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
 * A resource of the gateway. Its part of the schema is in `schema/`, with the operations as root fields. Modules get their
 * service, so that another implementation can stand behind the same operations.
 */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
  /** Run on inputs that do not fit the schema, so that all their issues come at once. */
  readonly inputChecks?: InputChecks;
}
