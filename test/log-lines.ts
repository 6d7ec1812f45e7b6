import type { Log, LogTarget } from '../src/core/runtime/log.ts';

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An error as the log has it. */
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

/** The lines of a gateway's log, as they come. */
export function collectLog() {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const logTo: LogTarget = {
    write(line) {
      lines.push(JSON.parse(line) as LogLine);
      for (const look of waiting) look();
    },
  };
  return {
    lines,
    logTo,
    /** Resolves when there is a line that fits. */
    until: (fits: (line: LogLine) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!lines.some(fits)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
