import { write, writeSync } from 'node:fs';
import type { LogTarget } from '../core/runtime/log.ts';

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

/**
 * Writes lines to a file descriptor in chunks: a system call for each would take longer than making the line. The
 * remaining lines are written when the process exits. When the reader is gone, lines are dropped.
 */
export function createLineWriter(fd: number): LogTarget {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let isGone = false;

  const take = (): Buffer => {
    const all = Buffer.concat(waiting);
    waiting = [];
    return all;
  };
  const isFull = (error: NodeJS.ErrnoException): boolean => error.code === 'EAGAIN' || error.code === 'EBUSY';
  const giveUp = (): void => {
    isGone = true;
    waiting = [];
  };

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting || waiting.length === 0) return;
    isWriting = true;
    const chunk = take();
    write(fd, chunk, (error, written) => {
      isWriting = false;
      if (error && !isFull(error)) return giveUp();
      bytes -= written;
      if (written < chunk.length) waiting.unshift(chunk.subarray(written));
      if (bytes >= chunkBytes && !error) send();
      else if (waiting.length > 0) later(error ? retryMs : maxDelayMs);
    });
  }

  function later(ms: number): void {
    timer ??= setTimeout(send, ms).unref();
  }

  process.once('exit', () => {
    const end = Date.now() + exitMs;
    for (let rest = take(); rest.length > 0 && Date.now() < end; ) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  });

  return {
    write(line) {
      const chunk = Buffer.from(line);
      if (isGone || bytes + chunk.length > maxWaitingBytes) return;
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes >= chunkBytes) send();
      else later(maxDelayMs);
    },
  };
}
