import type { Issue } from '../core/kernel/errors.ts';
import type { Operations } from './operation.ts';

/** By name of an input type: the issues of a value by itself, with paths from the value on. */
export type InputChecks = Readonly<Record<string, (value: unknown) => readonly Issue[]>>;

/**
 * A resource as the gateway takes it in. Its part of the schema stands in `schema/`, with the operations as root fields;
 * its module gets a service, so that another one can stand behind the same operations.
 */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
  /** Run on inputs that do not fit the schema, so that all their issues come at once. */
  readonly inputChecks?: InputChecks;
}
