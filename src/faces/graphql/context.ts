import type { Caller } from '../../access/permissions.ts';
import type { Warning } from '../../core/errors.ts';
import { type Meter, RequestContext } from '../../operations/context.ts';
import type { EdgeResults } from './graph.ts';
import type { Admitted } from './request/admission.ts';
import { mayIntrospect, type Introspection } from './request/documents.ts';
import { Notes } from './notes.ts';

/** The result or error of a resolver, and whether it came as a promise: that decides which of several errors is reported. */
export type Outcome = { readonly waited: boolean } & (
  { readonly value: unknown } | { readonly error: unknown }
);

/** State of one GraphQL request; the context of its resolvers. */
export class GatewayContext extends RequestContext {
  /** Content of the response's `extensions`. */
  readonly notes = new Notes();
  /** Warnings of fields dropped from the variables; paths start with the name of the variable. */
  variableWarnings: readonly Warning[] = [];
  /** Whether messages may suggest names of the schema. */
  readonly seesSchema: boolean;
  readonly admitted: Admitted;
  /** Outcomes of root fields that ran, by response key: their resolvers do not run again. */
  outcomes?: ReadonlyMap<string | number, Outcome>;
  /** Results of edges. */
  edges?: EdgeResults;
  /** The number of edges that were refused. */
  refusedEdges = 0;
  /** The turn in which the next values of edges become ready, and how many more do. */
  edgeTurn?: { left: number; begins: Promise<unknown> };
  /** Charges for what is known only while the operation runs. */
  readonly meter: Meter | undefined;

  constructor(caller: Caller, admitted: Admitted, introspection: Introspection, meter?: Meter) {
    super(caller);
    this.admitted = admitted;
    this.meter = meter;
    this.seesSchema = mayIntrospect(caller.viewer, introspection);
  }
}
