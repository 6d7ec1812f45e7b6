import { pino, type Logger } from 'pino';
import type { LogLevel, LogTarget } from '../core/runtime/log.ts';
import { createLineWriter } from './line-writer.ts';

const maxStack = 4000;
/** Depth of nested causes that are logged. */
const maxCauses = 3;

/** The logged properties of an error. */
interface LoggedError {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  /** SQLSTATE of a database error, or code of a system error. */
  readonly code?: unknown;
  /** The name of the statement that failed. */
  readonly statement?: unknown;
  readonly cause?: unknown;
}

/** All other properties are left out: drivers add the values of a statement to their errors. */
function errorLine(error: LoggedError, causes: number): object {
  const { name, message, code, statement, cause } = error;
  const hasCause = typeof cause === 'object' && cause !== null && causes > 0;
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof statement === 'string' && { statement }),
    ...(hasCause && { cause: errorLine(cause, causes - 1) }),
  };
}

/** Leave out queries of URLs, headers, and values in errors. */
const serializers = {
  req: ({ method, url }: { readonly method?: string; readonly url?: string }) => ({
    method,
    path: url?.replace(/[?#].*$/s, ''),
  }),
  res: ({ statusCode }: { readonly statusCode?: number }) => ({ status: statusCode }),
  err: (error: unknown) =>
    typeof error !== 'object' || error === null
      ? { message: String(error) }
      : { ...errorLine(error, maxCauses), stack: ((error as LoggedError).stack ?? '').slice(0, maxStack) },
};

/** Logs lines of JSON to standard output. */
export function createLog(level: LogLevel, to?: LogTarget): Logger {
  if (level === 'silent') return pino({ level });
  return pino({ level, serializers }, to ?? createLineWriter(1));
}
