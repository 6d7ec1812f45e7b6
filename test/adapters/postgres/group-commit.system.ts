import pg from 'pg';
import { defaultLimits, openDatabase, type DatabasePool } from '../../../src/adapters/postgres/database.ts';
import { createSharedStoring } from '../../../src/adapters/postgres/group-commit.ts';
import { counting, type Writes } from '../../../src/adapters/postgres/transaction.ts';
import { patienceMs } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../../postgres-server.ts';

describeWithPostgres('changes that are stored together', () => {
  let server: TestDatabase;
  let database: DatabasePool;
  let store: (writes: Writes) => Promise<boolean>;
  beforeAll(async () => {
    server = await createDatabase();
    database = openDatabase(server.url, silentLog, {
      ...defaultLimits,
      connectMs: patienceMs,
      statementMs: patienceMs,
    });
    await database.query({ text: 'CREATE TABLE records (key text PRIMARY KEY, version integer)' });
    await database.query({ text: 'CREATE TABLE counters (id text PRIMARY KEY, changes integer)' });
    const storing = createSharedStoring(database);
    store = (writes) => storing(writes);
  });
  beforeEach(async () => {
    await database.query({ text: 'TRUNCATE records, counters' });
    await database.query({
      text: "INSERT INTO records SELECT key, 1 FROM unnest('{a,b,c,d,e}'::text[]) AS key",
    });
    await database.query({
      text: "INSERT INTO counters SELECT id, 0 FROM unnest('{home,work}'::text[]) AS id",
    });
  });
  afterAll(async () => {
    await database.close();
    await server.remove();
  });

  const raise = (key: string, from: number): string =>
    `UPDATE records SET version = version + 1 WHERE key = '${key}' AND version = ${from} RETURNING 1`;
  const count = (id: string, condition: string): string =>
    `UPDATE counters SET changes = changes + 1 WHERE id = '${id}' ${condition} RETURNING 1`;
  function writes(key: string, calendarId: string, from = 1): Writes {
    return {
      statements: [
        {
          text: `WITH raised AS (${raise(key, from)}), counted AS (${count(calendarId, 'AND EXISTS (SELECT FROM raised)')}) SELECT 1 / count(*) FROM counted`,
        },
      ],
      parts: () => ({
        recordKey: key,
        record: { text: counting(raise(key, from), '1') },
        calendarId,
        entries: { text: counting(count(calendarId, ''), '1') },
      }),
    };
  }
  const valuesOf = async (text: string): Promise<unknown[]> =>
    (await database.query({ text })).map(({ value }) => value);
  const stored = async () => ({
    versions: await valuesOf('SELECT version AS value FROM records ORDER BY key'),
    changes: await valuesOf('SELECT changes AS value FROM counters ORDER BY id'),
  });
  const all = (): Promise<boolean>[] =>
    ['e work', 'b home', 'd work', 'a home', 'c home'].map((change) => {
      const [key = '', calendarId = ''] = change.split(' ');
      return store(writes(key, calendarId));
    });

  test('are all stored', async () => {
    expect(await Promise.all(all())).toEqual([true, true, true, true, true]);
    expect(await stored()).toEqual({ versions: [2, 2, 2, 2, 2], changes: [3, 2] });
  });

  test('are stored each by itself where the check of one fails', async () => {
    expect(
      await Promise.all([writes('a', 'home'), writes('b', 'home', 7), writes('c', 'work')].map(store)),
    ).toEqual([true, false, true]);
    expect(await stored()).toEqual({ versions: [2, 1, 2, 1, 1], changes: [1, 1] });
  });

  test('do not wait for the one whose record somebody holds', async () => {
    const other = new pg.Client(server.url);
    await other.connect();
    await other.query(`BEGIN; SELECT FROM records WHERE key = 'b' FOR UPDATE`);
    const [e, held, ...others] = all();
    expect(await Promise.all([e, ...others])).toEqual([true, true, true, true]);
    expect((await stored()).versions).toEqual([2, 1, 2, 2, 2]);
    await other.query('COMMIT');
    expect(await held).toBe(true);
    await other.end();
    expect(await stored()).toMatchObject({ versions: [2, 2, 2, 2, 2], changes: [3, 2] });
  });

  test('of which one alone, or one that cannot be parted, is as it would be without others', async () => {
    const whole: Writes = { statements: writes('b', 'work').statements };
    expect(await store(writes('a', 'home'))).toBe(true);
    expect(await Promise.all([store(whole), store(writes('c', 'home', 2))])).toEqual([true, false]);
    expect(await stored()).toEqual({ versions: [2, 2, 1, 1, 1], changes: [1, 1] });
  });

  test('fail together where there is no connection', async () => {
    const without = openDatabase('postgres://postgres@127.0.0.1:1/none', silentLog, {
      ...defaultLimits,
      connectMs: 500,
    });
    const storing = createSharedStoring(without);
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((key) => storing(writes(key, 'home'))));
    const failed = { status: 'rejected', reason: { code: 'UNAVAILABLE' } };
    expect(answers).toMatchObject([failed, failed, failed]);
    await without.close();
  });
});
