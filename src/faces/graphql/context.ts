import type { Caller } from '../../access/permissions.ts';
import type { Warning } from '../../core/errors.ts';
import { type Meter, RequestContext } from '../../operations/context.ts';
import type { EnteredEdges } from './graph.ts';
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
  /** What edges gave. */
  edges?: EnteredEdges;
  /** The number of entries whose edges were refused. */
  refusedEntries = 0;
  /** The last of the turns in which values of edges become ready. */
  lastTurn?: Promise<unknown>;
  /** Charges what shows only while the operation runs. */
  readonly meter: Meter | undefined;

  constructor(caller: Caller, admitted: Admitted, introspection: Introspection, meter?: Meter) {
    super(caller);
    this.admitted = admitted;
    this.meter = meter;
    this.seesSchema = mayIntrospect(caller.viewer, introspection);
  }
}
