/** The lowest level that is written; `silent` writes nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** The log for operators; its lines are never sent to clients. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Receives the lines of a log. */
export interface LogTarget {
  write(line: string): void;
}

/** The report of a request for the log, the metrics and the trace; filled in while it runs. */
export interface RequestReport {
  operation?: {
    readonly kind: 'query' | 'mutation' | 'subscription';
    /** The name that the client gave it. */
    readonly name?: string;
    /** SHA-256 of the document, hexadecimal; absent for faces without documents. */
    readonly hash?: string;
    /** The names of the operations that were run, each once. */
    readonly rootFields: readonly string[];
  };
  /** The method that a REST request ran, for the metrics. */
  rest?: string;
  /** The cost of the request, in the unit of the rate limit. */
  cost?: number;
  /** The codes of the errors, in their order. */
  codes: readonly string[];
  /** The number of results that a stream sent, and the cause of its end. */
  stream?: { readonly events: number; readonly ended: string };
  /** True when the request was refused for what it would have cost. */
  costRefused?: boolean;
}
