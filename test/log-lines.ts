import type { Log, LogTarget } from '../src/core/runtime/log.ts';

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An error in a log line. */
interface LoggedError {
  readonly message: string;
  readonly code?: string;
  readonly statement?: string;
  readonly cause?: LoggedError;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: LoggedError;
  readonly [field: string]: unknown;
}

/** Collects the lines of a gateway's log. */
export function collectLog() {
  const lines: LogLine[] = [];
  const waiters = new Set<() => void>();
  const logTo: LogTarget = {
    write(line) {
      lines.push(JSON.parse(line) as LogLine);
      for (const recheck of waiters) recheck();
    },
  };
  return {
    lines,
    logTo,
    /** Resolves when a line matches. */
    waitForLine: (matches: (line: LogLine) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const recheck = (): void => {
          if (!lines.some(matches)) return;
          waiters.delete(recheck);
          resolve();
        };
        waiters.add(recheck);
        recheck();
      }),
  };
}
