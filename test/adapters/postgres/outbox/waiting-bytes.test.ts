import { createWaitingBytes, sumKey } from '../../../../src/adapters/postgres/outbox/store.ts';
import { brokerCapacity } from '../../../../src/outbox/outbox.store.ts';

const capacityOf = () => ({ ...brokerCapacity, maxBytes: 100, maxBytesPerOwner: 60 });

describe('createWaitingBytes: the outbox limits in PostgreSQL', () => {
  test('use the last known sums while these cannot be read', async () => {
    const limits = createWaitingBytes(() => Promise.reject(new Error('away')));
    limits.addBytes('broker', 'photos', 50);
    const free = await limits.runChange(capacityOf, async ({ freeBytes }) => freeBytes('broker', 'photos'));
    expect(free).toBe(10);
  });

  test('count a change from its decision until it fails', async () => {
    const limits = createWaitingBytes(async () => new Map([[sumKey('broker'), 30]]));
    let freeBytesOf: (destination: string, owner: string) => number = () => 0;
    const failing = limits.runChange(capacityOf, async (addition) => {
      ({ freeBytes: freeBytesOf } = addition);
      for (const bytes of [10, 20])
        addition.reserve(
          new Map([
            [sumKey('broker'), bytes],
            [sumKey('broker', 'photos'), bytes],
          ]),
        );
      expect([freeBytesOf('broker', 'photos'), freeBytesOf('broker', 'videos')]).toEqual([40, 50]);
      throw new Error('not stored');
    });
    await expect(failing).rejects.toThrow('not stored');
    expect([freeBytesOf('broker', 'photos'), freeBytesOf('broker', 'videos')]).toEqual([60, 60]);
  });
});
