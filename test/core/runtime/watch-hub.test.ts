import { EventEmitter, on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { anyKey, coalesce, createWatchHub } from '../../../src/core/runtime/watch.ts';
import { until } from '../../eventually.ts';

describe('a watch that followers share', () => {
  test('tells those of a key, all where anything may have changed, and nobody who has left', () => {
    let tell: ((key: string) => void) | undefined;
    const watch = createWatchHub((onChange) => {
      tell = onChange;
      return () => (tell = undefined);
    });
    const [one, other, gone] = [new AbortController(), new AbortController(), new AbortController()];
    gone.abort();
    const told: string[] = [];
    watch('a', one.signal, () => told.push('one'));
    watch('b', other.signal, () => told.push('other'));
    watch('a', gone.signal, () => told.push('gone'));
    tell?.('a');
    tell?.('c');
    tell?.(anyKey);
    expect(told).toEqual(['one', 'one', 'other']);
    one.abort();
    tell?.(anyKey);
    expect(told.slice(3)).toEqual(['other']);
    other.abort();
    expect(tell).toBeUndefined();
  });
});

describe('events that are combined', () => {
  /** A source that a test fills, and what came out of it. */
  async function follow(take: () => number) {
    const source = new EventEmitter();
    const ended = new AbortController();
    const events = (async function* () {
      for await (const [event] of on(source, 'event', { close: ['end'] })) yield event as string;
    })();
    const keyOf = (event: string): string | undefined => (event.startsWith('!') ? undefined : event[0]);
    const seen: string[] = [];
    const done = (async () => {
      for await (const event of coalesce(events, keyOf, take, ended.signal)) seen.push(event);
    })();
    done.catch(() => undefined);
    await setImmediate();
    return { source, ended, seen, done };
  }

  test('are the last of each key when they may pass; those without a key pass at once', async () => {
    let wait = 0.01;
    const { source, seen, done } = await follow(() => wait);
    for (const event of ['a1', 'b1', '!', 'a2']) source.emit('event', event);
    await until(() => seen.length === 1);
    wait = 0;
    await until(() => seen.length === 3);
    expect(seen).toEqual(['!', 'a2', 'b1']);
    source.emit('end');
    await done;
  });

  test.each([
    ['pass at the end of their source, as far as they may', false, ['a1']],
    ['are dropped when nobody is there any more', true, []],
  ])('%s', async (_what, isGone, passed) => {
    let wait = 1000;
    const { source, ended, seen, done } = await follow(() => {
      const before = wait;
      if (isEnding) wait = wait === 0 ? 1000 : wait;
      return before;
    });
    let isEnding = false;
    for (const event of ['a1', 'b1']) source.emit('event', event);
    await setImmediate();
    await setImmediate();
    [wait, isEnding] = [0, true];
    if (isGone) ended.abort();
    source.emit('end');
    await done;
    expect(seen).toEqual(passed);
  });

  test('end at once by an error of their source', async () => {
    const { source, done } = await follow(() => 1000);
    source.emit('event', 'a1');
    source.emit('error', new Error('lost'));
    await expect(done).rejects.toThrow('lost');
  });
});
