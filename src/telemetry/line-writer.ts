import { write, writeSync } from 'node:fs';
import type { LogTarget } from '../core/runtime/log.ts';

/** So many bytes are written at once. */
const enough = 16_000;
/** And no line waits longer. */
const longestMs = 100;
/** What a reader that is too slow leaves in memory; lines beyond it are dropped. */
const mostBytes = 16 * 1024 * 1024;
/** Before a pipe that is full is tried again, and how long that goes on when the process ends. */
const fullMs = 10;
const endMs = 1000;

/**
 * Writes lines to a file descriptor, several at a time, since a system call for each would cost more than all that makes it.
 * What is left is written when the process ends, unless it is killed. Where nobody reads any more, lines are dropped.
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
      if (bytes >= enough && !error) send();
      else if (waiting.length > 0) later(error ? fullMs : longestMs);
    });
  }

  function later(ms: number): void {
    timer ??= setTimeout(send, ms).unref();
  }

  process.once('exit', () => {
    const end = Date.now() + endMs;
    for (let rest = take(); rest.length > 0 && Date.now() < end; ) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullMs);
      }
    }
  });

  return {
    write(line) {
      const chunk = Buffer.from(line);
      if (isGone || bytes + chunk.length > mostBytes) return;
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes >= enough) send();
      else later(longestMs);
    },
  };
}
