import { install, type Clock } from '@sinonjs/fake-timers';
import { createAlarm } from '../../../src/core/runtime/clock.ts';
import { maxIdleMs } from '../../../src/core/runtime/streams.ts';

const names = ['a', 'b', 'c'];
const entries = new Map(names.map((name) => [name, name]));

describe('an alarm', () => {
  let controller: AbortController;
  let clock: Clock;
  beforeEach(() => {
    clock = install();
    controller = new AbortController();
  });
  afterEach(() => {
    controller.abort();
    expect(clock.countTimers()).toBe(0);
    clock.uninstall();
  });

  /** Creates an alarm that has already reported all entries once. */
  async function startAlarm() {
    const alarm = createAlarm(entries, controller.signal);
    expect(await alarm.next()).toEqual(names);
    return alarm;
  }

  test('returns ringing entries once, in the order of the map, before or during a wait', async () => {
    const alarm = await startAlarm();
    for (const name of ['c', 'a', 'c']) alarm.ring(name);
    expect(await alarm.next()).toEqual(['a', 'c']);
    const next = alarm.next();
    alarm.ring('nobody');
    alarm.ring('b');
    expect(await next).toEqual(['b']);
  });

  test('returns all entries periodically, even if some ring all the time', async () => {
    const alarm = await startAlarm();
    const returnedNames: string[][] = [];
    for (let waitedMs = 0; waitedMs < maxIdleMs; waitedMs += 1000) {
      alarm.ring('a');
      returnedNames.push(await alarm.next());
      await clock.tickAsync(1000);
    }
    expect(new Set(returnedNames.map((due) => due.join('')))).toEqual(new Set(['a']));
    expect(await alarm.next()).toEqual(names);
    const next = alarm.next();
    await clock.tickAsync(maxIdleMs);
    expect(await next).toEqual(names);
  });

  test('returns an entry after its delay, not before', async () => {
    const alarm = await startAlarm();
    alarm.ringIn('b', 1000);
    const dueNames: string[][] = [];
    const next = alarm.next().then((due) => dueNames.push(due));
    await clock.tickAsync(999);
    expect(dueNames).toEqual([]);
    await clock.tickAsync(1);
    await next;
    expect(dueNames).toEqual([['b']]);
    const nextAfterIdle = alarm.next();
    await clock.tickAsync(maxIdleMs - 1000);
    expect(await nextAfterIdle).toEqual(names);
  });

  test('omits removed entries, and returns nothing after its end', async () => {
    const shrinkingEntries = new Map(entries);
    const alarm = createAlarm(shrinkingEntries, controller.signal);
    await alarm.next();
    shrinkingEntries.delete('b');
    for (const name of names) alarm.ring(name);
    expect(await alarm.next()).toEqual(['a', 'c']);
    const next = alarm.next();
    controller.abort();
    expect([await next, await alarm.next()]).toEqual([[], []]);
  });
});
