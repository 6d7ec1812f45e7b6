import { install, type Clock } from '@sinonjs/fake-timers';
import { createAlarm } from '../../../src/core/runtime/clock.ts';
import { longestRestMs } from '../../../src/core/runtime/watch.ts';

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

  /** An alarm of which all entries were looked at once. */
  async function begun() {
    const alarm = createAlarm(entries, controller.signal);
    expect(await alarm.next()).toEqual(names);
    return alarm;
  }

  test('gives what rang, each once, in the order of the map, before or while somebody waits', async () => {
    const alarm = await begun();
    for (const name of ['c', 'a', 'c']) alarm.ring(name);
    expect(await alarm.next()).toEqual(['a', 'c']);
    const next = alarm.next();
    alarm.ring('nobody');
    alarm.ring('b');
    expect(await next).toEqual(['b']);
  });

  test('gives all from time to time, though some ring all the time', async () => {
    const alarm = await begun();
    const seen: string[][] = [];
    for (let waited = 0; waited < longestRestMs; waited += 1000) {
      alarm.ring('a');
      seen.push(await alarm.next());
      await clock.tickAsync(1000);
    }
    expect(new Set(seen.map((due) => due.join('')))).toEqual(new Set(['a']));
    expect(await alarm.next()).toEqual(names);
    const next = alarm.next();
    await clock.tickAsync(longestRestMs);
    expect(await next).toEqual(names);
  });

  test('gives what is to ring later then, and not before', async () => {
    const alarm = await begun();
    alarm.ringIn('b', 1000);
    const seen: string[][] = [];
    const next = alarm.next().then((due) => seen.push(due));
    await clock.tickAsync(999);
    expect(seen).toEqual([]);
    await clock.tickAsync(1);
    await next;
    expect(seen).toEqual([['b']]);
    const after = alarm.next();
    await clock.tickAsync(longestRestMs - 1000);
    expect(await after).toEqual(names);
  });

  test('gives nothing of what is gone from the map, and nothing when it has ended', async () => {
    const left = new Map(entries);
    const alarm = createAlarm(left, controller.signal);
    await alarm.next();
    left.delete('b');
    for (const name of names) alarm.ring(name);
    expect(await alarm.next()).toEqual(['a', 'c']);
    const next = alarm.next();
    controller.abort();
    expect([await next, await alarm.next()]).toEqual([[], []]);
  });
});
