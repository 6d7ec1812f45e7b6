import { write, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { LogLevel, LogTarget } from '../core/runtime/log.ts';

/** Lines are written together when they have this many bytes, */
const chunkBytes = 16_000;
/** or when the first of them has waited this long (ms). */
const maxDelayMs = 100;
/** Bytes that wait for a slow reader at most; further lines are dropped. */
const maxWaitingBytes = 16 * 1024 * 1024;
/** Delay (ms) before a full pipe is tried again. */
const retryMs = 10;
/** Time (ms) for the remaining lines when the process ends. */
const exitMs = 1000;

const nothing = Buffer.alloc(0);

/**
 * Writes lines to a file descriptor in chunks: a system call for each would take longer than making the line. The
 * remaining lines are written when the process exits. When the reader is gone, lines are dropped.
 */
function createLineWriter(fd: number): LogTarget {
  /** The rest of the last write, and the lines behind it. */
  let rest: Buffer = nothing;
  let waiting: string[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let isGone = false;

  const take = (): Buffer => {
    const lines = Buffer.from(waiting.join(''));
    const all = rest.length > 0 ? Buffer.concat([rest, lines]) : lines;
    [rest, waiting] = [nothing, []];
    return all;
  };
  const isFull = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY';
  const giveUp = (): void => {
    isGone = true;
    [rest, waiting, bytes] = [nothing, [], 0];
  };

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || bytes === 0) return;
    isWriting = true;
    const chunk = take();
    write(fd, chunk, (error, written) => {
      isWriting = false;
      if (error && !isFull(error)) return giveUp();
      bytes -= written;
      if (written < chunk.length) rest = chunk.subarray(written);
      if (bytes >= chunkBytes && !error) send();
      else if (bytes > 0) later(error ? retryMs : maxDelayMs);
    });
  }

  function later(ms: number): void {
    timer ??= setTimeout(send, ms).unref();
  }

  process.once('exit', () => {
    const end = Date.now() + exitMs;
    for (let last = take(); last.length > 0 && Date.now() < end;) {
      try {
        last = last.subarray(writeSync(fd, last));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  });

  return {
    write(line) {
      const length = Buffer.byteLength(line);
      if (isGone || bytes + length > maxWaitingBytes) return;
      waiting.push(line);
      bytes += length;
      if (bytes >= chunkBytes) send();
      else later(maxDelayMs);
    },
  };
}

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
