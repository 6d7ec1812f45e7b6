import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoSeed, secret } from './harness.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The built gateway as a process of its own. */
export interface GatewayProcess {
  readonly url: string;
  /** What a client gets; undefined where there was no answer. */
  ask(
    token: string,
    query: string,
    variables?: object,
  ): Promise<
    | { readonly status: number; readonly data?: unknown; readonly body: string; readonly headers: Headers }
    | undefined
  >;
  readonly child: ChildProcess;
  /** What it wrote to standard error. */
  errors(): string;
  /** What it wrote to standard output until it was ready. */
  readonly start: string;
  kill(): Promise<void>;
}

/** It starts from the demo's data unless it is told a `SEED_FILE`; an empty one is none. */
export async function startGatewayProcess(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  if (!existsSync(main)) throw new Error('dist/main.js is missing: run "npm run build" before the tests.');
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const SEED_FILE = join(folder, 'seed.json');
  writeFileSync(SEED_FILE, JSON.stringify(demoSeed));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      AUTH_JWT_SECRET: secret,
      RATE_LIMIT: 'off',
      PORT: '0',
      INTROSPECTION: 'open',
      SEED_FILE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = once(child, 'close');
  let start = '';
  const url = await new Promise<string>((resolve, reject) => {
    let found: string | undefined;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (found !== undefined) return;
      start += chunk;
      found = /ready at (http:\S+)\/graphql.*\n/.exec(start)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`the gateway ended before it was ready: ${errors}`)));
  }).finally(() => rmSync(folder, { recursive: true }));
  return {
    url,
    child,
    start,
    errors: () => errors,
    async ask(token, query, variables) {
      try {
        const response = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ query, variables }),
          signal: AbortSignal.timeout(30_000),
        });
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
