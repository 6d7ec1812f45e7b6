import type { Caller } from '../../access/permissions.ts';
import type { Warning } from '../../core/errors.ts';
import { type Meter, RequestContext } from '../../operations/context.ts';
import type { EdgeResults } from './graph.ts';
import type { AdmittedRequest } from './request/admission.ts';
import { mayIntrospect, type Introspection } from './request/documents.ts';
import { WriteReports } from './write-reports.ts';

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
  readonly maySeeSchema: boolean;
  readonly admittedRequest: AdmittedRequest;
  /** Outcomes of root fields by response key. Their resolvers must not run again. */
  rootOutcomes?: ReadonlyMap<string | number, RootOutcome>;
  /**
   * Results of edges, read before their resolvers run; undefined until the first root field with edges is
   * resolved.
   */
  edgeResults?: EdgeResults;
  /** Number of failed edges below lists, limited by `maxFailedEdges`. */
  failedEdgeCount = 0;
  /** Event-loop turn in which the next edge values resolve, and how many more may resolve in it. */
  edgeTurn?: { valuesLeft: number; start: Promise<unknown> };

  constructor(caller: Caller, request: AdmittedRequest, introspection: Introspection, meter?: Meter) {
    super(caller, meter);
    this.admittedRequest = request;
    this.maySeeSchema = mayIntrospect(caller.viewer, introspection);
  }
}
