import type { Caller } from '../../access/caller.ts';
import type { Warning } from '../../core/kernel/errors.ts';
import { RequestContext } from '../../operations/context.ts';
import { mayIntrospect, type Introspection } from './request/operation-scopes.ts';
import type { ParsedOperation } from './request/documents.ts';
import { createNotes } from './notes.ts';

/** What resolvers know of the request they work for. */
export class GatewayContext extends RequestContext {
  /** What becomes the response's `extensions`. */
  readonly notes = createNotes();
  /** Warnings of fields dropped from the variables; paths start with the name of the variable. */
  variableWarnings: readonly Warning[] = [];
  /** Whether messages may suggest names of the schema. */
  readonly seesSchema: boolean;

  /** Absent where resolvers are run without a request. */
  readonly operation: ParsedOperation | undefined;

  constructor(caller: Caller, introspection: Introspection = 'off', operation?: ParsedOperation) {
    super(caller);
    this.seesSchema = mayIntrospect(caller.viewer, introspection);
    this.operation = operation;
  }
}

export const contextOf = (
  caller: Caller,
  introspection: Introspection,
  operation: ParsedOperation,
): GatewayContext => new GatewayContext(caller, introspection, operation);
