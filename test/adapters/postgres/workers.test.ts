import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../../gateway-process.ts';
import { tokenFor } from '../../harness.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';

// One life of one gateway, from its start to its end: each start takes seconds.
describeWithPostgres('WORKERS: 2', () => {
  let server: PostgresServer;
  let gateway: GatewayProcess | undefined;
  let token: string;
  let metricsPort: number;
  /** The process ids in the log, of requests and of workers that ended. */
  let serving: Set<number>;
  beforeAll(async () => {
    server = await startPostgres();
    token = await tokenFor('alice@example.com');
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    metricsPort = (probe.address() as AddressInfo).port;
    await new Promise((resolve) => probe.close(resolve));
    gateway = await startGatewayProcess({ DATABASE_URL: server.url, WORKERS: '2', METRICS_PORT: String(metricsPort), DRAIN_DELAY: '3' });
    serving = new Set();
    gateway.child.stdout?.on('data', (chunk: string) => {
      for (const [, pid] of chunk.matchAll(/"pid":(\d+),[^\n]*"msg":"request"/g)) serving.add(Number(pid));
    });
  }, 60_000);
  afterAll(async () => {
    await gateway?.kill();
    await server?.remove();
  });

  /** The status of an answer on a connection of its own, which goes to the next worker; undefined where there was none. */
  const askAnew = (): Promise<number | undefined> =>
    new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      request(`${gateway?.url}/graphql`, { method: 'POST', agent: false, headers, signal: AbortSignal.timeout(3000) }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
        .on('error', () => resolve(undefined))
        .end('{"query":"{ calendars { id } }"}');
    });

  /** Asks several times at once, until it holds. */
  async function askUntil(holds: () => boolean): Promise<number> {
    let answered = 0;
    const end = Date.now() + 30_000;
    while (!holds() && Date.now() < end) {
      const answers = await Promise.all(Array.from({ length: 4 }, askAnew));
      answered += answers.filter((status) => status === 200).length;
    }
    expect(holds()).toBe(true);
    return answered;
  }

  test('writes nothing but JSON, from its start on', () => {
    for (const line of gateway?.start.trim().split('\n') ?? []) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
    expect(gateway?.errors()).toBe('');
  });

  test('two processes answer on one port, and their figures are shown together', async () => {
    const answered = await askUntil(() => serving.size === 2);
    const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const counts = [...figures.matchAll(/^http_request_duration_seconds_count\{route="\/graphql",status="200"\} (\d+)/gm)].map(([, count]) => Number(count));
    expect(counts).toEqual([answered]);
    expect(figures).toMatch(/^outbox_messages 0$/m);
    expect(figures).toMatch(/^build_info\{version="[^"]+"\} 1$/m);
  }, 60_000);

  test('one that dies is replaced, and the other serves on meanwhile', async () => {
    await askUntil(() => serving.size === 2);
    const [victim, other] = [...serving] as [number, number];
    process.kill(victim, 'SIGKILL');
    serving.clear();
    await askUntil(() => serving.has(other) && [...serving].some((pid) => pid !== other && pid !== victim));
  }, 60_000);

  test('SIGTERM ends all of them in order, after DRAIN_DELAY in which they serve on while not ready, and drops no request', async () => {
    serving.clear();
    await askUntil(() => serving.size === 2);
    let answered = 0;
    const failed: unknown[] = [];
    let stopping = false;
    const client = async (): Promise<void> => {
      for (;;) {
        const answer = await gateway?.ask(token, 'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { colorId: "3" }) { id } }');
        if (!answer && stopping) return; // not accepted any more
        if (answer?.status !== 200) return void failed.push(answer);
        answered += 1;
      }
    };
    const clients = Array.from({ length: 4 }, client);
    while (answered < 20 && failed.length === 0) await pause(10);
    stopping = true;
    const ended = once(gateway?.child as NonNullable<GatewayProcess['child']>, 'exit');
    gateway?.child.kill('SIGTERM');
    const ready = async (): Promise<number> => (await fetch(`${gateway?.url}/health/ready`, { headers: { connection: 'close' } })).status;
    while ((await ready()) !== 503);
    expect(await askAnew()).toBe(200);
    expect(await ended).toEqual([0, null]);
    await Promise.all(clients);
    expect(failed).toEqual([]);
    for (const pid of serving) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }, 60_000);
});
