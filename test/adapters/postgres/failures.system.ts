import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { compose } from '../../../src/compose.ts';
import { readConfig } from '../../../src/config.ts';
import { secret, startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';
import { startProxy, type TcpProxy } from '../../tcp-proxy.ts';

const reading = '{ result: event(calendarId: "primary", eventId: "teammeeting") { summary } }';
const patching =
  'mutation ($s: String!) { result: patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: $s }) { summary } }';

describeWithPostgres('a gateway whose database fails', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let gateway: TestGateway;
  let direct: pg.Client;
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    proxy = await startProxy(server.port);
    // Settings behind the URL win: as those of the gateway, but shorter.
    gateway = await startGateway({
      DATABASE_URL: `${server.url.replace(String(server.port), String(proxy.port))}?statement_timeout=1500&query_timeout=2000`,
    });
  });
  beforeEach(async () => {
    direct = new pg.Client(server.url);
    direct.on('error', () => undefined);
    await direct.connect();
  });
  afterEach(() => direct.end().catch(() => undefined));
  afterAll(async () => {
    await gateway?.close();
    await proxy?.close();
    await server?.remove();
  });

  const ready = async (): Promise<number> => (await gateway.app.inject({ url: '/health/ready' })).statusCode;
  const isUnavailable = async (): Promise<void> => {
    const answer = await gateway.ask(patching, { s: 'never' });
    expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.body).not.toMatch(/postgres|ECONN|127\.0\.0\.1|SELECT|at \w+ \(/);
    expect((await gateway.app.inject({ url: '/health/live' })).statusCode).toBe(200);
  };
  /** Connections of the time before may be left in the pool: each is found useless when it is used. */
  const recovers = async (): Promise<void> => {
    const works = async (): Promise<unknown> => [
      (await gateway.ask(patching, { s: 'again' })).errors,
      await ready(),
    ];
    const end = Date.now() + 5000;
    let found = await works();
    while (!isDeepStrictEqual(found, [undefined, 200]) && Date.now() < end) found = await works();
    expect(found).toEqual([undefined, 200]);
  };

  test('lives on when all its connections are ended, and works again', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asking = Promise.all(Array.from({ length: 20 }, () => gateway.ask(patching, { s: `${round}` })));
      await direct.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
      );
      for (const { errors } of await asking)
        if (errors) expect(errors[0]?.extensions.code).toBe('UNAVAILABLE');
      await recovers();
    }
  });

  test('is unavailable and not ready while the server is stopped, and works again within 5 s', async () => {
    await server.stop();
    await isUnavailable();
    expect(await ready()).toBe(503);
    await server.start();
    await recovers();
  });

  test('is unavailable while the database takes no changes, as a standby', async () => {
    await direct.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    proxy.leadTo(server.port);
    await isUnavailable();
    expect(await ready()).toBe(503);
    await direct.query('SET default_transaction_read_only = off');
    await direct.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await recovers();
  });

  test('gives up a statement that takes too long, and lets others through', async () => {
    await direct.query('BEGIN');
    await direct.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const began = Date.now();
    await isUnavailable();
    expect(Date.now() - began).toBeLessThan(20_000);
    expect((await gateway.ask('{ calendars { id } }')).errors).toBeUndefined();
    await direct.query('ROLLBACK');
    await recovers();
  });

  test('gives up waiting when all its connections are busy', async () => {
    await direct.query('BEGIN');
    await direct.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const answers = await Promise.all(Array.from({ length: 60 }, () => gateway.ask(reading)));
    for (const { errors } of answers) expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    await direct.query('ROLLBACK');
    await recovers();
  });

  test('gives up on a server that is gone without a word', async () => {
    proxy.stall();
    await isUnavailable();
    proxy.leadTo(server.port);
    await recovers();
  });

  test('says that it cannot store when the disk is full', async () => {
    // A full disk is simulated by the error that it gives.
    await direct.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`,
    );
    await direct.query(
      'CREATE TRIGGER full_disk BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION full_disk()',
    );
    await isUnavailable();
    expect((await gateway.ask(reading)).errors).toBeUndefined();
    await direct.query('DROP TRIGGER full_disk ON events');
    await recovers();
  });

  test('tells those who watch of what changed while it was not connected', async () => {
    const told: string[] = [];
    const stop = gateway.stores.events.watchCalendars((id) => void told.push(id));
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
    );
    await direct.query(`UPDATE calendars SET changed_at = now() WHERE id = 'alice@example.com'`);
    const end = Date.now() + 10_000;
    while (!told.includes('alice@example.com') && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    stop();
    expect(told).toContain('alice@example.com');
  });
});

describeWithPostgres('a start', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
  });
  afterAll(() => server?.remove());

  const start = (url: string) =>
    compose(readConfig({ AUTH_JWT_SECRET: secret, DATABASE_URL: url }), { logLevel: 'silent' });

  test.each([
    ['a port where nothing answers', () => 'postgres://someone:hidden-password@127.0.0.1:1/postgres'],
    ['a host that is not known', () => 'postgres://someone:hidden-password@no-such-host.invalid/postgres'],
    [
      'a database that is not there',
      () => server.url.replace('postgres@', 'postgres:hidden-password@').replace(/\/postgres$/, '/none'),
    ],
    ['a user who is not there', () => server.url.replace('postgres@', 'nobody:hidden-password@')],
  ])('with %s ends with a message that names the variable and not the password', async (_what, url) => {
    const failure = await start(url()).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toMatch(/^DATABASE_URL: the database cannot be used: .+\.$/);
    expect((failure as Error).message).not.toContain('hidden-password');
  });

  test('that fails on its seed leaves the database empty for the next one', async () => {
    const config = readConfig({ AUTH_JWT_SECRET: secret, DATABASE_URL: server.url });
    const calendar = { id: 'alice@example.com', owner: 'alice@example.com', timeZone: 'UTC' };
    await expect(
      compose(config, {
        logLevel: 'silent',
        seed: { calendars: [{ ...calendar, events: [{ summary: 3 }] }] },
      }),
    ).rejects.toThrow(/not valid/);
    const { app, stores } = await compose(config, { logLevel: 'silent', seed: { calendars: [calendar] } });
    expect(await stores.calendars.calendars([{ id: calendar.id }])).toHaveLength(1);
    await app.close();
    const again = await compose(config, {
      logLevel: 'silent',
      seed: { calendars: [{ ...calendar, id: 'other' }] },
    });
    expect(await again.stores.calendars.calendars([{ id: 'other' }, { id: calendar.id }])).toEqual([
      undefined,
      expect.anything(),
    ]);
    await again.app.close();
  });
});
