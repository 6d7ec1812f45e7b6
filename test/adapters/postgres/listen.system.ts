import pg from 'pg';
import { changeChannel, startListener, topicChannel } from '../../../src/adapters/postgres/listen.ts';
import { openDatabase } from '../../../src/adapters/postgres/database.ts';
import { anyKey } from '../../../src/core/runtime/streams.ts';
import { eventually } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';

describeWithPostgres('a listener', () => {
  const { createMigratedUrl } = usePostgres();

  test('reports a change that was stored without a notification, as by a gateway that ended in between', async () => {
    const url = await createMigratedUrl();
    const database = openDatabase(url, silentLog);
    await database.query({
      text: `INSERT INTO calendars (id, body, time_zone, added, changed_at) VALUES ('a', '{}', 'UTC', 1, 'epoch'), ('b', '{}', 'UTC', 2, 'epoch')`,
    });
    const listener = await startListener(url, silentLog, database);
    const reportedIds: string[] = [];
    await new Promise<void>((resolve) => {
      listener.watch(changeChannel, (calendarId) => {
        reportedIds.push(calendarId);
        if (reportedIds.length === 2) resolve();
      });
      void database.query({
        text: `UPDATE calendars SET changes = changes + 1, changed_at = now() WHERE id = 'a'`,
      });
      void database.query({
        text: `INSERT INTO removed_calendars (id, body, time_zone, changes) VALUES ('c', '{}', 'UTC', 1)`,
      });
    });
    // Each change is reported once, also by the poll that finds another change.
    await database.query({ text: `UPDATE calendars SET changes = 1, changed_at = now() WHERE id = 'b'` });
    await eventually(async () => expect(reportedIds).toContain('b'));
    expect(reportedIds.toSorted()).toEqual(['a', 'b', 'c']);
    await listener.close();
    await database.close();
  });

  test('reports after a lost connection that any topic and bucket may have changed', async () => {
    const url = await createMigratedUrl();
    const database = openDatabase(url, silentLog);
    const listener = await startListener(url, silentLog, database);
    const reportedKey = new Promise((resolve) => listener.watch(topicChannel, resolve));
    const directClient = new pg.Client(url);
    await directClient.connect();
    await directClient.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resource-gateway' AND datname = current_database()",
    );
    expect(await reportedKey).toBe(anyKey);
    await listener.close();
    await database.close();
    await directClient.end();
  });

  test('leaves no connection open if it is closed while it reconnects', async () => {
    const url = await createMigratedUrl();
    const database = openDatabase(url, silentLog);
    await database.query({
      text: `INSERT INTO calendars (id, body, time_zone, added) VALUES ('c', '{}', 'UTC', 1)`,
    });
    const listener = await startListener(url, silentLog, database);
    const directClient = new pg.Client(url);
    await directClient.connect();
    // Missed changes are reported before the new connection is complete.
    const whenClosed = new Promise<void>((resolve, reject) => {
      listener.watch(changeChannel, () => void listener.close().then(resolve, reject));
    });
    const ownSessions =
      "FROM pg_stat_activity WHERE application_name = 'resource-gateway' AND datname = current_database()";
    await directClient.query(`SELECT pg_terminate_backend(pid) ${ownSessions}`);
    await whenClosed;
    await database.close();
    await eventually(async () =>
      expect((await directClient.query(`SELECT ${ownSessions}`)).rowCount).toBe(0),
    );
    await directClient.end();
  });
});
