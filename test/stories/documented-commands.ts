import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A code block on a page: commands (`sh`), or their expected output (`json`, `text`). */
export interface CodeBlock {
  readonly section: string;
  readonly kind: string;
  readonly text: string;
}

/** Reads the code blocks of a page, in order. */
export function readCodeBlocks(page: string): readonly CodeBlock[] {
  let section = '';
  return [
    ...readFileSync(join(root, page), 'utf8').matchAll(/^## ([^\n]*)$|^```(sh|json|text)\n(.*?)^```$/gms),
  ].flatMap(([, heading, kind, text = '']) => {
    section = heading ?? section;
    return kind === undefined ? [] : [{ section, kind, text }];
  });
}

/** Converts an expected value to a pattern in which `…` matches any string. */
function toPattern(value: unknown): unknown {
  if (value === '…') return expect.any(String);
  if (Array.isArray(value)) return value.map(toPattern);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toPattern(inner)]))
    : value;
}

/** Parses shown responses: a single indented one, or one per line. */
function parseShownResponses(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return parseLines(text);
  }
}

const nonEmptyLines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const parseLines = (text: string): unknown[] =>
  nonEmptyLines(text).map((line) => JSON.parse(line) as unknown);

/**
 * Shell functions that adapt the documented commands: `npm ci` does nothing, and `npm start` replaces a gateway in the
 * background and waits for its address.
 */
const shellPrelude = `
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

/** Starts a shell in a temporary folder with links to the repository's files. */
export function openShell(env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(folder, name));
  const shell = spawn('bash', [], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, XDG_STATE_HOME: folder, PORT: '0', ...env },
  });
  let output = '';
  let errorOutput = '';
  let checkOutput = (): void => undefined;
  const onOutput = (chunk: string): void => {
    output += chunk;
    checkOutput();
  };
  shell.stdout.setEncoding('utf8').on('data', onOutput);
  shell.stderr.setEncoding('utf8').on('data', (chunk: string) => (errorOutput += chunk));
  const shellEnded = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  shell.stdin.write(shellPrelude);

  /** Runs commands and returns their output. Variables and functions are kept, as on a terminal. */
  async function runCommands(commands: string): Promise<string> {
    const endMarker = '--- done ---\n';
    output = '';
    const commandOutput = new Promise<string>((resolve, reject) => {
      checkOutput = () => output.endsWith(endMarker) && resolve(output.slice(0, -endMarker.length));
      void shellEnded.then(() => reject(new Error(`The shell ended.\n${commands}\n${output}${errorOutput}`)));
    });
    shell.stdin.write(`${commands}\necho '${endMarker.trim()}'\n`);
    return commandOutput;
  }

  return {
    run: runCommands,
    /** Runs the commands of blocks, and compares their output with the expected blocks. */
    async followBlocks(blocks: readonly CodeBlock[], databaseUrl = ''): Promise<void> {
      let blockOutput = '';
      expect(blocks).not.toEqual([]);
      for (const { kind, text } of blocks) {
        if (kind === 'sh') blockOutput += await runCommands(adaptCommands(text, databaseUrl));
        else if (kind === 'json')
          expect(parseLines(blockOutput)).toEqual(parseShownResponses(text).map(toPattern));
        else expect(nonEmptyLines(blockOutput)).toEqual(nonEmptyLines(text));
        if (kind !== 'sh') blockOutput = '';
      }
      expect(errorOutput.replaceAll(/^npm warn.*\n/gm, '')).toBe('');
    },
    async close(): Promise<void> {
      shell.stdin.end();
      await shellEnded;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Replaces the documented port and database URL, and starts the gateway without `&`. */
const adaptCommands = (commands: string, database: string): string =>
  commands
    .replaceAll('http://127.0.0.1:4000', '$URL')
    .replaceAll(/^npm start &$/gm, 'npm start')
    .replaceAll(/postgres:\/\/\S+/g, database);
