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

/** What is reported of a request for the log, the metrics and the trace; filled in while it runs. */
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
  /** Of a request for the REST face: what it ran, for the metrics. */
  rest?: string;
  /** What the request costs, in the unit of the rate limit. */
  cost?: number;
  /** The codes of the errors, in their order. */
  codes: readonly string[];
  /** Of a stream: how many results were sent, and what ended it. */
  stream?: { readonly events: number; readonly ended: string };
  /** True when the request was refused for what it would have cost. */
  costRefused?: boolean;
}
