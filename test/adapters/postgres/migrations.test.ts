import { defaultLimits, openDatabase, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { migrate } from '../../../src/adapters/postgres/migrations.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, startPostgres, type PostgresServer } from '../../postgres-server.ts';

describeWithPostgres('migrations', () => {
  let server: PostgresServer;
  let database: DatabasePool;
  beforeAll(async () => {
    server = await startPostgres({ settings: ['fsync = off'] });
  }, 60_000);
  afterAll(async () => {
    await database?.close();
    await server?.remove();
  }, 60_000);

  test('may take longer than a statement of a request', async () => {
    database = openDatabase(server.url, silentLog, { ...defaultLimits, statementMs: 1 });
    await migrate(database);
    const patient = openDatabase(server.url, silentLog);
    expect(await patient.query({ text: 'SELECT previous FROM published' })).toEqual([]);
    await patient.close();
  }, 30_000);
});
