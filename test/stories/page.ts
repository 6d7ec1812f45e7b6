import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A block of code on a page, below its heading: commands (`sh`), or what they are to print (`json`, `text`). */
export interface Block {
  readonly section: string;
  readonly kind: string;
  readonly text: string;
}

/** The blocks of a page that somebody follows, in their order. */
export function blocksOf(page: string): readonly Block[] {
  let section = '';
  return [
    ...readFileSync(join(root, page), 'utf8').matchAll(/^## ([^\n]*)$|^```(sh|json|text)\n(.*?)^```$/gms),
  ].flatMap(([, heading, kind, text = '']) => {
    section = heading ?? section;
    return kind === undefined ? [] : [{ section, kind, text }];
  });
}

/** `…` fits any text. */
function asPattern(value: unknown): unknown {
  if (value === '…') return expect.any(String);
  if (Array.isArray(value)) return value.map(asPattern);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asPattern(inner)]))
    : value;
}

/** What is shown of answers: one that is laid out, or a line each. */
function answersIn(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return jsonIn(text);
  }
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const jsonIn = (text: string): unknown[] => linesOf(text).map((line) => JSON.parse(line) as unknown);

/**
 * What stands in for a person at a terminal: the packages are there, a gateway is started in the background, once the one before
 * has ended, and looked at until it tells its address.
 */
const prelude = `
set -emo pipefail
stop() { if [ -n "$GATEWAY" ]; then kill -INT -- "-$GATEWAY" && wait "$GATEWAY" || true; GATEWAY=; fi; } 2> /dev/null
trap stop EXIT
npm() {
  case $1 in
    ci) ;;
    start)
      stop
      : > started
      command npm start > started 2>&1 & GATEWAY=$!
      until URL=$(grep -Eom1 'http://127.0.0.1:[0-9]+' started); do
        kill -0 "$GATEWAY" 2> /dev/null || { cat started >&2; exit 1; }
        sleep 0.1
      done ;;
    *) command npm "$@" ;;
  esac
}
`;

/** A shell in a folder that looks like the repository's and keeps what is written there to itself. */
export function openShell(env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(folder, name));
  const shell = spawn('bash', [], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_STATE_HOME: folder, PORT: '0', ...env },
  });
  let printed = '';
  let complaints = '';
  let look = (): void => undefined;
  const hear = (chunk: string): void => {
    printed += chunk;
    look();
  };
  shell.stdout.setEncoding('utf8').on('data', hear);
  shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk));
  const ended = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  shell.stdin.write(prelude);

  /** What commands print. As on a terminal, variables and functions stay. */
  async function run(commands: string): Promise<string> {
    const done = '--- done ---\n';
    printed = '';
    const answer = new Promise<string>((resolve, reject) => {
      look = () => printed.endsWith(done) && resolve(printed.slice(0, -done.length));
      void ended.then(() => reject(new Error(`The shell ended.\n${commands}\n${printed}${complaints}`)));
    });
    shell.stdin.write(`${commands}\necho '${done.trim()}'\n`);
    return answer;
  }

  return {
    run,
    /** Runs the blocks' commands, and holds what they print against what the blocks say. */
    async follow(blocks: readonly Block[], database = ''): Promise<void> {
      let output = '';
      expect(blocks).not.toEqual([]);
      for (const { kind, text } of blocks) {
        if (kind === 'sh') output += await run(asTyped(text, database));
        else if (kind === 'json') expect(jsonIn(output)).toEqual(answersIn(text).map(asPattern));
        else expect(linesOf(output)).toEqual(linesOf(text));
        if (kind !== 'sh') output = '';
      }
      expect(complaints.replaceAll(/^npm warn.*\n/gm, '')).toBe('');
    },
    async close(): Promise<void> {
      shell.stdin.end();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** The gateway listens on a port that is free, and is in the background already; the database is the one at hand. */
const asTyped = (commands: string, database: string): string =>
  commands
    .replaceAll('http://127.0.0.1:4000', '$URL')
    .replaceAll(/^npm start &$/gm, 'npm start')
    .replaceAll(/postgres:\/\/\S+/g, database);
