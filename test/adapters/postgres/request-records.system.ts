import { storeRequest, trimRequests } from '../../../src/adapters/postgres/request-records.ts';
import { estimateRecordBytes, requestRecordLimits } from '../../../src/core/request-record.ts';
import { eventually } from '../../eventually.ts';
import { requestOf, startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

interface RecordOptions {
  readonly outcome?: object;
  readonly kind?: 'event' | 'notification';
  /** The limit of the caller's records, in bytes. */
  readonly bytesPerCaller?: number;
  /** Milliseconds by which the record expires after the first one. */
  readonly nth?: number;
}

describeWithPostgres('request records in PostgreSQL', () => {
  const { empty } = useSharedServer();
  let callers = 0;

  async function openRecords() {
    const { database } = await empty();
    // Each test has its own caller, as earlier records may still be deleted in the background.
    const caller = `caller ${(callers += 1)}`;
    const addRecord = async (
      key: string,
      {
        outcome = { x: 1 },
        kind = 'event',
        bytesPerCaller = requestRecordLimits.maxBytesPerCaller,
        nth = 0,
      }: RecordOptions,
    ): Promise<void> => {
      const request = { ...requestOf(key, 'input', startOfTime + nth), caller };
      const options = { database, outcome, now: 0, kind, bytesPerCaller };
      for (const statement of storeRequest(request, options)) await database.query(statement);
    };
    const listKeys = async (): Promise<unknown[]> => {
      const rows = await database.query({ text: 'SELECT key FROM requests ORDER BY until, key' });
      return rows.map(({ key }) => key);
    };
    const sumBytes = async (): Promise<number> =>
      (await database.query({ text: 'SELECT sum(bytes)::int AS bytes FROM requests' }))[0]?.bytes as number;
    return { database, addRecord, listKeys, sumBytes };
  }
  const recordSize = estimateRecordBytes('a', { fingerprint: 'input', until: 0, outcome: { x: 1 } });

  test('have a limit for each kind of resource', async () => {
    const { addRecord, listKeys } = await openRecords();
    for (const [nth, key] of ['a', 'b', 'c'].entries())
      await addRecord(key, {
        kind: nth === 0 ? 'notification' : 'event',
        bytesPerCaller: 2 * recordSize,
        nth,
      });
    expect(await listKeys()).toEqual(['a', 'b', 'c']);
  });

  test('of one caller are limited to about 4 MiB', async () => {
    const { addRecord, sumBytes } = await openRecords();
    const outcome = { x: 'x'.repeat(10_000) };
    for (let nth = 0; nth < 400; nth += 1) await addRecord(`${nth}`, { outcome, nth });
    // Records beyond the caller's limit are deleted in the background.
    await eventually(async () => expect(await sumBytes()).toBeLessThan(6 * 1024 * 1024));
    expect(await sumBytes()).toBeGreaterThan(4 * 1024 * 1024 - 30_000);
  });

  test('are deleted when they expire, and the oldest beyond the shared limit', async () => {
    const { database, addRecord, listKeys } = await openRecords();
    for (const [nth, key] of ['a', 'b', 'c', 'd'].entries()) await addRecord(key, { nth: 1000 * nth });
    const trim = async (now: number, maxBytes: number): Promise<void> => {
      for (const statement of trimRequests(now, maxBytes)) await database.query(statement);
    };
    await trim(startOfTime, 3 * recordSize);
    expect(await listKeys()).toEqual(['b', 'c', 'd']);
    await trim(startOfTime, 2 * recordSize);
    expect(await listKeys()).toEqual(['c', 'd']);
  });
});
