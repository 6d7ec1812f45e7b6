import DataLoader from 'dataloader';
import { perRequest, type RequestKey } from '../core/runtime/limits.ts';

/** Reads by name for a request: concurrent reads become one call of `load`, and each result is cached for the request. */
export function createLoader<T>(
  load: (names: readonly string[]) => Promise<readonly T[]>,
): (request: RequestKey, name: string) => Promise<T> {
  const loaderOf = perRequest(() => new DataLoader(load));
  return (request, name) => loaderOf(request).load(name);
}
