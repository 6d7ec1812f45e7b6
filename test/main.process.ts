import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { postOperation, runCommand, spawnGateway } from './gateway-process.ts';

const execute = promisify(execFile);

/** Reads the demo data's event `holiday` from the gateway at a URL. */
const readEvent = async (url: string, token: string): Promise<unknown> =>
  (await postOperation(url, token, '{ event(calendarId: "primary", eventId: "holiday") { id } }')).json();

describe('the built server', () => {
  let gatewayProcess: ReturnType<typeof spawnGateway> | undefined;
  let stateFolder: string;
  const startServer = (env: Readonly<Record<string, string>>) =>
    (gatewayProcess = spawnGateway({ XDG_STATE_HOME: stateFolder, ...env }));
  beforeEach(() => void (stateFolder = mkdtempSync(join(tmpdir(), 'gateway-'))));
  afterEach(async () => {
    gatewayProcess?.child.kill('SIGKILL');
    await gatewayProcess?.ended;
    rmSync(stateFolder, { recursive: true });
  });

  test.each(['before', 'after'])(
    'ends with 0 on SIGTERM when the reader of its log goes away, %s a line is lost',
    async (moment) => {
      const { child, ready, ended } = startServer({
        AUTH_JWT_SECRET: 'x'.repeat(32),
        PORT: '0',
        DRAIN_DELAY: '0',
      });
      const url = /http:[^/]*\/\/[^/"]*/.exec(await ready)?.[0] as string;
      child.stdout.destroy();
      expect(
        (
          await fetch(`${url}/graphql`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', connection: 'close' },
            body: '{"query":"{__typename}"}',
          })
        ).status,
      ).toBe(200);
      // The log buffers a line for at most 100 ms.
      if (moment === 'after') await pause(300);
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    },
  );
  const urlOf = (output: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '';

  test('prints a welcome screen with pages, a token and commands to paste; tokens stay valid after a restart', async () => {
    const { child, ready, ended } = startServer({ PORT: '0' });
    const output = await ready;
    expect(output.split('\n').length).toBeLessThanOrEqual(40);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(2500);
    expect(output).toMatch(
      /^The demo gateway is ready\..*\n +http:\/\/127\.0\.0\.1:\d+\/demo .*\n +http:\/\/127\.0\.0\.1:\d+\/explorer /,
    );
    const tokens = output.match(/[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g) ?? [];
    expect(tokens).toHaveLength(1);
    expect(tokens[0]?.length).toBeLessThanOrEqual(300);
    // Pasted into one shell, as a user would do.
    const commands = output.split('\n').filter((line) => /^(export|curl) /.test(line));
    expect(commands).toHaveLength(3);
    const { stdout } = await execute('sh', ['-c', commands.join('\necho\n')]);
    const responses = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { data: Record<string, { id: string }>; errors?: unknown });
    expect(responses.map(({ data, errors }) => [Object.keys(data), errors])).toEqual([
      [['insertNotification'], undefined],
      [['patchEvent'], undefined],
    ]);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: '' });

    const { ready: secondReady } = startServer({ PORT: '0' });
    const url = urlOf(await secondReady);
    expect(await readEvent(url, tokens[0] ?? '')).toEqual({ data: { event: { id: 'holiday' } } });
    const runToken = (...args: readonly string[]) =>
      runCommand('token', args, { XDG_STATE_HOME: stateFolder });
    const { stdout: token } = await runToken(
      '--email',
      'alice@example.com',
      '--scope',
      'devstorage.read_only',
    );
    expect(await readEvent(url, token.trim())).toMatchObject({
      errors: [{ extensions: { reason: 'insufficientScope' } }],
    });
    expect(await runToken()).toMatchObject({ code: 1, stderr: expect.stringContaining('--email') });
    expect(await runToken('--sub', 'x', '--minutes', '0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('from 1 to 9999999'),
    });
  });

  test('prints no command or page that OPERATIONS=listed would refuse', async () => {
    const operationsFile = join(stateFolder, 'operations.json');
    writeFileSync(
      operationsFile,
      JSON.stringify({ Holiday: '{ event(calendarId: "primary", eventId: "holiday") { id } }' }),
    );
    const output = await startServer({ PORT: '0', OPERATIONS_FILE: operationsFile, OPERATIONS: 'listed' })
      .ready;
    expect(output).not.toMatch(/curl|\/demo|\/explorer/);
    const [token = ''] = output.match(/[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/) ?? [];
    expect(await readEvent(urlOf(output), token)).toEqual({ data: { event: { id: 'holiday' } } });
    for (const page of ['/demo', '/explorer']) expect((await fetch(urlOf(output) + page)).status).toBe(404);
  });

  test('on SIGTERM is not ready, but serves new connections for DRAIN_DELAY, and then ends with 0', async () => {
    // The delay is longer than the rest of a shutdown may take, so the duration proves that it was kept.
    const { child, ready, ended } = startServer({
      PORT: '0',
      AUTH_JWT_SECRET: 'x'.repeat(32),
      DRAIN_DELAY: '10',
    });
    const url = urlOf(await ready);
    const getOnNewConnection = async (path: string): Promise<unknown[]> => {
      const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
      return [response.status, await response.json()];
    };
    child.kill('SIGTERM');
    const stopStartMs = Date.now();
    let readiness = await getOnNewConnection('/health/ready');
    while (readiness[0] === 200) readiness = await getOnNewConnection('/health/ready');
    expect(readiness).toEqual([503, { status: 'stopping' }]);
    expect(await getOnNewConnection('/health/live')).toEqual([200, { status: 'ok' }]);
    expect((await ended).code).toBe(0);
    expect(Date.now() - stopStartMs).toBeGreaterThanOrEqual(10_000);
  });

  test('with AUTH_JWT_SECRET prints no token, and ends with 0 on SIGINT despite unfinished requests', async () => {
    const { child, ready, ended } = startServer({
      PORT: '0',
      AUTH_JWT_SECRET: 'x'.repeat(32),
      DRAIN_DELAY: '0',
    });
    expect(await ready).toMatch(/The gateway is ready at http:\/\/127\.0\.0\.1:\d+\/graphql/);
    const port = Number(new URL(urlOf(await ready)).port);
    const partialRequests = [
      '',
      'POST /graphql HT',
      'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ];
    const sockets = partialRequests.map((bytes) =>
      connect(port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
        this.write(bytes);
      }),
    );
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0); // the watchdog would exit with 1 after 9 s
    expect(stderr).toBe('');
    const loggedMessages = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(loggedMessages).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Data is kept in memory/),
        expect.stringMatching(/^The store starts empty/),
      ]),
    );
    expect(stdout).not.toContain('Bearer');
    for (const line of stdout.trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
    for (const socket of sockets) socket.destroy();
  });

  test.each<[string, string, (port: string) => Record<string, string>]>([
    ['a port in use', 'PORT, HOST', (PORT) => ({ PORT })],
    [
      'an unknown host for metrics',
      'METRICS_PORT, METRICS_HOST',
      () => ({ PORT: '0', METRICS_PORT: '0', METRICS_HOST: 'bad..host' }),
    ],
  ])('on %s ends with 1 and names %s', async (_case, settingNames, createEnv) => {
    const portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
    const { code, stdout, stderr } = await startServer(
      createEnv(`${(portHolder.address() as AddressInfo).port}`),
    ).ended;
    portHolder.close();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^${settingNames}: the gateway cannot listen there: `));
    expect(stderr.includes('Choose another port')).toBe(settingNames === 'PORT, HOST');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test.each<[string, Record<string, string>]>([
    ['PORT', { PORT: 'http' }],
    ['SEED_FILE', { SEED_FILE: '/does/not/exist.json' }],
  ])('with a wrong %s ends with 1 and names it, without a stack', async (name, env) => {
    const { code, stdout, stderr } = await startServer(env).ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^( {2})?${name}: `, 'm'));
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('does not load OpenTelemetry when no trace collector is configured', async () => {
    const script = `
      const { compose } = await import('./dist/app.js');
      const { readConfig } = await import('./dist/config.js');
      const { app } = await compose(readConfig({}), { logLevel: 'silent' });
      const { createRequire } = await import('node:module');
      console.log(Object.keys(createRequire(import.meta.url).cache).filter((file) => /opentelemetry.(sdk|exporter|core|context)/.test(file)).length);
      await app.close();`;
    expect((await execute(process.execPath, ['--input-type=module', '-e', script])).stdout.trim()).toBe('0');
  });
});
