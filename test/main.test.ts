import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The built server as a process of its own, with these variables and no others that it reads. */
function start(env: Readonly<Record<string, string>>): { child: ChildProcess; ended: Promise<Ended>; ready: Promise<string> } {
  if (!existsSync(main)) throw new Error('dist/main.js is missing: run "npm run build" before the tests.');
  const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, output, errors }));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: string) => {
      output += chunk;
      // Both messages of welcome end with a line of their own; that of the demo with its second curl line.
      if (/ready at .*\n/.test(output) || (output.match(/^curl .*\n/gm)?.length ?? 0) === 2) resolve(output);
    });
    void ended.then((result) => {
      reject(new Error(`it ended with ${result.code} before it was ready: ${result.errors}`));
    });
  });
  ready.catch(() => undefined);
  return { child, ended, ready };
}

/** What a curl line sends, read as a shell reads it. */
function requestOf(curl: string): [url: string, init: RequestInit] {
  const parts = /^curl -s (\S+) -H '([^:]+): ([^']+)' -H "([^:]+): ([^"]+)" -d '([^']+)'$/.exec(curl);
  const [, url = '', name = '', value = '', nameToo = '', valueToo = '', body] = parts ?? [];
  return [url, { method: 'POST', headers: { [name]: value, [nameToo]: valueToo }, body }];
}

describe('the built server', () => {
  let running: ReturnType<typeof start> | undefined;
  const run = (env: Readonly<Record<string, string>>): ReturnType<typeof start> => (running = start(env));
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
  });

  test('greets with a URL, a header and two requests that work as they stand, and stops on SIGTERM', async () => {
    const { child, ready, ended } = run({ PORT: '0' });
    const lines = (await ready).split('\n');
    expect(lines[0]).toMatch(/^The demo gateway is ready\. Open http:\/\/127\.0\.0\.1:\d+\/graphql in a browser/);
    expect(lines.filter((line) => /^Authorization: Bearer [\w-]+\.[\w-]+\.[\w-]+$/.test(line))).toHaveLength(1);
    const curls = lines.filter((line) => line.startsWith('curl '));
    expect(curls).toHaveLength(2);
    for (const curl of curls) {
      const response = await fetch(...requestOf(curl));
      const answer = (await response.json()) as { data: Record<string, { id: string }>; errors?: unknown };
      expect([response.status, answer.errors]).toEqual([200, undefined]);
      expect(Object.values(answer.data)[0]?.id).toMatch(/./);
    }
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, errors: '' });
  });

  test('with a secret of its own prints no token', async () => {
    const { child, ready, ended } = run({ PORT: '0', AUTH_JWT_SECRET: 'x'.repeat(32) });
    expect(await ready).toMatch(/The gateway is ready at http:\/\/127\.0\.0\.1:\d+\/graphql\n/);
    child.kill('SIGINT');
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).not.toContain('Bearer');
  });

  test('on a port that somebody else has ends with 1 and names the variables', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, output, errors } = await run({ PORT: `${port}` }).ended;
    other.close();
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^PORT, HOST: the gateway cannot listen there: .*EADDRINUSE/);
    expect(errors).not.toMatch(/^ +at /m);
  });

  test.each<[string, Record<string, string>]>([
    ['PORT', { PORT: 'http' }],
    ['HOST', { HOST: '0.0.0.0' }],
    ['SEED_FILE', { SEED_FILE: '/does/not/exist.json' }],
  ])('with a wrong %s ends with 1 and says so, without a stack', async (name, env) => {
    const { code, output, errors } = await run(env).ended;
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^( {2})?${name}: `, 'm'));
    expect(errors).not.toMatch(/^ +at /m);
  });
});
