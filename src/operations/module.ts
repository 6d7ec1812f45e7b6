import type { Operations } from './operation.ts';

/**
 * A resource of the gateway. Its part of the schema is in `schema/`, with the operations as root fields. Modules get their
 * service, so that another implementation can stand behind the same operations.
 */
export interface ResourceModule<Own extends Operations = Operations> {
  readonly operations: Own;
}
