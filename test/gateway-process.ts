import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoSeed, secret } from './harness.ts';

type Environment = Readonly<Record<string, string>>;

const builtFilePathOf = (name: string): string =>
  fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));

/** A process that has ended. */
export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a built command to its end, with `PATH` and these environment variables only. */
export const runCommand = (name: string, args: readonly string[], env: Environment): Promise<ProcessResult> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [builtFilePathOf(name), ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });

/** Starts the built gateway with these variables and `PATH` alone; `ready` resolves with its output once it listens. */
export function spawnGateway(env: Environment) {
  if (!existsSync(builtFilePathOf('main')))
    throw new Error('dist/main.js is missing: run "npm run build" before the tests.');
  const child = spawn(process.execPath, [builtFilePathOf('main')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = once(child, 'close').then(([code]): ProcessResult => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      // The last line of either welcome message.
      if (/ready at .*\n|^A token for somebody else: .*\n/m.test(stdout)) resolve(stdout);
    });
    void ended.then(({ code }) => reject(new Error(`it ended with ${code} before it was ready: ${stderr}`)));
  });
  ready.catch(() => undefined);
  // `ended` resolves with the result when the process has ended, however it ends.
  return { child, ended, ready, errors: () => stderr };
}

/** Sends a GraphQL operation over the network. */
export const postOperation = (
  url: string,
  token: string,
  query: string,
  variables?: object,
): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(30_000),
  });

/** The built gateway as a process of its own. */
export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;

/** Starts the built gateway. The demo's data is its seed unless `env` has a `SEED_FILE`; an empty one means no seed. */
export async function startGatewayProcess(env: Environment) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const SEED_FILE = join(folder, 'seed.json');
  writeFileSync(SEED_FILE, JSON.stringify(demoSeed));
  const defaults = {
    AUTH_JWT_SECRET: secret,
    RATE_LIMIT: 'off',
    PORT: '0',
    INTROSPECTION: 'open',
    SEED_FILE,
  };
  const { child, ended, ready, errors } = spawnGateway({ ...defaults, ...env });
  const startOutput = await ready.finally(() => rmSync(folder, { recursive: true }));
  // Discards the rest of the log.
  child.stdout.removeAllListeners('data').resume();
  const url = /ready at (http:\S+)\/graphql/.exec(startOutput)?.[1] ?? '';
  return {
    url,
    child,
    startOutput,
    /** Output on standard error so far. */
    errors,
    /** Sends an operation; undefined if there was no response. */
    async ask(token: string, query: string, variables?: object) {
      try {
        const response = await postOperation(url, token, query, variables);
        const body = await response.text();
        return {
          status: response.status,
          headers: response.headers,
          body,
          data: (JSON.parse(body) as { data?: unknown }).data,
        };
      } catch {
        return undefined;
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
