import { createEventLoop } from '../../../src/core/runtime/event-loop.ts';

/** Tasks that advance the clock instead of taking time, and the iteration of the event loop in which each ran. */
function taskLog() {
  let time = 0;
  let iteration = 0;
  let ended = false;
  const eventLoop = createEventLoop(() => time);
  const ran: [string, number][] = [];
  const count = (): unknown => !ended && setImmediate(() => ((iteration += 1), count()));
  count();
  const run = (name: string, ms: number): void => {
    ran.push([name, iteration]);
    time += ms;
  };
  const begin = async (name: string, ms: number): Promise<void> => {
    const wait = eventLoop.enter();
    if (wait) await wait;
    run(name, ms);
  };
  const iterations = (): number => new Set(ran.map(([, at]) => at)).size;
  return { eventLoop, begin, run, ran, iterations, end: () => (ended = true) };
}

describe('the event loop', () => {
  test('begins a task at once while the slice lasts', () => {
    const { eventLoop, run, end } = taskLog();
    expect(eventLoop.enter()).toBeUndefined();
    run('a', 10);
    expect(eventLoop.enter()).toBeUndefined();
    run('b', 1);
    expect(eventLoop.enter()).toBeInstanceOf(Promise);
    end();
  });

  test('gives a hundred long tasks that come together an iteration each, in their order', async () => {
    const { begin, ran, iterations, end } = taskLog();
    const names = Array.from({ length: 100 }, (_, n) => `task ${n}`);
    await Promise.all(names.map((name) => begin(name, 20)));
    end();
    expect(ran.map(([name]) => name)).toEqual(names);
    expect(iterations()).toBe(100);
  });

  test('resumes a task that yields after those that wait already', async () => {
    const { eventLoop, begin, run, ran, iterations, end } = taskLog();
    const long = async (name: string): Promise<void> => {
      await begin(name, 20);
      await eventLoop.yield();
      run(name, 20);
    };
    await Promise.all([long('a'), long('b'), long('c')]);
    end();
    expect(ran.map(([name]) => name).join('')).toBe('abcabc');
    expect(iterations()).toBe(6);
  });
});
