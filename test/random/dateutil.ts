import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findPython } from '../python.ts';
import type { RecurrenceSet } from './recurrence-sets.ts';

export interface Answer {
  /** As the start is written. */
  readonly starts: readonly string[];
  /** The end of the set as an instant. */
  readonly before: string;
  /** Whether nothing occurs from the end on. */
  readonly ended: boolean;
}

const script = fileURLToPath(new URL('recurrence-reference.py', import.meta.url));
const { command, describe: describeWithDateutil } = findPython('dateutil', 'python3-dateutil');
export { describeWithDateutil };

/** One process that answers question after question. */
export function startDateutil(): { ask(question: RecurrenceSet): Promise<Answer>; stop(): void } {
  if (command === undefined)
    throw new Error('python-dateutil is not installed (Debian package python3-dateutil)');
  const python = spawn(command, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  // Whoever asks is told that there is no answer.
  python.stdin.on('error', () => undefined);
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      python.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`No answer to ${JSON.stringify(question)}`);
      return JSON.parse(value) as Answer;
    },
    stop: () => void python.kill(),
  };
}
