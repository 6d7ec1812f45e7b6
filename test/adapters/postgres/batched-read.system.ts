import { createLog } from '../../../src/telemetry/log.ts';
import { defaultLimits, openDatabase, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../../postgres-server.ts';

describeWithPostgres('reads that are asked for together', () => {
  let server: TestDatabase;
  let database: DatabasePool;
  beforeAll(async () => {
    server = await createDatabase();
    database = openDatabase(server.url, createLog('silent'), {
      ...defaultLimits,
      connections: 2,
      connectMs: 200,
    });
  });
  afterAll(async () => {
    await database.close();
    await server.remove();
  });

  const session = { text: 'SELECT pg_backend_pid() AS answer' };
  const quotient = (by: number) => ({ text: 'SELECT 12 / $1::int AS answer', values: [by] });

  test('each get their own rows, in one session, and of those that fail each fails alone', async () => {
    const by = [1, 2, 0, 3, 4, 0, 6, 12];
    const answers = await Promise.allSettled(by.map((one) => database.read(quotient(one))));
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value[0]?.answer : 'failed')),
    ).toEqual(by.map((one) => (one === 0 ? 'failed' : 12 / one)));
    const sessions = await Promise.all([database.read(session), database.read(session)]);
    expect(sessions[0]).toEqual(sessions[1]);
  });

  test('all say that the database cannot be asked where there is no connection, and are answered when there is one again', async () => {
    const codes = await database.use(() =>
      database.use(() =>
        Promise.all(
          [1, 2].map(() =>
            database.read(session).catch((error: unknown) => (error as { readonly code: string }).code),
          ),
        ),
      ),
    );
    expect(codes).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(await database.read(session)).toHaveLength(1);
  });
});
