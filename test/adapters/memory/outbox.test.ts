import { createMemoryOutbox } from '../../../src/adapters/memory/outbox.ts';
import { estimateBytes } from '../../../src/core/json.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import { OutboxFullError } from '../../../src/outbox/outbox.store.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const body = 'x'.repeat(5000);
const createMessages = (count: number, data = body): OutgoingMessage[] =>
  Array.from({ length: count }, () => createMessage(topic, { data }));

describe('the outbox in memory', () => {
  test("counts the shared body of a change's messages once, until the last of them is delivered", async () => {
    const outbox = createMemoryOutbox({
      clock: Date.now,
      // Fits two bodies with their messages, not three.
      capacityOf: () => ({ maxBytes: 25_000, maxBytesPerOwner: 25_000, whenFull: 'refuse' }),
    });
    outbox.add('photos', createMessages(10));
    const ids = (await outbox.claim([{ destination: 'broker', limit: 10 }], 1000)).map(({ item }) => item.id);
    const otherMessages = createMessages(1, 'y'.repeat(5000));
    const settleAsDone = (...messageIds: readonly string[]) =>
      outbox.settle(
        messageIds.map((id) => ({
          id,
          owner: 'photos',
          topic,
          destination: 'broker',
          outcome: 'done' as const,
        })),
      );
    for (const id of ids.slice(1)) await settleAsDone(id);
    outbox.add('photos', otherMessages);
    expect(() => outbox.add('photos', otherMessages)).toThrow(OutboxFullError);
    await settleAsDone(...ids);
    outbox.add('photos', createMessages(1));
  });
});

test('estimateBytes is at least the size of the JSON', () => {
  for (const value of ['', 'ü🙂', { a: ['b', { c: 'd' }], e: 1.5, f: null }, createMessages(1)]) {
    expect(estimateBytes(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  }
});
