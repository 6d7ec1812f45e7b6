/*
 * Starts a resource for the tests of a `describe` or file, and closes it after them.
 *
 *     const service = useForEach(() => startService(json(200, { id: 'e1' })));
 *     test('gets one request', async () => expect(service.received).toHaveLength(1));
 */

type Closeable = { close(): unknown } | { remove(): unknown } | { stop(): unknown };
type Start<T> = () => T | Promise<T>;

/** Starts one resource that all tests share. */
export const useForAll = <T extends Closeable>(start: Start<T>): T => startWith(start, beforeAll, afterAll);

/** Starts a new resource for each test. */
export const useForEach = <T extends Closeable>(start: Start<T>): T =>
  startWith(start, beforeEach, afterEach);

function startWith<T extends Closeable>(
  start: Start<T>,
  beforeHook: typeof beforeAll,
  afterHook: typeof afterAll,
): T {
  let currentResource: T;
  beforeHook(async () => void (currentResource = await start()));
  afterHook(() => close(currentResource));
  return new Proxy({} as T, {
    get: (_none, name) => Reflect.get(currentResource, name),
    set: (_none, name, value) => Reflect.set(currentResource, name, value),
  });
}

/** Returns a function that registers a resource to be closed after the running test, the latest first. */
export function useCloser() {
  const openResources: Closeable[] = [];
  afterEach(async () => {
    for (const resource of openResources.splice(0).reverse()) await close(resource);
  });
  return <T extends Closeable>(resource: T): T => {
    openResources.push(resource);
    return resource;
  };
}

async function close(resource: Closeable): Promise<void> {
  const name = (['close', 'remove', 'stop'] as const).find((method) => method in resource) as keyof Closeable;
  await (resource[name] as () => unknown).call(resource);
}
