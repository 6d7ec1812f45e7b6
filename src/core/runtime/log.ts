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
