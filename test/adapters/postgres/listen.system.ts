import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { changeChannel, startListener } from '../../../src/adapters/postgres/listen.ts';
import { openDatabase } from '../../../src/adapters/postgres/database.ts';
import { migrate } from '../../../src/adapters/postgres/migrations/migrations.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';

describeWithPostgres('a listener', () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres({ settings: ['fsync = off'] })));
  afterAll(() => server?.remove());

  test('tells of a change within five seconds whose gateway ended before it told anybody', async () => {
    const database = openDatabase(server.url, silentLog);
    await migrate(database);
    await database.query({
      text: `INSERT INTO calendars (id, body, time_zone, added, changed_at) VALUES ('a', '{}', 'UTC', 1, 'epoch'), ('b', '{}', 'UTC', 2, 'epoch')`,
    });
    const listener = await startListener(server.url, silentLog, database);
    const told: string[] = [];
    let began = 0;
    await new Promise<void>((resolve) => {
      listener.watch(changeChannel, (calendarId) => {
        told.push(calendarId);
        if (told.length === 2) resolve();
      });
      began = performance.now();
      void database.query({
        text: `UPDATE calendars SET changes = changes + 1, changed_at = now() WHERE id = 'a'`,
      });
      void database.query({
        text: `INSERT INTO removed_calendars (id, body, time_zone, changes) VALUES ('c', '{}', 'UTC', 1)`,
      });
    });
    expect(performance.now() - began).toBeLessThan(5000);
    // Nor is it told at each look.
    await pause(6000);
    expect(told.sort()).toEqual(['a', 'c']);
    await listener.close();
    await database.query({ text: 'TRUNCATE calendars, removed_calendars' });
    await database.close();
  });

  test('that is closed while it connects anew leaves no connection behind', async () => {
    const database = openDatabase(server.url, silentLog);
    await migrate(database);
    await database.query({
      text: `INSERT INTO calendars (id, body, time_zone, added) VALUES ('c', '{}', 'UTC', 1)`,
    });
    const listener = await startListener(server.url, silentLog, database);
    await database.close();
    const direct = new pg.Client(server.url);
    await direct.connect();
    // What was missed is told before the new connection is complete.
    const closing = new Promise<void>((resolve, reject) => {
      listener.watch(changeChannel, () => void listener.close().then(resolve, reject));
    });
    await direct.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway'",
    );
    await closing;
    let left = 1;
    while (left > 0)
      left =
        (await direct.query("SELECT FROM pg_stat_activity WHERE application_name = 'resource-gateway'"))
          .rowCount ?? 0;
    await direct.end();
  });
});
