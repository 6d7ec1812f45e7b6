import pg from 'pg';
import { openDatabase } from '../../../src/adapters/postgres/database.ts';
import { startHousekeeping } from '../../../src/adapters/postgres/housekeeping.ts';
import { eventually } from '../../eventually.ts';
import { startGateway, type TestGateway } from '../../harness.ts';
import { collectLog, type LogLine } from '../../log-lines.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';

const errorLevel = 50;
const secretText = 'a-summary-nobody-may-log';
const patching =
  'mutation ($s: String!) { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: $s }) { id } }';

describeWithPostgres('the log of a gateway whose database fails', () => {
  let server: PostgresServer;
  let gateway: TestGateway;
  let direct: pg.Client;
  const { lines, logTo, until } = collectLog();
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
    gateway = await startGateway(
      { DATABASE_URL: `${server.url}?statement_timeout=500`, DATABASE_POOL: '2' },
      { logTo },
    );
  });
  beforeEach(async () => {
    lines.length = 0;
    direct = new pg.Client(server.url);
    direct.on('error', () => undefined);
    await direct.connect();
  });
  afterEach(() => direct.end().catch(() => undefined));
  afterAll(async () => {
    await gateway?.close();
    await server?.remove();
  });

  /** The line that tells why a request was answered with UNAVAILABLE. */
  const toldOf = (requestId: unknown): LogLine | undefined =>
    lines.find((line) => line.level === errorLevel && line.requestId === requestId);

  test('names SQLSTATE and statement of what took too long, under the id of the request, and no value', async () => {
    await direct.query('BEGIN');
    await direct.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const { errors, headers } = await gateway.ask(patching, { s: secretText });
    await direct.query('ROLLBACK');
    expect(errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
    const cause = {
      code: '57014',
      statement: 'load for change',
      message: expect.stringContaining('statement timeout'),
    };
    expect(toldOf(headers['x-request-id'])).toMatchObject({ err: { code: 'UNAVAILABLE', cause } });
    expect(JSON.stringify(lines)).not.toContain(secretText);
  });

  test('names the statement of a database that takes no changes, which its clients are told as well', async () => {
    await direct.query('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
    );
    await until(({ level, err }) => level === errorLevel && err?.code === '57P01');
    let { errors, headers } = await gateway.ask(patching, { s: secretText });
    // Connections of the time before are found useless one by one.
    while (!/takes no changes/.test(errors?.[0]?.message ?? ''))
      ({ errors, headers } = await gateway.ask(patching, { s: secretText }));
    await direct.query('SET default_transaction_read_only = off');
    await direct.query('ALTER DATABASE postgres RESET default_transaction_read_only');
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
    );
    expect(toldOf(headers['x-request-id'])?.err?.cause).toMatchObject({
      code: '25006',
      statement: expect.stringMatching(/^(replace|place|tell of) /),
    });
    expect(JSON.stringify(lines)).not.toContain(secretText);
  });

  test('tells that idle connections were lost, that nothing can be connected to, and that it is not ready, each with the cause', async () => {
    // Connections that the test before has ended are found so one by one.
    while ((await gateway.ask(patching, { s: 'before' })).errors);
    // The one that listens, too: its session holds a lock. Of a second failure on end nothing would be told.
    await eventually(async () =>
      expect(
        (await direct.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")).rowCount,
      ).toBeGreaterThan(0),
    );
    await server.stop();
    await until(
      ({ level, msg, err }) =>
        level === errorLevel && msg.includes('idle connection') && err?.code === '57P01',
    );
    await until(
      ({ level, msg, err }) => level === errorLevel && msg.includes('listens') && err !== undefined,
    );
    const { headers } = await gateway.ask(patching, { s: secretText });
    expect(toldOf(headers['x-request-id'])?.err?.cause).toMatchObject({ code: 'ECONNREFUSED' });
    expect((await gateway.app.inject('/health/ready')).statusCode).toBe(503);
    await gateway.app.inject('/health/ready');
    const unready = lines.filter(({ msg }) => msg === 'not ready');
    expect(unready).toEqual([
      expect.objectContaining({
        level: errorLevel,
        err: expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) }),
      }),
    ]);
    await server.start();
    while ((await gateway.app.inject('/health/ready')).statusCode !== 200);
    await until(({ msg }) => msg === 'ready again');
    await until(({ msg }) => msg.includes('listening again'));
    expect(JSON.stringify(lines)).not.toContain(secretText);
  });

  test('tells of housekeeping that failed, once in each run, and what is behind it is done', async () => {
    const log = {
      info: () => undefined,
      warn: () => undefined,
      error: (details: object) => void told.push(details),
    };
    const told: object[] = [];
    const database = openDatabase(server.url, log);
    await direct.query('ALTER TABLE requests RENAME TO requests_gone');
    await direct.query(
      "INSERT INTO made (identity, kind, day, count) VALUES ('somebody', 'calendar', '2020-01-01', 1)",
    );
    const stop = startHousekeeping(database, Date.now, log, 5);
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop();
    expect((await direct.query("SELECT FROM made WHERE identity = 'somebody'")).rowCount).toBe(0);
    await direct.query('ALTER TABLE requests_gone RENAME TO requests');
    expect(told[0]).toMatchObject({ err: { code: '42P01', statement: 'delete old requests' }, failures: 2 });
    await database.close();
  });

  test('DATABASE_POOL is the number of connections that requests share', async () => {
    await direct.query('BEGIN');
    await direct.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    // None of them ends before it has waited on a connection.
    await Promise.all(
      Array.from({ length: 6 }, () =>
        gateway.ask('{ event(calendarId: "primary", eventId: "teammeeting") { id } }'),
      ),
    );
    await direct.query('ROLLBACK');
    const { rows } = await direct.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
    );
    expect(rows).toEqual([{ count: 3 }]); // one more listens
  });
});
