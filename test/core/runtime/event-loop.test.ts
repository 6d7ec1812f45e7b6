import { createEventLoop } from '../../../src/core/runtime/event-loop.ts';

/** Runs tasks that advance a fake clock, and records the event loop iteration of each. */
function createTaskLog() {
  let time = 0;
  let iteration = 0;
  let isEnded = false;
  const eventLoop = createEventLoop(() => time);
  const taskRuns: [string, number][] = [];
  const trackIteration = (): unknown => !isEnded && setImmediate(() => ((iteration += 1), trackIteration()));
  trackIteration();
  const runTask = (name: string, ms: number): void => {
    taskRuns.push([name, iteration]);
    time += ms;
  };
  const startTask = async (name: string, ms: number): Promise<void> => {
    const wait = eventLoop.enter();
    if (wait) await wait;
    runTask(name, ms);
  };
  const countIterations = (): number => new Set(taskRuns.map(([, iterationOfTask]) => iterationOfTask)).size;
  return { eventLoop, startTask, runTask, taskRuns, countIterations, stopTracking: () => (isEnded = true) };
}

describe('the event loop', () => {
  test('starts a task at once during its time slice', () => {
    const { eventLoop, runTask, stopTracking } = createTaskLog();
    expect(eventLoop.enter()).toBeUndefined();
    runTask('a', 10);
    expect(eventLoop.enter()).toBeUndefined();
    runTask('b', 1);
    expect(eventLoop.enter()).toBeInstanceOf(Promise);
    stopTracking();
  });

  test('runs a hundred concurrent long tasks in an iteration each, in their order', async () => {
    const { startTask, taskRuns, countIterations, stopTracking } = createTaskLog();
    const names = Array.from({ length: 100 }, (_, n) => `task ${n}`);
    await Promise.all(names.map((name) => startTask(name, 20)));
    stopTracking();
    expect(taskRuns.map(([name]) => name)).toEqual(names);
    expect(countIterations()).toBe(100);
  });

  test('resumes a yielding task after those that already wait', async () => {
    const { eventLoop, startTask, runTask, taskRuns, countIterations, stopTracking } = createTaskLog();
    const runLongTask = async (name: string): Promise<void> => {
      await startTask(name, 20);
      await eventLoop.yield();
      runTask(name, 20);
    };
    await Promise.all([runLongTask('a'), runLongTask('b'), runLongTask('c')]);
    stopTracking();
    expect(taskRuns.map(([name]) => name).join('')).toBe('abcabc');
    expect(countIterations()).toBe(6);
  });
});
