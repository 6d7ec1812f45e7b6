/*
 * Called in a `describe`, or in a file: what is started for its tests, and closed behind them.
 *
 *     const service = useForEach(() => startService(json(200, { id: 'e1' })));
 *     test('is asked once', async () => expect(service.got).toHaveLength(1));
 */

type Closable = { close(): unknown } | { stop(): unknown };

/** A server that all tests share. */
export const useForAll = <T extends Closable>(start: () => Promise<T>): T =>
  startedBy(start, beforeAll, afterAll);

/** A server of its own for each test. */
export const useForEach = <T extends Closable>(start: () => Promise<T>): T =>
  startedBy(start, beforeEach, afterEach);

function startedBy<T extends Closable>(
  start: () => Promise<T>,
  before: typeof beforeAll,
  after: typeof afterAll,
): T {
  let current: T;
  before(async () => void (current = await start()));
  after(async () => ('close' in current ? current.close() : current.stop()) as Promise<void>);
  return new Proxy({} as T, {
    get: (_none, name) => Reflect.get(current, name),
    set: (_none, name, value) => Reflect.set(current, name, value),
  });
}
