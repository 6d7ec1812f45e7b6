import { createSerialQueue } from '../../../src/core/runtime/serial-queue.ts';

describe('a serial queue', () => {
  test('runs one task after the other, yields between them, and goes on after a failure', async () => {
    const enqueue = createSerialQueue();
    const order: string[] = [];
    const task = (name: string) => async (): Promise<string> => {
      order.push(name);
      if (name === 'b') throw new Error('b failed');
      return name;
    };
    const all = Promise.allSettled(['a', 'b', 'c'].map((name) => enqueue(task(name))));
    setImmediate(() => order.push('another'));
    expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      'a',
      'failed',
      'c',
    ]);
    expect(order.filter((name) => name !== 'another')).toEqual(['a', 'b', 'c']);
    expect(order.indexOf('another')).toBeLessThan(3);
  });
});
