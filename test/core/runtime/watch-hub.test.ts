import { EventEmitter, on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { anyKey, coalesced, createWatchHub } from '../../../src/core/runtime/watch.ts';
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

describe('coalesced', () => {
  /** A source that a test fills, and what came out of it. */
  async function follow(take: () => number) {
    const source = new EventEmitter();
    const ended = new AbortController();
    const events = (async function* () {
      for await (const [event] of on(source, 'event', { close: ['end'] })) yield event as string;
    })();
    const seen: string[] = [];
    const done = (async () => {
      for await (const event of coalesced(events, (event) => event[0], take, ended.signal)) seen.push(event);
    })();
    done.catch(() => undefined);
    await setImmediate();
    return { source, ended, seen, done };
  }

  test('gives the last event of each key when more may be taken, and the rest at the end', async () => {
    let wait = 0.01;
    const { source, seen, done } = await follow(() => wait);
    for (const event of ['a1', 'b1', 'a2']) source.emit('event', event);
    await setImmediate();
    expect(seen).toEqual([]);
    wait = 0;
    await until(() => seen.length === 2);
    expect(seen).toEqual(['a2', 'b1']);
    wait = 1000;
    source.emit('event', 'c1');
    source.emit('end');
    await done;
    expect(seen).toEqual(['a2', 'b1', 'c1']);
  });

  test('tells an error of its source at once, and ends when nobody is there any more', async () => {
    const faulty = await follow(() => 1000);
    faulty.source.emit('event', 'a1');
    faulty.source.emit('error', new Error('lost'));
    await expect(faulty.done).rejects.toThrow('lost');
    const left = await follow(() => 0);
    left.ended.abort();
    left.source.emit('event', 'a1');
    await left.done;
  });
});
