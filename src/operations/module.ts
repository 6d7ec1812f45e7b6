import type { Issue } from '../core/kernel/errors.ts';
import type { Operations } from './operation.ts';

/** By name of an input type: the issues of a value by itself, with paths from the value on. */
export type InputChecks = Readonly<Record<string, (value: unknown) => readonly Issue[]>>;

/**
 * A resource of the gateway. Its part of the schema is in `schema/`, with the operations as root fields. Modules get their
 * service, so that another implementation can stand behind the same operations.
 */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
  /** Run on inputs that do not fit the schema, so that all their issues come at once. */
  readonly inputChecks?: InputChecks;
}
