import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { waitUntil } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { useForEach } from '../use-resource.ts';
import { parseAnswer, openSocket, startListening } from './raw-http.ts';

/** Wraps a store: list reads and event changes are counted, and wait until a test releases them. */
function blockStore(store: EventStore) {
  const releases: (() => void)[] = [];
  let callCount = 0;
  const blockedStore = new Proxy(store, {
    get(target, name: keyof EventStore) {
      const method = target[name] as (...args: unknown[]) => unknown;
      if (name !== 'listCalendar' && name !== 'changeEvent') return method.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        callCount += 1;
        await new Promise<void>((resolve) => releases.push(resolve));
        return method.apply(target, args);
      };
    },
  });
  return { blockedStore, countCalls: () => callCount, releaseNext: () => releases.shift()?.() };
}

describe.each(['by hand', 'by the framework'])('a request that is answered %s', (handler) => {
  let store: ReturnType<typeof blockStore>;
  const logLines: Record<string, unknown>[] = [];
  const gateway = useForEach(() => {
    logLines.length = 0;
    const stores = createMemoryStores(Date.now);
    store = blockStore(stores.events);
    const lineCollector = {
      write: (line: string) => void logLines.push(JSON.parse(line) as Record<string, unknown>),
    };
    return startListening(
      {},
      { logTarget: lineCollector, stores: { ...stores, events: store.blockedStore } },
    );
  });

  /** Sends a request and waits for its first store call; returns both ends of the connection. */
  async function sendAndWait(query: string): Promise<{ client: Socket; server: Socket }> {
    const connectionEvent = once(gateway.app.server, 'connection') as Promise<[Socket]>;
    const client = await openSocket(gateway.port);
    const [server] = await connectionEvent;
    const body = JSON.stringify({ query });
    // Requests with an Origin header are handled by the framework (Fastify).
    const origin = handler === 'by hand' ? '' : 'origin: https://elsewhere.example\r\n';
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: application/graphql-response+json\r\n${origin}authorization: Bearer ${await tokenFor('alice@example.com')}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await waitUntil(() => store.countCalls() === 1);
    return { client, server };
  }
  const listQuery =
    '{ a: events(calendarId: "primary", first: 1) { nodes { id } } b: events(calendarId: "primary", first: 1) { nodes { id } } }';
  const patchMutation =
    'mutation { a: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } b: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } }';
  const listLoggedRequests = (): unknown[] =>
    logLines.filter(({ msg }) => msg === 'request').map(({ status, codes }) => [status, codes]);

  test.each([{ query: listQuery }, { query: patchMutation }])(
    'stops when its caller disconnects, and is logged with 499: $query',
    async ({ query }) => {
      const { client, server } = await sendAndWait(query);
      client.destroy();
      await once(server, 'close');
      store.releaseNext();
      await waitUntil(() => listLoggedRequests().length > 0);
      // Leaves time for a second store call.
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      expect(store.countCalls()).toBe(1);
      expect(listLoggedRequests()).toEqual([[499, []]]);
      // Level 30 of pino is info.
      expect(logLines.filter(({ level }) => level !== 30)).toEqual([]);
    },
  );

  test('gets an error after its timeout, and stops', async () => {
    const { client, server } = await sendAndWait(patchMutation);
    const firstBytes = once(client, 'data') as Promise<[Buffer]>;
    server.emit('timeout');
    const { status, headers, body } = parseAnswer((await firstBytes)[0].toString());
    const { errors } = JSON.parse(body) as { errors: { extensions: object }[] };
    expect([status, headers['retry-after']]).toEqual([503, '15']);
    expect(headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
    const extensions = { code: 'UNAVAILABLE', requestId: headers['x-request-id'] };
    expect(errors).toMatchObject([{ extensions }]);
    store.releaseNext();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect([store.countCalls(), listLoggedRequests()]).toEqual([1, [[503, ['UNAVAILABLE']]]]);
    client.destroy();
  });
});
