/** From which level on lines are written; `silent`: none. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Writes what the operators need to know; never sent to a client. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Where a log goes, a line at a time. */
export interface LogTarget {
  write(line: string): void;
}
