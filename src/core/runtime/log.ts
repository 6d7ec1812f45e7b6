/** Lowest level that is written; `silent` writes nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Log for operators. Its lines are never sent to clients. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Receives the lines of a log. */
export interface LogTarget {
  write(line: string): void;
}

/** Report of a request for log, metrics and trace. Filled in while the request runs. */
export interface RequestReport {
  operation?: {
    readonly kind: 'query' | 'mutation' | 'subscription';
    readonly name?: string;
    /** SHA-256 of the GraphQL document in hexadecimal; absent for REST. */
    readonly hash?: string;
    readonly rootFields: readonly string[];
  };
  /** Operation of a REST request; `none` if no method was found. */
  rest?: string;
  /** Cost of the request, in the unit of the rate limit. */
  cost?: number;
  /** Codes of the errors in the response. */
  codes: readonly string[];
  /** Number of results that a stream sent, and the cause of its end. */
  stream?: { readonly events: number; readonly ended: string };
  isCostRefused?: boolean;
}
