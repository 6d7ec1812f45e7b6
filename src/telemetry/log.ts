import { write, writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { LogLevel, LogTarget } from '../core/runtime/log.ts';

/** Buffered lines are written when they have this many bytes, or after `maxWriteDelayMs`. */
const chunkBytes = 16_000;
const maxWriteDelayMs = 100;
/** Buffer limit for a slow reader. Further lines are dropped. */
const maxBufferedBytes = 16 * 1024 * 1024;
/** Delay (ms) before another write to a full pipe. */
const retryDelayMs = 10;
/** Time limit (ms) for the remaining lines when the process exits. */
const maxExitMs = 1000;

const emptyBuffer = Buffer.alloc(0);

/** Writes lines to a file descriptor in chunks, as a system call per line is slow. Drops lines if the reader is gone. */
function createLineWriter(fileDescriptor: number): LogTarget {
  let unwrittenChunk: Buffer = emptyBuffer;
  let waitingLines: string[] = [];
  let bufferedBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let isReaderGone = false;

  const takeBuffer = (): Buffer => {
    const lines = Buffer.from(waitingLines.join(''));
    const buffer = unwrittenChunk.length > 0 ? Buffer.concat([unwrittenChunk, lines]) : lines;
    [unwrittenChunk, waitingLines] = [emptyBuffer, []];
    return buffer;
  };
  const isPipeFull = (error: NodeJS.ErrnoException): boolean =>
    error.code === 'EAGAIN' || error.code === 'EBUSY';
  const discardBuffer = (): void => {
    isReaderGone = true;
    [unwrittenChunk, waitingLines, bufferedBytes] = [emptyBuffer, [], 0];
  };

  function writeChunk(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || bufferedBytes === 0) return;
    isWriting = true;
    const chunk = takeBuffer();
    write(fileDescriptor, chunk, (error, writtenBytes) => {
      isWriting = false;
      if (error && !isPipeFull(error)) return discardBuffer();
      bufferedBytes -= writtenBytes;
      if (writtenBytes < chunk.length) unwrittenChunk = chunk.subarray(writtenBytes);
      if (bufferedBytes >= chunkBytes && !error) writeChunk();
      else if (bufferedBytes > 0) scheduleWrite(error ? retryDelayMs : maxWriteDelayMs);
    });
  }

  function scheduleWrite(delayMs: number): void {
    timer ??= setTimeout(writeChunk, delayMs).unref();
  }

  process.once('exit', () => {
    const exitDeadline = Date.now() + maxExitMs;
    for (let remainingChunk = takeBuffer(); remainingChunk.length > 0 && Date.now() < exitDeadline;) {
      try {
        remainingChunk = remainingChunk.subarray(writeSync(fileDescriptor, remainingChunk));
      } catch (error) {
        if (!isPipeFull(error as NodeJS.ErrnoException)) return;
        // Blocks the exiting process for `retryDelayMs`.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
      }
    }
  });

  return {
    write(line) {
      const length = Buffer.byteLength(line);
      if (isReaderGone || bufferedBytes + length > maxBufferedBytes) return;
      waitingLines.push(line);
      bufferedBytes += length;
      if (bufferedBytes >= chunkBytes) writeChunk();
      else scheduleWrite(maxWriteDelayMs);
    },
  };
}

/** Limits of a logged error: the length of its stack, and its nested causes. */
const maxStackCharacters = 4000;
const maxCauses = 3;

/** Properties of an error that are logged. */
interface LoggedError {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  /** SQLSTATE of a database error, or code of a system error. */
  readonly code?: unknown;
  readonly statement?: unknown;
  readonly cause?: unknown;
}

/** Serializes selected properties of an error: database drivers add confidential values of a statement to others. */
function serializeError(error: LoggedError, maxNestedCauses: number): object {
  const { name, message, code, statement, cause } = error;
  const hasCause = typeof cause === 'object' && cause !== null && maxNestedCauses > 0;
  return {
    type: name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof statement === 'string' && { statement }),
    ...(hasCause && { cause: serializeError(cause, maxNestedCauses - 1) }),
  };
}

/** Serializers of log fields. They omit URL queries, headers, and values in errors, which may be confidential. */
const serializers = {
  req: ({ method, url }: { readonly method?: string; readonly url?: string }) => ({
    method,
    path: url?.replace(/[?#].*$/s, ''),
  }),
  res: ({ statusCode }: { readonly statusCode?: number }) => ({ status: statusCode }),
  err: (error: unknown) =>
    typeof error !== 'object' || error === null
      ? { message: String(error) }
      : {
          ...serializeError(error, maxCauses),
          stack: ((error as LoggedError).stack ?? '').slice(0, maxStackCharacters),
        },
};

/** Creates a log of JSON lines; `target` defaults to standard output. */
export function createLog(level: LogLevel, target?: LogTarget): Logger {
  if (level === 'silent') return pino({ level });
  return pino({ level, serializers }, target ?? createLineWriter(1));
}
