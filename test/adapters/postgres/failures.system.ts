import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../src/adapters/postgres/database.ts';
import { startHousekeeping } from '../../../src/adapters/postgres/housekeeping.ts';
import { compose } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { eventually } from '../../eventually.ts';
import { secret, startGateway, type TestGateway } from '../../harness.ts';
import { collectLog, silentLog, type LogLine } from '../../log-lines.ts';
import {
  describeWithPostgres,
  queryOnce,
  startPostgres,
  type PostgresServer,
} from '../../postgres-server.ts';
import { startProxy, type TcpProxy } from '../../tcp-proxy.ts';

const errorLevel = 50;
const secretText = 'a-summary-nobody-may-log';
const readEventQuery = '{ event(calendarId: "primary", eventId: "teammeeting") { summary } }';
const patchEventMutation =
  'mutation ($s: String!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: $s }) { id } }';
const gatewaySessionsSql = "FROM pg_stat_activity WHERE application_name = 'resource-gateway'";
const endSessionsSql = `SELECT pg_terminate_backend(pid) ${gatewaySessionsSql}`;

describeWithPostgres('a gateway whose database fails', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let gateway: TestGateway;
  let directClient: pg.Client;
  const { lines, logTo, waitForLine } = collectLog();
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    // The server reads pg_hba.conf when a test restarts it, and then needs the password.
    await queryOnce(server.url, `CREATE USER guarded PASSWORD 'right-password'`);
    writeFileSync(
      join(server.folder, 'pg_hba.conf'),
      'host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n',
    );
    proxy = await startProxy(server.port);
    // Parameters of the URL override the gateway's timeouts with shorter ones.
    const url = server.url.replace(String(server.port), String(proxy.port));
    gateway = await startGateway(
      { DATABASE_URL: `${url}?statement_timeout=1000&query_timeout=2000`, DATABASE_POOL: '2' },
      { logTarget: logTo },
    );
  });
  beforeEach(async () => {
    lines.length = 0;
    directClient = new pg.Client(server.url);
    directClient.on('error', () => undefined);
    await directClient.connect();
  });
  afterEach(async () => {
    await directClient.end().catch(() => undefined);
    expect(JSON.stringify(lines)).not.toContain(secretText);
  });
  afterAll(async () => {
    await gateway?.close();
    await proxy?.close();
    await server?.remove();
  });

  const readReadyStatus = async (): Promise<number> =>
    (await gateway.app.inject({ url: '/health/ready' })).statusCode;
  /** Expects 503 for a patch and returns the logged cause. */
  async function expectUnavailable(): Promise<LogLine['err']> {
    const { status, errors, headers, body } = await gateway.ask(patchEventMutation, { s: secretText });
    expect([status, errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(body).not.toMatch(/postgres|ECONN|127\.0\.0\.1|SELECT|at \w+ \(/);
    expect((await gateway.app.inject({ url: '/health/live' })).statusCode).toBe(200);
    const isOwnLine = ({ level, requestId }: LogLine) =>
      level === errorLevel && requestId === headers['x-request-id'];
    return lines.find(isOwnLine)?.err?.cause;
  }
  /** Waits for recovery: broken connections in the pool are only detected when they are used. */
  const waitForRecovery = (): Promise<void> =>
    eventually(async () => {
      const { errors } = await gateway.ask(patchEventMutation, { s: 'again' });
      expect([errors, await readReadyStatus()]).toEqual([undefined, 200]);
    });
  const lockEvents = async (): Promise<void> => {
    await directClient.query('BEGIN');
    await directClient.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
  };

  test('recovers when all its connections were ended', async () => {
    const patches = Promise.all(
      Array.from({ length: 20 }, () => gateway.ask(patchEventMutation, { s: 'cut' })),
    );
    await directClient.query(endSessionsSql);
    for (const { errors } of await patches)
      if (errors) expect(errors[0]?.extensions.code).toBe('UNAVAILABLE');
    await waitForRecovery();
  });

  test('logs that an idle connection was ended', async () => {
    await eventually(async () => {
      await waitForRecovery();
      // A poll may use the only connection at this moment, which is then not idle.
      await directClient.query(endSessionsSql);
      expect(
        lines.some(
          ({ level, msg, err }) =>
            level === errorLevel && msg.includes('idle connection') && err?.code === '57P01',
        ),
      ).toBe(true);
    });
    await waitForRecovery();
  });

  test('is unavailable and not ready while the server is stopped, and logs each cause', async () => {
    // Waits until the gateway listens, which it does in the only session with a shared advisory lock. Otherwise no loss is logged.
    await eventually(async () => {
      const { rowCount } = await directClient.query(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted",
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    await server.stop();
    await waitForLine(
      ({ level, msg, err }) => level === errorLevel && msg.includes('listens') && err !== undefined,
    );
    expect(await expectUnavailable()).toBeDefined();
    expect([await readReadyStatus(), await readReadyStatus()]).toEqual([503, 503]);
    expect(lines.filter(({ msg }) => msg === 'not ready')).toMatchObject([
      { level: errorLevel, err: { cause: {} } },
    ]);
    await server.start();
    await waitForRecovery();
    await waitForLine(({ msg }) => msg === 'ready again');
    await waitForLine(({ msg }) => msg.includes('listening again'));
  });

  test('is unavailable while the database is read-only, as a standby is, and logs the statement', async () => {
    await directClient.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await directClient.query(endSessionsSql);
    await eventually(async () =>
      expect(await expectUnavailable()).toMatchObject({
        code: '25006',
        statement: expect.stringMatching(/^(replace|place|tell of) /),
      }),
    );
    expect(await readReadyStatus()).toBe(503);
    await directClient.query('SET default_transaction_read_only = off');
    await directClient.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await directClient.query(endSessionsSql);
    await waitForRecovery();
  });

  test('cancels and logs a statement that takes too long, and serves others', async () => {
    await lockEvents();
    expect(await expectUnavailable()).toMatchObject({
      code: '57014',
      statement: 'load for change',
      message: expect.stringContaining('statement timeout'),
    });
    expect((await gateway.ask('{ calendars { id } }')).errors).toBeUndefined();
    await directClient.query('ROLLBACK');
    await waitForRecovery();
  });

  test('stops waiting for a connection when all DATABASE_POOL connections are busy', async () => {
    await lockEvents();
    const responses = await Promise.all(Array.from({ length: 24 }, () => gateway.ask(readEventQuery)));
    for (const { errors } of responses) expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    // Some requests waited for a lock, others for a connection.
    const causes = lines.map(({ err }) => err?.cause?.message);
    expect(causes).toContainEqual('timeout exceeded when trying to connect');
    await directClient.query('ROLLBACK');
    await waitForRecovery();
  });

  test('is unavailable while the server accepts connections but does not respond', async () => {
    proxy.stall();
    await expectUnavailable();
    proxy.redirectTo(server.port);
    await waitForRecovery();
  });

  test('is unavailable for changes while the disk is full', async () => {
    await directClient.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`,
    );
    await directClient.query(
      'CREATE TRIGGER full_disk BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION full_disk()',
    );
    await expectUnavailable();
    expect((await gateway.ask(readEventQuery)).errors).toBeUndefined();
    await directClient.query('DROP TRIGGER full_disk ON events');
    await waitForRecovery();
  });

  test('notifies watchers of changes made while it was disconnected', async () => {
    const whenNotified = new Promise<void>((resolve) => {
      const stop = gateway.stores.events.watchCalendars((id) => {
        if (id !== 'alice@example.com') return;
        stop();
        resolve();
      });
    });
    await directClient.query(endSessionsSql);
    await directClient.query(`UPDATE calendars SET changed_at = now() WHERE id = 'alice@example.com'`);
    await whenNotified;
  });

  test('logs failed housekeeping once in each run, and runs the other statements', async () => {
    await directClient.query('ALTER TABLE requests RENAME TO requests_gone');
    await directClient.query(
      "INSERT INTO made (identity, kind, day, count) VALUES ('somebody', 'calendar', '2020-01-01', 1)",
    );
    const database = openDatabase(server.url, silentLog);
    const loggedError = await new Promise<object>((resolve) => {
      const stop = startHousekeeping(
        database,
        Date.now,
        {
          ...silentLog,
          error(details) {
            stop();
            resolve(details);
          },
        },
        // Interval of the runs (ms).
        5,
      );
    });
    expect(loggedError).toMatchObject({
      err: { code: '42P01', statement: 'delete old requests' },
      failures: 3,
    });
    expect((await directClient.query("SELECT FROM made WHERE identity = 'somebody'")).rowCount).toBe(0);
    await directClient.query('ALTER TABLE requests_gone RENAME TO requests');
    await database.close();
  });

  test.each([
    ['a port where nothing answers', () => 'postgres://someone:hidden-password@127.0.0.1:1/postgres'],
    ['an unknown host', () => 'postgres://someone:hidden-password@no-such-host.invalid/postgres'],
    [
      'a missing database',
      () => server.url.replace('postgres@', 'postgres:hidden-password@').replace(/\/postgres$/, '/none'),
    ],
    ['an unknown user', () => server.url.replace('postgres@', 'nobody:hidden-password@')],
    ['a wrong password', () => server.url.replace('postgres@', 'guarded:hidden-password@')],
  ])('does not start with %s; the message names the variable and not the password', async (_case, url) => {
    const config = readConfig({ AUTH_JWT_SECRET: secret, DATABASE_URL: url() });
    const failure = await compose(config, { logLevel: 'silent' }).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toMatch(/^DATABASE_URL: the database cannot be used: .+\.$/);
    expect((failure as Error).message).not.toContain('hidden-password');
  });
});
