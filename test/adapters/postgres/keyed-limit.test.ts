import { createKeyedLimit } from '../../../src/adapters/postgres/keyed-limit.ts';

describe('tasks of one key', () => {
  /** Tasks that run until they are told to end. */
  function tasks(limit = createKeyedLimit({ atOnce: 2, withinMs: 60_000 })) {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (key: string, name: string): Promise<string> =>
      limit(key, () => {
        begun.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(name)));
      });
    return { begun, run, end: (name: string) => ends.get(name)?.() };
  }

  test('run so many at once, in the order in which they came, and those of another key beside them', async () => {
    const { begun, run, end } = tasks();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => run('one', name));
    void run('other', 'x');
    expect(begun).toEqual(['a', 'b', 'x']);
    end('b');
    expect(await b).toBe('b');
    end('c');
    expect(await c).toBe('c');
    expect(begun).toEqual(['a', 'b', 'x', 'c', 'd']);
    end('a');
    end('d');
    expect(await Promise.all([a, d])).toEqual(['a', 'd']);
  });

  test('make room when they fail', async () => {
    const limit = createKeyedLimit({ atOnce: 1, withinMs: 60_000 });
    const failing = limit('one', () => Promise.reject(new Error('not this one')));
    const next = limit('one', async () => 'next');
    await expect(failing).rejects.toThrow('not this one');
    expect(await next).toBe('next');
  });

  test('that wait for too long fail, never run, and are not in the way of those behind them', async () => {
    const { begun, run, end } = tasks(createKeyedLimit({ atOnce: 1, withinMs: 50 }));
    const first = run('one', 'first');
    await expect(run('one', 'late')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Try again'),
    });
    end('first');
    await first;
    const behind = run('one', 'behind');
    end('behind');
    await behind;
    expect(begun).toEqual(['first', 'behind']);
  });
});
