import type { Caller } from '../../access/caller.ts';
import type { Warning } from '../../core/kernel/errors.ts';
import { RequestContext } from '../../operations/context.ts';
import type { Admitted } from './request/admission.ts';
import { mayIntrospect, type Introspection } from './request/operation-scopes.ts';
import { createNotes } from './notes.ts';

/** What is known of the request that an operation runs for; resolvers get it as their context. */
export class GatewayContext extends RequestContext {
  /** What becomes the response's `extensions`. */
  readonly notes = createNotes();
  /** Warnings of fields dropped from the variables; paths start with the name of the variable. */
  variableWarnings: readonly Warning[] = [];
  /** Whether messages may suggest names of the schema. */
  readonly seesSchema: boolean;
  readonly admitted: Admitted;

  constructor(caller: Caller, admitted: Admitted, introspection: Introspection) {
    super(caller);
    this.admitted = admitted;
    this.seesSchema = mayIntrospect(caller.viewer, introspection);
  }
}
