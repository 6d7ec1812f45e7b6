import { useGateway, type TestGateway } from '../harness.ts';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

const asks =
  'accept, content-type, authorization, apollo-require-preflight, x-apollo-operation-name, last-event-id, apollographql-client-name, apollographql-client-version, traceparent, tracestate, baggage, sentry-trace';

const studio = 'https://studio.apollographql.com';
const loopback = [
  ...['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:3000', 'https://127.8.9.10'],
  'http://[::1]:8080',
];
const strangers = [
  ...['https://evil.example', 'http://app.example.com', 'https://app.example.com.evil.example', 'null', ''],
  ...['http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://localhost@evil.example'],
  ...['file://localhost', 'http://0.0.0.0'],
];

type App = TestGateway['app'];

/** Whether a page of an origin may call: by its preflight, and by the call itself. */
async function allow(app: App, origin: string): Promise<unknown[]> {
  const before = await app.inject({
    method: 'OPTIONS',
    url: '/graphql',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asks },
  });
  const call = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { origin, 'content-type': 'application/json' },
    payload: '{"query":"{ __typename }"}',
  });
  expect([before.statusCode, call.statusCode]).toEqual([204, 200]);
  return [before.headers['access-control-allow-origin'], call.headers['access-control-allow-origin']];
}

describe('pages of other origins', () => {
  describe('in production', () => {
    const gateway = useGateway({ CORS_ORIGINS: 'https://app.example.com' });

    test('may call from the configured origins', async () =>
      expect(await allow(gateway.app, 'https://app.example.com')).toEqual([
        'https://app.example.com',
        'https://app.example.com',
      ]));

    test.each([studio, ...loopback, ...strangers])('may not call from "%s"', async (origin) =>
      expect(await allow(gateway.app, origin)).toEqual([undefined, undefined]),
    );

    test('may send the headers they need, and read those that tell', async () => {
      const { headers } = await gateway.app.inject({
        method: 'OPTIONS',
        url: '/graphql',
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
      });
      expect(headers['access-control-allow-headers']).toBe(asks);
      expect(headers['access-control-expose-headers']).toBe('x-request-id, retry-after, www-authenticate');
      expect(headers.vary).toBe('Origin');
    });
  });

  describe('in the demo', () => {
    let app: App;
    beforeAll(
      async () =>
        void ({ app } = await compose(readConfig({}), { logLevel: 'silent', processMetrics: false })),
    );
    afterAll(() => app.close());

    test.each([studio, ...loopback])('may call from %s', async (origin) =>
      expect(await allow(app, origin)).toEqual([origin, origin]),
    );

    test.each(strangers)('may not call from "%s"', async (origin) =>
      expect(await allow(app, origin)).toEqual([undefined, undefined]),
    );
  });
});
