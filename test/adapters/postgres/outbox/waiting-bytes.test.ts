import { createWaitingBytes, sumKey } from '../../../../src/adapters/postgres/outbox/waiting-bytes.ts';
import { brokerCapacity } from '../../../../src/outbox/outbox.store.ts';

const capacityOf = () => ({ ...brokerCapacity, maxBytes: 100, maxBytesPerOwner: 60 });

describe('createWaitingBytes: the outbox limits in PostgreSQL', () => {
  test('use the last known sums while the sums cannot be read', async () => {
    const limitsWithoutSums = createWaitingBytes(() => Promise.reject(new Error('away')));
    const addedBytes = new Map([sumKey('broker'), sumKey('broker', 'photos')].map((key) => [key, 50]));
    await limitsWithoutSums.runChange(capacityOf, async ({ reserve }) => reserve(addedBytes));
    const freeByteCount = await limitsWithoutSums.runChange(capacityOf, async ({ freeBytes }) =>
      freeBytes('broker', 'photos'),
    );
    expect(freeByteCount).toBe(10);
  });

  test('count a change from its decision until it fails', async () => {
    const limits = createWaitingBytes(async () => new Map([[sumKey('broker'), 30]]));
    let readFreeBytes: (destination: string, owner: string) => number = () => 0;
    const failingChange = limits.runChange(capacityOf, async (addition) => {
      ({ freeBytes: readFreeBytes } = addition);
      for (const bytes of [10, 20])
        addition.reserve(
          new Map([
            [sumKey('broker'), bytes],
            [sumKey('broker', 'photos'), bytes],
          ]),
        );
      expect([readFreeBytes('broker', 'photos'), readFreeBytes('broker', 'videos')]).toEqual([40, 50]);
      throw new Error('not stored');
    });
    await expect(failingChange).rejects.toThrow('not stored');
    expect([readFreeBytes('broker', 'photos'), readFreeBytes('broker', 'videos')]).toEqual([60, 60]);
  });
});
