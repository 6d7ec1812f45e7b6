import type { Log, LogTarget } from '../src/core/runtime/log.ts';

/** A log that drops its lines. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An error in a log line. */
interface LoggedError {
  readonly message: string;
  readonly code?: string;
  readonly statement?: string;
  readonly cause?: LoggedError;
}

/** A line of a gateway's log, parsed from JSON. */
export interface LogLine {
  /** Level of pino: 30 is info, 40 a warning, 50 an error. */
  readonly level: number;
  readonly msg: string;
  readonly err?: LoggedError;
  readonly [field: string]: unknown;
}

/** Collects the lines of a gateway's log. */
export function collectLog() {
  const lines: LogLine[] = [];
  const pendingChecks = new Set<() => void>();
  const logTo: LogTarget = {
    write(line) {
      lines.push(JSON.parse(line) as LogLine);
      for (const recheck of pendingChecks) recheck();
    },
  };
  return {
    lines,
    /** Value for `logTarget` of a gateway. */
    logTo,
    /** Resolves when a line matches. */
    waitForLine: (matches: (line: LogLine) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const recheck = (): void => {
          if (!lines.some(matches)) return;
          pendingChecks.delete(recheck);
          resolve();
        };
        pendingChecks.add(recheck);
        recheck();
      }),
  };
}
