import { anyKey, createWatchHub } from '../../../src/core/runtime/watch.ts';

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
