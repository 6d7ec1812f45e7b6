import DataLoader from 'dataloader';
import { memoizePerRequest, type RequestKey } from '../core/runtime/limits.ts';

/** Creates a loader by name that batches the reads of a request and caches their results for the request. */
export function createLoader<T>(
  load: (names: readonly string[]) => Promise<readonly T[]>,
): (request: RequestKey, name: string) => Promise<T> {
  const loaderOf = memoizePerRequest(() => new DataLoader(load));
  return (request, name) => loaderOf(request).load(name);
}
