import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { startGatewayProcess } from '../../gateway-process.ts';
import { secret, startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';
import { startProxy } from '../../tcp-proxy.ts';

const built = (name: string): string => fileURLToPath(new URL(`../../../dist/${name}.js`, import.meta.url));
const run = promisify(execFile);
const reading = '{ result: event(calendarId: "primary", eventId: "teammeeting") { summary } }';

interface Ended {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}
/** A command that comes to its end. */
const ended = (name: string, DATABASE_URL: string): Promise<Ended> =>
  run(process.execPath, [built(name)], { env: { PATH: process.env.PATH, PORT: '0', AUTH_JWT_SECRET: secret, DATABASE_URL } }).catch((error: unknown) => error as Ended);

describeWithPostgres('a database that was just made', () => {
  let server: PostgresServer;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    admin = new pg.Client(server.url);
    await admin.connect();
  }, 60_000);
  afterAll(async () => {
    await admin?.end();
    await server?.remove();
  }, 60_000);
  let databases = 0;
  const empty = async (): Promise<string> => {
    const name = `empty${(databases += 1)}`;
    await admin.query(`CREATE DATABASE ${name}`);
    return server.url.replace(/\/postgres$/, `/${name}`);
  };

  test('is all that a start needs, and what is written there is there after the next one', async () => {
    const url = await empty();
    const token = await tokenFor('alice@example.com');
    for (const summary of ['Team meeting', 'Moved']) {
      const gateway = await startGatewayProcess({ DATABASE_URL: url });
      expect((await gateway.ask(token, reading))?.data).toEqual({ result: { summary } });
      await gateway.ask(token, 'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { id } }');
      await gateway.kill();
    }
  }, 60_000);

  test('gets its tables by the command of their own, which may come again', async () => {
    const url = await empty();
    for (let round = 0; round < 2; round += 1) expect(await ended('migrate', url)).toMatchObject({ stdout: 'The tables are up to date.\n', stderr: '' });
    const client = new pg.Client(url);
    await client.connect();
    expect((await client.query('SELECT count(*)::int AS count FROM calendars')).rows).toEqual([{ count: 0 }]);
    await client.end();
  }, 60_000);

  test('refuses a wrong password with a message that names the variable and not the password', async () => {
    await admin.query(`CREATE USER guarded PASSWORD 'right-password'`);
    writeFileSync(join(server.folder, 'pg_hba.conf'), 'host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
    await admin.query('SELECT pg_reload_conf()');
    const url = server.url.replace('postgres@', 'guarded:wrong-password@');
    for (const command of ['main', 'migrate']) {
      const { code, stdout, stderr } = await ended(command, url);
      expect([code, stdout, stderr]).toEqual([1, '', 'DATABASE_URL: the database cannot be used: the server refuses the user or the password.\n']);
    }
  }, 30_000);

  test('is filled from a seed file once: the next start leaves it as it is, and says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'seed-'));
    const file = join(folder, 'seed.json');
    const events = Array.from({ length: 600 }, (_, index) => ({ id: `event${index}`, start: { date: '2030-01-01' }, end: { date: '2030-01-02' } }));
    writeFileSync(file, JSON.stringify({ calendars: [{ id: 'alice@example.com', owner: 'alice@example.com', timeZone: 'UTC', events }] }));
    const env = { DATABASE_URL: await empty(), SEED_FILE: file };
    const token = await tokenFor('alice@example.com');
    for (const notices of [[], ['SEED_FILE was not loaded: the database was filled before.']]) {
      const gateway = await startGatewayProcess(env);
      const lines = gateway.start.trim().split('\n').map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect([gateway.errors(), lines.filter((line) => line.includes('SEED_FILE'))]).toEqual(['', notices]);
      const { data } = (await gateway.ask(token, '{ result: events(calendarId: "primary", first: 1000) { nodes { id } } }')) as { data: { result: { nodes: { id: string }[] } } };
      expect(data.result.nodes.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      await gateway.kill();
    }
    rmSync(folder, { recursive: true });
  }, 60_000);

  test('is filled by one of two gateways that start at once; a patch takes two round trips', async () => {
    const url = await empty();
    const proxy = await startProxy(server.port);
    const gateways: TestGateway[] = await Promise.all([
      startGateway({ DATABASE_URL: url.replace(String(server.port), String(proxy.port)) }), startGateway({ DATABASE_URL: url }),
    ]);
    const idsOf = async (gateway: TestGateway): Promise<string[]> => (await gateway.ask('{ result: events(calendarId: "primary") { nodes { id } } }')).data.result.nodes.map(({ id }: { id: string }) => id);
    const [first, second] = await Promise.all(gateways.map(idsOf));
    expect(new Set(first).size).toBe(first?.length);
    expect(second).toEqual(first);
    const patch = () => gateways[0]?.ask('mutation ($s: String!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: $s }) { id } }', { s: `${Math.random()}` });
    await patch();
    const trips: number[] = [];
    for (let index = 0; index < 10; index += 1) {
      const before = proxy.roundTrips();
      expect((await patch())?.errors).toBeUndefined();
      trips.push(proxy.roundTrips() - before);
    }
    // The relay and the listening connection speak now and then, too.
    expect(trips.filter((count) => count === 2).length).toBeGreaterThanOrEqual(5);
    expect(Math.min(...trips)).toBe(2);
    for (const gateway of gateways) await gateway.close();
    await proxy.close();
  }, 60_000);
});
