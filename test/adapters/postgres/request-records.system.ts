import { rememberRequest, trimRequests } from '../../../src/adapters/postgres/request-records.ts';
import { recordBytes, requestRecordLimits } from '../../../src/core/request-record.ts';
import { eventually } from '../../eventually.ts';
import { requestOf, startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

interface Adding {
  readonly outcome?: object;
  readonly kind?: 'event' | 'notification';
  readonly bytesPerCaller?: number;
  readonly nth?: number;
}

describeWithPostgres('records of requests in PostgreSQL', () => {
  const { empty } = sharedServer();
  let callers = 0;

  async function opened() {
    const { database } = await empty();
    // A caller for each test: records of the last one may still be forgotten in the background.
    const caller = `caller ${(callers += 1)}`;
    const add = async (
      key: string,
      {
        outcome = { x: 1 },
        kind = 'event',
        bytesPerCaller = requestRecordLimits.bytesPerCaller,
        nth = 0,
      }: Adding,
    ): Promise<void> => {
      const request = { ...requestOf(key, 'input', startOfTime + nth), caller };
      const options = { database, outcome, now: 0, kind, bytesPerCaller };
      for (const statement of rememberRequest(request, options)) await database.query(statement);
    };
    const keys = async (): Promise<unknown[]> => {
      const rows = await database.query({ text: 'SELECT key FROM requests ORDER BY until, key' });
      return rows.map(({ key }) => key);
    };
    const bytes = async (): Promise<number> =>
      (await database.query({ text: 'SELECT sum(bytes)::int AS bytes FROM requests' }))[0]?.bytes as number;
    return { database, add, keys, bytes };
  }
  const size = recordBytes('a', { fingerprint: 'input', until: 0, outcome: { x: 1 } });

  test('have a share for each kind of resource', async () => {
    const { add, keys } = await opened();
    for (const [nth, key] of ['a', 'b', 'c'].entries())
      await add(key, { kind: nth === 0 ? 'notification' : 'event', bytesPerCaller: 2 * size, nth });
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  test('of one caller take little more than 4 MiB, however many come', async () => {
    const { add, bytes } = await opened();
    const outcome = { x: 'x'.repeat(10_000) };
    for (let nth = 0; nth < 400; nth += 1) await add(`${nth}`, { outcome, nth });
    // Records beyond the caller's share are forgotten in the background.
    await eventually(async () => expect(await bytes()).toBeLessThan(6 * 1024 * 1024));
    expect(await bytes()).toBeGreaterThan(4 * 1024 * 1024 - 30_000);
  });

  test('are trimmed: those whose time has run out go, and beyond the limit of all the oldest', async () => {
    const { database, add, keys } = await opened();
    for (const [nth, key] of ['a', 'b', 'c', 'd'].entries()) await add(key, { nth: 1000 * nth });
    const trim = async (now: number, most: number): Promise<void> => {
      for (const statement of trimRequests(now, most)) await database.query(statement);
    };
    await trim(startOfTime, 3 * size);
    expect(await keys()).toEqual(['b', 'c', 'd']);
    await trim(startOfTime, 2 * size);
    expect(await keys()).toEqual(['c', 'd']);
  });
});
