/** What the GraphQL layer reports of a request to the log, the metrics and the trace. */
export interface RequestReport {
  operation?: {
    readonly kind: 'query' | 'mutation' | 'subscription';
    readonly name?: string;
    /** SHA-256 of the document, hexadecimal. */
    readonly hash: string;
    /** Names of the schema, aliases resolved, each once. */
    readonly rootFields: readonly string[];
  };
  /** What the operation costs, in the unit of the rate limit. */
  cost?: number;
  /** The codes of the errors, in their order. */
  codes: readonly string[];
  /** Of a stream: how many results it told, and what ended it. */
  stream?: { readonly events: number; readonly ended: string };
  /** True when the operation was refused for what it would have cost. */
  costRefused?: boolean;
}
