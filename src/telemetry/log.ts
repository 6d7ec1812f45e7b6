import { pino, type Logger } from 'pino';
import type { LogLevel, LogTarget } from '../core/runtime/log.ts';
import { createLineWriter } from './line-writer.ts';

const maxStack = 4000;
/** How many causes of an error are told, one below the other. */
const maxCauses = 3;

/** What drivers add to their errors, and what is told of it. */
interface LoggedError {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  /** Of a database its SQLSTATE, of a network the code of the system. */
  readonly code?: unknown;
  /** The name of the statement that failed. */
  readonly statement?: unknown;
  readonly cause?: unknown;
}

/** Of an error nothing but its name, message, code, statement and causes: drivers hang the values they worked with on theirs. */
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

/** No queries of URLs and no headers; of an error no values. */
const serializers = {
  req: ({ method, url }: { readonly method?: string; readonly url?: string }) => ({ method, path: url?.replace(/[?#].*$/s, '') }),
  res: ({ statusCode }: { readonly statusCode?: number }) => ({ status: statusCode }),
  err: (error: unknown) =>
    typeof error !== 'object' || error === null
      ? { message: String(error) }
      : { ...errorLine(error, maxCauses), stack: ((error as LoggedError).stack ?? '').slice(0, maxStack) },
};

/** The log of a process: lines of JSON on standard output. */
export function createLog(level: LogLevel, to?: LogTarget): Logger {
  if (level === 'silent') return pino({ level });
  return pino({ level, serializers }, to ?? createLineWriter(1));
}
