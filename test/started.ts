/*
 * Called in a `describe`, or in a file: what is started for its tests, and closed behind them.
 *
 *     const service = useForEach(() => startService(json(200, { id: 'e1' })));
 *     test('is asked once', async () => expect(service.got).toHaveLength(1));
 */

type Closable = { close(): unknown } | { remove(): unknown } | { stop(): unknown };
type Start<T> = () => T | Promise<T>;

/** A server that all tests share. */
export const useForAll = <T extends Closable>(start: Start<T>): T => startedBy(start, beforeAll, afterAll);

/** A server of its own for each test. */
export const useForEach = <T extends Closable>(start: Start<T>): T => startedBy(start, beforeEach, afterEach);

function startedBy<T extends Closable>(start: Start<T>, before: typeof beforeAll, after: typeof afterAll): T {
  let current: T;
  before(async () => void (current = await start()));
  after(() => end(current));
  return new Proxy({} as T, {
    get: (_none, name) => Reflect.get(current, name),
    set: (_none, name, value) => Reflect.set(current, name, value),
  });
}

/** Called in a `describe`, or in a file: closes what a test gives it behind that test, the latest first. */
export function useCloser() {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await end(one);
  });
  return <T extends Closable>(one: T): T => {
    open.push(one);
    return one;
  };
}

async function end(one: Closable): Promise<void> {
  const name = (['close', 'remove', 'stop'] as const).find((way) => way in one) as keyof Closable;
  await (one[name] as () => unknown).call(one);
}
