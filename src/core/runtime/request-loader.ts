import DataLoader from 'dataloader';
import { memoizeByObject } from '../memoize.ts';

/** Identifies one request, as a key of weak maps: the object lives as long as the request. */
export type RequestKey = object;

interface LoaderOptions<Key, Value> {
  /** Text that is the same for equal keys, where keys are objects. */
  readonly cacheKeyFn?: (key: Key) => string;
  /** Whether a result is kept for the request. */
  readonly isCached?: (value: Value) => boolean;
}

/** Creates a function that batches the concurrent reads of a request, and caches their results for it. */
export function createLoader<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  { isCached = () => true, ...options }: LoaderOptions<Key, Value> = {},
): (request: RequestKey, key: Key) => Promise<Value> {
  const loaderOf = memoizeByObject(() => new DataLoader<Key, Value, unknown>(readAll, options));
  return async (request, key) => {
    const loader = loaderOf(request);
    const value = await loader.load(key);
    if (!isCached(value)) loader.clear(key);
    return value;
  };
}
