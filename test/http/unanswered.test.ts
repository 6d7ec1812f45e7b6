import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { until } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { useForEach } from '../started.ts';
import { parseAnswer, openSocket, startListening } from './raw.ts';

/** Wraps a store: list reads and event changes are counted, and wait until they are released. */
function blockStore(store: EventStore) {
  const releases: (() => void)[] = [];
  let calls = 0;
  const blockedStore = new Proxy(store, {
    get(target, name: keyof EventStore) {
      const method = target[name] as (...args: unknown[]) => unknown;
      if (name !== 'listCalendar' && name !== 'changeEvent') return method.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        calls += 1;
        await new Promise<void>((resolve) => releases.push(resolve));
        return method.apply(target, args);
      };
    },
  });
  return { blockedStore, countCalls: () => calls, releaseNext: () => releases.shift()?.() };
}

describe.each(['by hand', 'by the framework'])('a request that is answered %s', (handler) => {
  let store: ReturnType<typeof blockStore>;
  const lines: Record<string, unknown>[] = [];
  const gateway = useForEach(() => {
    lines.length = 0;
    const stores = createMemoryStores(Date.now);
    store = blockStore(stores.events);
    const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    return startListening({}, { logTarget: logTo, stores: { ...stores, events: store.blockedStore } });
  });

  /** Sends a request and waits for its first store call; returns both ends of the connection. */
  async function send(query: string): Promise<{ client: Socket; server: Socket }> {
    const accepted = once(gateway.app.server, 'connection') as Promise<[Socket]>;
    const client = await openSocket(gateway.port);
    const [server] = await accepted;
    const body = JSON.stringify({ query });
    // Requests with an Origin header are handled by the framework (Fastify).
    const origin = handler === 'by hand' ? '' : 'origin: https://elsewhere.example\r\n';
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: application/graphql-response+json\r\n${origin}authorization: Bearer ${await tokenFor('alice@example.com')}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => store.countCalls() === 1);
    return { client, server };
  }
  const listQuery =
    '{ a: events(calendarId: "primary", first: 1) { nodes { id } } b: events(calendarId: "primary", first: 1) { nodes { id } } }';
  const patchMutation =
    'mutation { a: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } b: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } }';
  const loggedRequests = (): unknown[] =>
    lines.filter(({ msg }) => msg === 'request').map(({ status, codes }) => [status, codes]);

  test.each([{ query: listQuery }, { query: patchMutation }])(
    'stops when its caller disconnects, and is logged with 499: $query',
    async ({ query }) => {
      const { client, server } = await send(query);
      client.destroy();
      await once(server, 'close');
      store.releaseNext();
      await until(() => loggedRequests().length > 0);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      expect(store.countCalls()).toBe(1);
      expect(loggedRequests()).toEqual([[499, []]]);
      expect(lines.filter(({ level }) => level !== 30)).toEqual([]);
    },
  );

  test('gets an error after its timeout, and stops', async () => {
    const { client, server } = await send(patchMutation);
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
    expect([store.countCalls(), loggedRequests()]).toEqual([1, [[503, ['UNAVAILABLE']]]]);
    client.destroy();
  });
});
