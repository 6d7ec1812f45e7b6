import { createKeyedLimit } from '../../../src/adapters/postgres/database.ts';

describe('createKeyedLimit: tasks of one key', () => {
  /** Creates functions that start tasks, and end them by name. */
  function createTasks(limit = createKeyedLimit(2, 60_000)) {
    const startedNames: string[] = [];
    const endByName = new Map<string, () => void>();
    const run = (key: string, name: string): Promise<string> =>
      limit(key, () => {
        startedNames.push(name);
        return new Promise((resolve) => endByName.set(name, () => resolve(name)));
      });
    return { started: startedNames, run, end: (name: string) => endByName.get(name)?.() };
  }

  test('run up to the limit, in their order; tasks of another key do not wait', async () => {
    const { started, run, end } = createTasks();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => run('one', name));
    void run('other', 'x');
    expect(started).toEqual(['a', 'b', 'x']);
    end('b');
    expect(await b).toBe('b');
    end('c');
    expect(await c).toBe('c');
    expect(started).toEqual(['a', 'b', 'x', 'c', 'd']);
    end('a');
    end('d');
    expect(await Promise.all([a, d])).toEqual(['a', 'd']);
  });

  test('free their slot when they fail', async () => {
    const limit = createKeyedLimit(1, 60_000);
    const failingTask = limit('one', () => Promise.reject(new Error('not this one')));
    const nextTask = limit('one', async () => 'next');
    await expect(failingTask).rejects.toThrow('not this one');
    expect(await nextTask).toBe('next');
  });

  test('that wait too long fail, never run, and do not block those behind them', async () => {
    const { started, run, end } = createTasks(createKeyedLimit(1, 50));
    const firstTask = run('one', 'first');
    await expect(run('one', 'late')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Try again'),
    });
    end('first');
    await firstTask;
    const laterTask = run('one', 'behind');
    end('behind');
    await laterTask;
    expect(started).toEqual(['first', 'behind']);
  });
});
