import type { Caller } from '../../access/permissions.ts';
import type { Warning } from '../../core/errors.ts';
import { type Meter, RequestContext } from '../../operations/context.ts';
import type { EdgeResults } from './graph.ts';
import type { Admitted } from './request/admission.ts';
import { mayIntrospect, type Introspection } from './request/documents.ts';
import { WriteReports } from './notes.ts';

/** Result or error of a resolver. `isAsync` decides which of several errors graphql-js reports. */
export type RootOutcome = { readonly isAsync: boolean } & (
  { readonly value: unknown } | { readonly error: unknown }
);

/** State of one GraphQL request; the context of its resolvers. */
export class GatewayContext extends RequestContext {
  readonly writeReports = new WriteReports();
  /** Warnings about fields dropped from the variables; paths start with the variable's name. */
  variableWarnings: readonly Warning[] = [];
  /** Whether messages may suggest names of the schema. */
  readonly seesSchema: boolean;
  readonly admitted: Admitted;
  /** Outcomes of root fields by response key. Their resolvers must not run again. */
  outcomes?: ReadonlyMap<string | number, RootOutcome>;
  edgeResults?: EdgeResults;
  refusedEdges = 0;
  /** Event-loop turn in which the next edge values resolve, and how many more may resolve in it. */
  edgeTurn?: { valuesLeft: number; start: Promise<unknown> };

  constructor(caller: Caller, admitted: Admitted, introspection: Introspection, meter?: Meter) {
    super(caller, meter);
    this.admitted = admitted;
    this.seesSchema = mayIntrospect(caller.viewer, introspection);
  }
}
