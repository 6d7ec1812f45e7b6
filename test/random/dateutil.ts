import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
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
const command = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import dateutil']).status === 0);

/**
 * `describe` for suites that need python-dateutil. Without it they are skipped and say so; in CI, which installs it, they
 * run and fail.
 */
export const describeWithDateutil: (name: string, suite: () => void) => void =
  command !== undefined || process.env.CI === 'true'
    ? describe
    : (name, suite) => describe.skip(`${name} (skipped: python3-dateutil is not installed)`, suite);

/** One process that answers question after question. */
export function startDateutil(): { ask(question: RecurrenceSet): Promise<Answer>; stop(): void } {
  if (command === undefined) throw new Error('python-dateutil is not installed (Debian package python3-dateutil)');
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
