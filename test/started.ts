/*
 * Starts a resource for the tests of a `describe` or file, and closes it after them.
 *
 *     const service = useForEach(() => startService(json(200, { id: 'e1' })));
 *     test('is asked once', async () => expect(service.got).toHaveLength(1));
 */

type Closable = { close(): unknown } | { remove(): unknown } | { stop(): unknown };
type Start<T> = () => T | Promise<T>;

/** Starts one server that all tests share. */
export const useForAll = <T extends Closable>(start: Start<T>): T => startWith(start, beforeAll, afterAll);

/** Starts a new server for each test. */
export const useForEach = <T extends Closable>(start: Start<T>): T => startWith(start, beforeEach, afterEach);

function startWith<T extends Closable>(start: Start<T>, before: typeof beforeAll, after: typeof afterAll): T {
  let current: T;
  before(async () => void (current = await start()));
  after(() => close(current));
  return new Proxy({} as T, {
    get: (_none, name) => Reflect.get(current, name),
    set: (_none, name, value) => Reflect.set(current, name, value),
  });
}

/** Returns a function that registers a resource to be closed after the running test, the latest first. */
export function useCloser() {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const resource of open.splice(0).reverse()) await close(resource);
  });
  return <T extends Closable>(resource: T): T => {
    open.push(resource);
    return resource;
  };
}

async function close(resource: Closable): Promise<void> {
  const name = (['close', 'remove', 'stop'] as const).find((method) => method in resource) as keyof Closable;
  await (resource[name] as () => unknown).call(resource);
}
