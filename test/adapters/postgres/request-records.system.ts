import { storeRequest, trimRequests } from '../../../src/adapters/postgres/request-records.ts';
import { estimateRecordBytes, defaultRequestRecordLimits } from '../../../src/core/request-record.ts';
import { eventually } from '../../eventually.ts';
import { createSampleRequest, startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

/** Differences from the record that a test stores by default. */
interface RecordOptions {
  readonly outcome?: object;
  readonly kind?: 'event' | 'notification';
  /** The limit of the caller's records, in bytes. */
  readonly bytesPerCaller?: number;
  /** Milliseconds by which the record expires after the first one. */
  readonly expiryOffsetMs?: number;
}

describeWithPostgres('request records in PostgreSQL', () => {
  const { resetServer } = useSharedServer();
  let callerCount = 0;

  async function openRecords() {
    const { database } = await resetServer();
    // Each test has its own caller, as earlier records may still be deleted in the background.
    const caller = `caller ${(callerCount += 1)}`;
    const addRecord = async (
      key: string,
      {
        outcome = { x: 1 },
        kind = 'event',
        bytesPerCaller = defaultRequestRecordLimits.maxBytesPerCaller,
        expiryOffsetMs = 0,
      }: RecordOptions,
    ): Promise<void> => {
      const request = { ...createSampleRequest(key, 'input', startOfTime + expiryOffsetMs), caller };
      for (const statement of storeRequest(database, request, kind, outcome, 0, bytesPerCaller))
        await database.query(statement);
    };
    const listKeys = async (): Promise<unknown[]> => {
      const rows = await database.query({ text: 'SELECT key FROM requests ORDER BY until, key' });
      return rows.map(({ key }) => key);
    };
    const sumBytes = async (): Promise<number> =>
      (await database.query({ text: 'SELECT sum(bytes)::int AS bytes FROM requests' }))[0]?.bytes as number;
    return { database, addRecord, listKeys, sumBytes };
  }
  const recordBytes = estimateRecordBytes('a', { fingerprint: 'input', until: 0, outcome: { x: 1 } });

  test('have a limit for each kind of resource', async () => {
    const { addRecord, listKeys } = await openRecords();
    for (const [index, key] of ['a', 'b', 'c'].entries())
      await addRecord(key, {
        kind: index === 0 ? 'notification' : 'event',
        bytesPerCaller: 2 * recordBytes,
        expiryOffsetMs: index,
      });
    expect(await listKeys()).toEqual(['a', 'b', 'c']);
  });

  test('of one caller are limited to about 4 MiB', async () => {
    const { addRecord, sumBytes } = await openRecords();
    const outcome = { x: 'x'.repeat(10_000) };
    for (let index = 0; index < 400; index += 1)
      await addRecord(`${index}`, { outcome, expiryOffsetMs: index });
    // Records beyond the caller's limit are deleted in the background.
    await eventually(async () => expect(await sumBytes()).toBeLessThan(6 * 1024 * 1024));
    expect(await sumBytes()).toBeGreaterThan(4 * 1024 * 1024 - 30_000);
  });

  test('are deleted when they expire, and the oldest beyond the shared limit', async () => {
    const { database, addRecord, listKeys } = await openRecords();
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries())
      await addRecord(key, { expiryOffsetMs: 1000 * index });
    const trim = async (now: number, maxBytes: number): Promise<void> => {
      for (const statement of trimRequests(now, maxBytes)) await database.query(statement);
    };
    await trim(startOfTime, 3 * recordBytes);
    expect(await listKeys()).toEqual(['b', 'c', 'd']);
    await trim(startOfTime, 2 * recordBytes);
    expect(await listKeys()).toEqual(['c', 'd']);
  });
});
