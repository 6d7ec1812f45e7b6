import { EventEmitter, on } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { anyKey, coalesce, createWatchHub } from '../../../src/core/runtime/streams.ts';
import { waitUntil } from '../../eventually.ts';

describe('createWatchHub', () => {
  test('notifies watchers of a key, all watchers of anyKey, and none whose signal is aborted', () => {
    let notify: ((key: string) => void) | undefined;
    const watch = createWatchHub((onChange) => {
      notify = onChange;
      return () => (notify = undefined);
    });
    const [first, second, abortedController] = [
      new AbortController(),
      new AbortController(),
      new AbortController(),
    ];
    abortedController.abort();
    const notifiedWatchers: string[] = [];
    watch('a', first.signal, () => notifiedWatchers.push('first'));
    watch('b', second.signal, () => notifiedWatchers.push('second'));
    watch('a', abortedController.signal, () => notifiedWatchers.push('aborted'));
    notify?.('a');
    notify?.('c');
    notify?.(anyKey);
    expect(notifiedWatchers).toEqual(['first', 'first', 'second']);
    first.abort();
    notify?.(anyKey);
    expect(notifiedWatchers.slice(3)).toEqual(['second']);
    second.abort();
    expect(notify).toBeUndefined();
  });
});

describe('coalesce', () => {
  /** Coalesces events of a test source. `readWaitSeconds` returns the seconds before the next result. */
  async function startCoalescing(readWaitSeconds: () => number) {
    const source = new EventEmitter();
    const ended = new AbortController();
    const events = (async function* () {
      for await (const [event] of on(source, 'event', { close: ['end'] })) yield event as string;
    })();
    const keyOf = (event: string): string | undefined => (event.startsWith('!') ? undefined : event[0]);
    const received: string[] = [];
    const done = (async () => {
      for await (const event of coalesce(events, keyOf, readWaitSeconds, ended.signal)) received.push(event);
    })();
    done.catch(() => undefined);
    await setImmediate();
    return { source, ended, received, done };
  }

  test('yields the last event of each key after the wait, and events without a key at once', async () => {
    let waitSeconds = 0.01;
    const { source, received, done } = await startCoalescing(() => waitSeconds);
    for (const event of ['a1', 'b1', '!', 'a2']) source.emit('event', event);
    await waitUntil(() => received.length === 1);
    waitSeconds = 0;
    await waitUntil(() => received.length === 3);
    expect(received).toEqual(['!', 'a2', 'b1']);
    source.emit('end');
    await done;
  });

  test.each([
    ['yields only events whose wait is over at the end of its source', false, ['a1']],
    ['drops events after its signal is aborted', true, []],
  ])('%s', async (_case, isAborted, expected) => {
    let nextWaitSeconds = 1000;
    const { source, ended, received, done } = await startCoalescing(() => {
      const currentWait = nextWaitSeconds;
      if (isEnding) nextWaitSeconds = nextWaitSeconds === 0 ? 1000 : nextWaitSeconds;
      return currentWait;
    });
    let isEnding = false;
    for (const event of ['a1', 'b1']) source.emit('event', event);
    await setImmediate();
    await setImmediate();
    [nextWaitSeconds, isEnding] = [0, true];
    if (isAborted) ended.abort();
    source.emit('end');
    await done;
    expect(received).toEqual(expected);
  });

  test('fails at once with an error of its source', async () => {
    const { source, done } = await startCoalescing(() => 1000);
    source.emit('event', 'a1');
    source.emit('error', new Error('lost'));
    await expect(done).rejects.toThrow('lost');
  });
});
