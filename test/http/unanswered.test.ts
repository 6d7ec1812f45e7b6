import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { until } from '../eventually.ts';
import { tokenFor } from '../harness.ts';
import { useForEach } from '../started.ts';
import { answerOf, open, startListening } from './raw.ts';

/** A store whose reads and writes wait until they are let go, and which counts them. */
function holding(store: EventStore) {
  const waiting: (() => void)[] = [];
  let calls = 0;
  const held = new Proxy(store, {
    get(target, name: keyof EventStore) {
      const method = target[name] as (...args: unknown[]) => unknown;
      if (name !== 'listCalendar' && name !== 'changeEvent') return method.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        calls += 1;
        await new Promise<void>((resolve) => waiting.push(resolve));
        return method.apply(target, args);
      };
    },
  });
  return { held, calls: () => calls, letGo: () => waiting.shift()?.() };
}

describe.each(['by hand', 'by the framework'])('a request that is answered %s', (way) => {
  let store: ReturnType<typeof holding>;
  const lines: Record<string, unknown>[] = [];
  const gateway = useForEach(() => {
    lines.length = 0;
    const stores = createMemoryStores(Date.now);
    store = holding(stores.events);
    const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    return startListening({}, { logTo, stores: { ...stores, events: store.held } });
  });

  /** Sends a request, until its first call of the store waits; both ends of the connection. */
  async function send(query: string): Promise<{ client: Socket; server: Socket }> {
    const accepted = once(gateway.app.server, 'connection') as Promise<[Socket]>;
    const client = await open(gateway.port);
    const [server] = await accepted;
    const body = JSON.stringify({ query });
    // What comes from a foreign page is the framework's.
    const origin = way === 'by hand' ? '' : 'origin: https://elsewhere.example\r\n';
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: application/graphql-response+json\r\n${origin}authorization: Bearer ${await tokenFor('alice@example.com')}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => store.calls() === 1);
    return { client, server };
  }
  const lists =
    '{ a: events(calendarId: "primary", first: 1) { nodes { id } } b: events(calendarId: "primary", first: 1) { nodes { id } } }';
  const patches =
    'mutation { a: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } b: patchEvent(calendarId: "primary", eventId: "holiday", event: {}) { id } }';
  const told = (): unknown[] =>
    lines.filter(({ msg }) => msg === 'request').map(({ status, codes }) => [status, codes]);

  test.each([{ query: lists }, { query: patches }])(
    'causes no more work when its caller has gone, and is not logged as answered: $query',
    async ({ query }) => {
      const { client, server } = await send(query);
      client.destroy();
      await once(server, 'close');
      store.letGo();
      await until(() => told().length > 0);
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      expect(store.calls()).toBe(1);
      expect(told()).toEqual([[499, []]]);
      expect(lines.filter(({ level }) => level !== 30)).toEqual([]);
    },
  );

  test('is answered with an error when its time is over, and causes no more work', async () => {
    const { client, server } = await send(patches);
    const answered = once(client, 'data') as Promise<[Buffer]>;
    server.emit('timeout');
    const { status, headers, body } = answerOf((await answered)[0].toString());
    const { errors } = JSON.parse(body) as { errors: { extensions: object }[] };
    expect([status, headers['retry-after']]).toEqual([503, '15']);
    expect(headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
    const extensions = { code: 'UNAVAILABLE', requestId: headers['x-request-id'] };
    expect(errors).toMatchObject([{ extensions }]);
    store.letGo();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect([store.calls(), told()]).toEqual([1, [[503, ['UNAVAILABLE']]]]);
    client.destroy();
  });
});
