import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoSeed, secret } from './harness.ts';

type Environment = Readonly<Record<string, string>>;

const built = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));

/** A process that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a built command to its end, with these variables and no others that it reads. */
export const runCommand = (name: string, args: readonly string[], env: Environment): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [built(name), ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });

/** Starts the built gateway with these variables and no others that it reads; `ready` gives its output until it listens. */
export function spawnGateway(env: Environment) {
  if (!existsSync(built('main')))
    throw new Error('dist/main.js is missing: run "npm run build" before the tests.');
  const child = spawn(process.execPath, [built('main')], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      // Both messages of welcome end with a line of their own.
      if (/ready at .*\n|^A token for somebody else: .*\n/m.test(stdout)) resolve(stdout);
    });
    void ended.then(({ code }) => reject(new Error(`it ended with ${code} before it was ready: ${stderr}`)));
  });
  ready.catch(() => undefined);
  return { child, ended, ready, errors: () => stderr };
}

/** Sends an operation over the network. */
export const post = (url: string, token: string, query: string, variables?: object): Promise<Response> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(30_000),
  });

/** The built gateway as a process of its own. */
export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;

/** It starts from the demo's data unless it is told a `SEED_FILE`; an empty one is none. */
export async function startGatewayProcess(env: Environment) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const SEED_FILE = join(folder, 'seed.json');
  writeFileSync(SEED_FILE, JSON.stringify(demoSeed));
  const usual = { AUTH_JWT_SECRET: secret, RATE_LIMIT: 'off', PORT: '0', INTROSPECTION: 'open', SEED_FILE };
  const { child, ended, ready, errors } = spawnGateway({ ...usual, ...env });
  const start = await ready.finally(() => rmSync(folder, { recursive: true }));
  // Nobody keeps the log of the rest.
  child.stdout.removeAllListeners('data').resume();
  const url = /ready at (http:\S+)\/graphql/.exec(start)?.[1] ?? '';
  return {
    url,
    child,
    /** What it wrote to standard output until it was ready. */
    start,
    /** What it wrote to standard error. */
    errors,
    /** What a client gets; undefined where there was no answer. */
    async ask(token: string, query: string, variables?: object) {
      try {
        const response = await post(url, token, query, variables);
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
