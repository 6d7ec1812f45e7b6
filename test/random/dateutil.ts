import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findPython } from '../python.ts';
import type { RecurrenceSet } from './recurrence-sets.ts';

/** Occurrences of a recurrence set by python-dateutil, up to an instant. */
export interface DateutilResult {
  /** Starts in the notation of the set's start. */
  readonly starts: readonly string[];
  /** Instant before which occurrences are listed. */
  readonly endInstant: string;
  /** Whether the set has no occurrence from `endInstant` on. */
  readonly isComplete: boolean;
}

const script = fileURLToPath(new URL('recurrence-reference.py', import.meta.url));
const { command, describe: describeWithDateutil } = findPython('dateutil', 'python3-dateutil');
export { describeWithDateutil };

/** Starts a Python process that expands recurrence sets. */
export function startDateutil(): {
  expandSet(recurrenceSet: RecurrenceSet): Promise<DateutilResult>;
  stop(): void;
} {
  if (command === undefined)
    throw new Error('python-dateutil is not installed (Debian package python3-dateutil)');
  const pythonProcess = spawn(command, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  // A write to an ended process fails, which `expandSet` reports as a missing result.
  pythonProcess.stdin.on('error', () => undefined);
  const lines = createInterface({ input: pythonProcess.stdout })[Symbol.asyncIterator]();
  return {
    async expandSet(recurrenceSet) {
      pythonProcess.stdin.write(`${JSON.stringify(recurrenceSet)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`No answer to ${JSON.stringify(recurrenceSet)}`);
      return JSON.parse(value) as DateutilResult;
    },
    stop: () => void pythonProcess.kill(),
  };
}
