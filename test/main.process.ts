import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const tokenCommand = fileURLToPath(new URL('../dist/token.js', import.meta.url));
const run = promisify(execFile);

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The built server as a process of its own, with these variables and no others that it reads. */
function start(env: Readonly<Record<string, string>>): {
  child: ChildProcess;
  ended: Promise<Ended>;
  ready: Promise<string>;
} {
  if (!existsSync(main)) throw new Error('dist/main.js is missing: run "npm run build" before the tests.');
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    output,
    errors,
  }));
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: string) => {
      output += chunk;
      // Both messages of welcome end with a line of their own.
      if (/ready at .*\n|^A token for somebody else: .*\n/m.test(output)) resolve(output);
    });
    void ended.then((result) => {
      reject(new Error(`it ended with ${result.code} before it was ready: ${result.errors}`));
    });
  });
  ready.catch(() => undefined);
  return { child, ended, ready };
}

/** What the server at a URL answers to a read by a token's holder. */
async function ask(url: string, token: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ query: '{ event(calendarId: "primary", eventId: "holiday") { id } }' });
  return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
}

describe('the built server', () => {
  let running: ReturnType<typeof start> | undefined;
  let state: string;
  const serve = (env: Readonly<Record<string, string>>): ReturnType<typeof start> =>
    (running = start({ XDG_STATE_HOME: state, ...env }));
  beforeEach(() => void (state = mkdtempSync(join(tmpdir(), 'gateway-'))));
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
    rmSync(state, { recursive: true });
  });

  test.each(['before', 'behind'])(
    'ends on a signal, though nobody reads its log any more since %s a line was lost',
    async (when) => {
      const { child, ready, ended } = serve({ AUTH_JWT_SECRET: 'x'.repeat(32), PORT: '0', DRAIN_DELAY: '0' });
      const url = /http:[^/]*\/\/[^/"]*/.exec(await ready)?.[0] as string;
      child.stdout?.destroy();
      expect(
        (
          await fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', connection: 'close' },
            body: '{"query":"{__typename}"}',
          })
        ).status,
      ).toBe(200);
      // A line waits for 100 ms at most.
      if (when === 'behind') await pause(300);
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    },
  );
  const urlOf = (output: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '';

  test('greets with one screen: the pages, one short token, and commands that work as they stand', async () => {
    const { child, ready, ended } = serve({ PORT: '0' });
    const output = await ready;
    expect(output.split('\n').length).toBeLessThanOrEqual(40);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2500);
    expect(output).toMatch(
      /^The demo gateway is ready\..*\n +http:\/\/127\.0\.0\.1:\d+\/demo .*\n +http:\/\/127\.0\.0\.1:\d+\/explorer /,
    );
    const tokens = output.match(/[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g) ?? [];
    expect(tokens).toHaveLength(1);
    expect(tokens[0]?.length).toBeLessThanOrEqual(300);
    // As a user pastes them into one shell.
    const commands = output.split('\n').filter((line) => /^(export|curl) /.test(line));
    expect(commands).toHaveLength(3);
    const { stdout } = await run('sh', ['-c', commands.join('\necho\n')]);
    const answers = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { data: Record<string, { id: string }>; errors?: unknown });
    expect(answers.map(({ data, errors }) => [Object.keys(data), errors])).toEqual([
      [['insertNotification'], undefined],
      [['patchEvent'], undefined],
    ]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, errors: '' });
  });

  test('takes the token of the demo after a restart as well, and tokens that the token command makes with its secret', async () => {
    const first = serve({ PORT: '0' });
    const shown = /TOKEN=(\S+)/.exec(await first.ready)?.[1] ?? '';
    first.child.kill('SIGKILL');
    await first.ended;
    const { ready } = serve({ PORT: '0' });
    const url = urlOf(await ready);
    expect(await ask(url, shown)).toEqual({ data: { event: { id: 'holiday' } } });
    const made = async (...args: readonly string[]): Promise<string> =>
      (
        await run(process.execPath, [tokenCommand, ...args], { env: { XDG_STATE_HOME: state } })
      ).stdout.trim();
    const token = await made('--email', 'alice@example.com', '--scope', 'calendar.readonly');
    expect(await ask(url, token)).toEqual({ data: { event: { id: 'holiday' } } });
    const lacking = await made('--email', 'alice@example.com', '--scope', 'devstorage.read_only');
    expect(await ask(url, lacking)).toMatchObject({
      errors: [{ extensions: { reason: 'insufficientScope' } }],
    });
    await expect(made()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--email') });
  });

  test('on SIGTERM serves on for DRAIN_DELAY, new connections too, while it is not ready, and then ends with 0', async () => {
    // Longer than all the rest of a stop may take.
    const { child, ready, ended } = serve({ PORT: '0', AUTH_JWT_SECRET: 'x'.repeat(32), DRAIN_DELAY: '10' });
    const url = urlOf(await ready);
    const onNewConnection = async (path: string): Promise<unknown[]> => {
      const answer = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
      return [answer.status, await answer.json()];
    };
    child.kill('SIGTERM');
    const began = Date.now();
    let readiness = await onNewConnection('/health/ready');
    while (readiness[0] === 200) readiness = await onNewConnection('/health/ready');
    expect(readiness).toEqual([503, { status: 'stopping' }]);
    expect(await onNewConnection('/health/live')).toEqual([200, { status: 'ok' }]);
    expect((await ended).code).toBe(0);
    expect(Date.now() - began).toBeGreaterThanOrEqual(10_000);
  });

  test('drops no request of 32 clients on SIGTERM', async () => {
    const { child, ready, ended } = serve({
      PORT: '0',
      AUTH_JWT_SECRET: 'x'.repeat(32),
      RATE_LIMIT: 'off',
      DRAIN_DELAY: '1',
    });
    const url = urlOf(await ready);
    let answered = 0;
    const client = async (): Promise<string[]> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const fault = await new Promise<string | undefined>((resolve) => {
          const sent = request(
            `${url}/graphql`,
            { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
            (response) => {
              response
                .resume()
                .on('end', () =>
                  resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
                )
                .on('error', (error) => resolve(error.message));
            },
          );
          sent
            .on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
            .end('{"query":"{ __typename }"}');
        });
        if (fault === 'ECONNREFUSED') return []; // nobody listens any more: this request was never taken
        if (fault !== undefined) return [fault];
        answered += 1;
        if (answered === 500) child.kill('SIGTERM');
      }
    };
    expect((await Promise.all(Array.from({ length: 32 }, client))).flat()).toEqual([]);
    expect((await ended).code).toBe(0);
  });

  test('with a secret of its own prints no token, and ends with 0 on SIGINT though connections are half open', async () => {
    const { child, ready, ended } = serve({ PORT: '0', AUTH_JWT_SECRET: 'x'.repeat(32), DRAIN_DELAY: '0' });
    expect(await ready).toMatch(/The gateway is ready at http:\/\/127\.0\.0\.1:\d+\/graphql/);
    const port = Number(new URL(urlOf(await ready)).port);
    const halves = [
      '',
      'POST /graphql HT',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ];
    const sockets = halves.map((bytes) =>
      connect(port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
        this.write(bytes);
      }),
    );
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    child.kill('SIGINT');
    const { code, output, errors } = await ended;
    expect(code).toBe(0); // the watchdog ends it with 1 after 9 s
    expect(errors).toBe('');
    const logged = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(logged).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Everything is kept in memory/),
        expect.stringMatching(/^The store starts empty/),
      ]),
    );
    expect(output).not.toContain('Bearer');
    for (const line of output.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
    for (const socket of sockets) socket.destroy();
  });

  test.each<[string, string, (port: string) => Record<string, string>]>([
    ['a port that somebody else has', 'PORT, HOST', (PORT) => ({ PORT })],
    [
      'a host for metrics that is not known',
      'METRICS_PORT, METRICS_HOST',
      () => ({ PORT: '0', METRICS_PORT: '0', METRICS_HOST: 'bad..host' }),
    ],
  ])('on %s ends with 1 and names %s', async (_where, names, env) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { code, output, errors } = await serve(env(`${(other.address() as AddressInfo).port}`)).ended;
    other.close();
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^${names}: the gateway cannot listen there: `));
    expect(errors).not.toMatch(/^ +at /m);
  });

  test.each<[string, Record<string, string>]>([
    ['PORT', { PORT: 'http' }],
    ['HOST', { HOST: '0.0.0.0' }],
    ['SEED_FILE', { SEED_FILE: '/does/not/exist.json' }],
    ['OPERATIONS_FILE', { OPERATIONS_FILE: `${process.cwd()}/package.json` }],
  ])('with a wrong %s ends with 1 and says so, without a stack', async (name, env) => {
    const { code, output, errors } = await serve(env).ended;
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^( {2})?${name}: `, 'm'));
    expect(errors).not.toMatch(/^ +at /m);
  });

  test('with wrong settings of deliveries ends with 1 and names each, and in the file each place, and no secret', async () => {
    const wrong = await serve({
      WEBHOOK_NETWORKS: 'hunter2',
      PUBSUB: 'hunter2',
      PUBSUB_EMULATOR_HOST: 'hunter2',
    }).ended;
    expect([wrong.code, wrong.output]).toEqual([1, '']);
    expect(
      wrong.errors
        .match(/^ *[A-Z_]+(?=: )/gm)
        ?.map((name) => name.trim())
        .sort(),
    ).toEqual(['PUBSUB', 'PUBSUB_EMULATOR_HOST', 'WEBHOOK_NETWORKS']);

    const WEBHOOKS_FILE = join(state, 'webhooks.json');
    const webhooks = [
      { topic: 'photos', url: 'https://hooks.example.com/?token=hunter2', secrets: ['hunter2'] },
      {
        topic: 'projects/my-project/topics/photos',
        url: 'https://me:hunter2@hooks.example.com/',
        secrets: [],
      },
    ];
    writeFileSync(WEBHOOKS_FILE, JSON.stringify({ webhooks }));
    const { code, output, errors } = await serve({ WEBHOOKS_FILE }).ended;
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^WEBHOOKS_FILE: /);
    expect(errors.match(/webhooks\[.*?(?=: )/g)).toEqual([
      'webhooks[0].topic',
      'webhooks[0].secrets[0]',
      'webhooks[1].url',
      'webhooks[1].secrets',
    ]);
    expect(wrong.errors + errors).not.toMatch(/hunter2|^ +at /m);
  });

  test('loads nothing of traces where no collector is configured', async () => {
    const script = `
      const { compose } = await import('./dist/compose.js');
      const { readConfig } = await import('./dist/config.js');
      const { app } = await compose(readConfig({}), { logLevel: 'silent' });
      const { createRequire } = await import('node:module');
      console.log(Object.keys(createRequire(import.meta.url).cache).filter((file) => /opentelemetry.(sdk|exporter|core|context)/.test(file)).length);
      await app.close();`;
    expect((await run(process.execPath, ['--input-type=module', '-e', script])).stdout.trim()).toBe('0');
  });
});
