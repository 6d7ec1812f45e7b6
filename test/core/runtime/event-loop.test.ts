import { createEventLoop } from '../../../src/core/runtime/event-loop.ts';

/** Work of some length, without the time that it would take. */
function workers() {
  let time = 0;
  let turn = 0;
  let ended = false;
  const { enter, giveWay } = createEventLoop(() => time);
  const turns: [string, number][] = [];
  const count = (): unknown => !ended && setImmediate(() => ((turn += 1), count()));
  count();
  const work = (name: string, ms: number): void => {
    turns.push([name, turn]);
    time += ms;
  };
  const begin = async (name: string, ms: number): Promise<void> => {
    const wait = enter();
    if (wait) await wait;
    work(name, ms);
  };
  return { enter, giveWay, begin, work, turns, end: () => (ended = true) };
}

describe('the time of the event loop', () => {
  test('work begins at once while there is time in the turn', () => {
    const { enter, work, end } = workers();
    expect(enter()).toBeUndefined();
    work('a', 10);
    expect(enter()).toBeUndefined();
    work('b', 1);
    expect(enter()).toBeInstanceOf(Promise);
    end();
  });

  test('a hundred long pieces of work that come together take turns of their own, in their order', async () => {
    const { begin, turns, end } = workers();
    const names = Array.from({ length: 100 }, (_, n) => `work ${n}`);
    await Promise.all(names.map((name) => begin(name, 20)));
    end();
    expect(turns.map(([name]) => name)).toEqual(names);
    expect(new Set(turns.map(([, turn]) => turn)).size).toBe(100);
  });

  test('short ones share a turn', async () => {
    const { begin, turns, end } = workers();
    await Promise.all(Array.from({ length: 500 }, () => begin('short', 0.1)));
    end();
    expect(turns).toHaveLength(500);
    expect(new Set(turns.map(([, turn]) => turn)).size).toBeLessThan(20);
  });

  test('who gives way goes on behind those that wait already', async () => {
    const { begin, giveWay, work, turns, end } = workers();
    const long = async (name: string): Promise<void> => {
      await begin(name, 20);
      await giveWay();
      work(name, 20);
    };
    await Promise.all([long('a'), long('b'), long('c')]);
    end();
    expect(turns.map(([name]) => name).join('')).toBe('abcabc');
    expect(new Set(turns.map(([, turn]) => turn)).size).toBe(6);
  });
});
