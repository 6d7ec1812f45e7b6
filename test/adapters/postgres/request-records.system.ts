import { storeRequest, trimRequests } from '../../../src/adapters/postgres/request-records.ts';
import { estimateRecordBytes, defaultRequestRecordLimits } from '../../../src/core/request-record.ts';
import { createSampleRequest, startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

/** Differences from the record that a test stores by default. */
interface RecordOptions {
  readonly outcome?: object;
  readonly kind?: 'event' | 'notification';
  /** Milliseconds by which the record expires after the first one. */
  readonly expiryOffsetMs?: number;
}

describeWithPostgres('request records in PostgreSQL', () => {
  const { resetServer } = useSharedServer();

  async function openRecords() {
    const { database } = await resetServer();
    const addRecord = async (
      key: string,
      { outcome = { x: 1 }, kind = 'event', expiryOffsetMs = 0 }: RecordOptions,
    ): Promise<void> => {
      const request = createSampleRequest(key, 'input', startOfTime + expiryOffsetMs);
      await database.query(storeRequest(request, kind, outcome, 0));
    };
    const listKeys = async (): Promise<unknown[]> => {
      const rows = await database.query({ text: 'SELECT key FROM requests ORDER BY until, key' });
      return rows.map(({ key }) => key);
    };
    const sumBytes = async (): Promise<number> =>
      (await database.query({ text: 'SELECT sum(bytes)::int AS bytes FROM requests' }))[0]?.bytes as number;
    const trim = async (limits: Partial<typeof defaultRequestRecordLimits> = {}): Promise<void> => {
      for (const statement of trimRequests(startOfTime, { ...defaultRequestRecordLimits, ...limits }))
        await database.query(statement);
    };
    return { addRecord, listKeys, sumBytes, trim };
  }
  const recordBytes = estimateRecordBytes('a', { fingerprint: 'input', until: 0, outcome: { x: 1 } });

  test('have a limit for each kind of resource', async () => {
    const { addRecord, listKeys, trim } = await openRecords();
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries())
      await addRecord(key, { kind: index === 0 ? 'notification' : 'event', expiryOffsetMs: index + 1 });
    await trim({ maxBytesPerCaller: 2 * recordBytes });
    expect(await listKeys()).toEqual(['a', 'c', 'd']);
  });

  test('of one caller are limited to 4 MiB', async () => {
    const { addRecord, sumBytes, trim } = await openRecords();
    const outcome = { x: 'x'.repeat(10_000) };
    for (let index = 0; index < 400; index += 1)
      await addRecord(`${index}`, { outcome, expiryOffsetMs: index + 1 });
    await trim();
    const maxBytes = 4 * 1024 * 1024;
    expect(await sumBytes()).toBeLessThanOrEqual(maxBytes);
    expect(await sumBytes()).toBeGreaterThan(maxBytes - 30_000);
  });

  test('are deleted when they expire, and the oldest beyond the shared limit', async () => {
    const { addRecord, listKeys, trim } = await openRecords();
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries())
      await addRecord(key, { expiryOffsetMs: 1000 * index });
    await trim({ maxBytes: 3 * recordBytes });
    expect(await listKeys()).toEqual(['b', 'c', 'd']);
    await trim({ maxBytes: 2 * recordBytes });
    expect(await listKeys()).toEqual(['c', 'd']);
  });
});
