import { createTurns } from '../../../src/core/runtime/turns.ts';

describe('work in turns', () => {
  test('runs one after the other, with room for others between, and failures stop nothing', async () => {
    const inTurn = createTurns();
    const order: string[] = [];
    const work = (name: string) => async (): Promise<string> => {
      order.push(name);
      if (name === 'b') throw new Error('b failed');
      return name;
    };
    const all = Promise.allSettled(['a', 'b', 'c'].map((name) => inTurn(work(name))));
    setImmediate(() => order.push('another'));
    expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(['a', 'failed', 'c']);
    expect(order.filter((name) => name !== 'another')).toEqual(['a', 'b', 'c']);
    expect(order.indexOf('another')).toBeLessThan(3);
  });
});
