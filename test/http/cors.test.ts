import { useGateway, type TestGateway } from '../harness.ts';
import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';

const clientHeaders =
  'accept, content-type, authorization, apollo-require-preflight, x-apollo-operation-name, last-event-id, apollographql-client-name, apollographql-client-version, traceparent, tracestate, baggage, sentry-trace';

const studioOrigin = 'https://studio.apollographql.com';
const loopbackOrigins = [
  ...['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:3000', 'https://127.8.9.10'],
  'http://[::1]:8080',
];
const foreignOrigins = [
  ...['https://evil.example', 'http://app.example.com', 'https://app.example.com.evil.example', 'null', ''],
  ...['http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://localhost@evil.example'],
  ...['file://localhost', 'http://0.0.0.0'],
];

type App = TestGateway['app'];

/** Reads `Access-Control-Allow-Origin` for an origin, in the preflight and in the request itself. */
async function readAllowedOrigins(app: App, origin: string): Promise<unknown[]> {
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/graphql',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': clientHeaders,
    },
  });
  const postResponse = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { origin, 'content-type': 'application/json' },
    payload: '{"query":"{ __typename }"}',
  });
  expect([preflight.statusCode, postResponse.statusCode]).toEqual([204, 200]);
  return [
    preflight.headers['access-control-allow-origin'],
    postResponse.headers['access-control-allow-origin'],
  ];
}

describe('pages of other origins', () => {
  describe('in production', () => {
    const gateway = useGateway({ CORS_ORIGINS: 'https://app.example.com' });

    test('may call from the configured origins', async () =>
      expect(await readAllowedOrigins(gateway.app, 'https://app.example.com')).toEqual([
        'https://app.example.com',
        'https://app.example.com',
      ]));

    test.each([studioOrigin, ...loopbackOrigins, ...foreignOrigins])(
      'may not call from "%s"',
      async (origin) => expect(await readAllowedOrigins(gateway.app, origin)).toEqual([undefined, undefined]),
    );

    test('may send the headers of clients, and read x-request-id, retry-after and www-authenticate', async () => {
      const { headers } = await gateway.app.inject({
        method: 'OPTIONS',
        url: '/graphql',
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
      });
      expect(headers['access-control-allow-headers']).toBe(clientHeaders);
      expect(headers['access-control-expose-headers']).toBe('x-request-id, retry-after, www-authenticate');
      expect(headers.vary).toBe('Origin');
    });
  });

  describe('in the demo', () => {
    let app: App;
    beforeAll(
      async () =>
        void ({ app } = await compose(readConfig({}), { logLevel: 'silent', includesProcessMetrics: false })),
    );
    afterAll(() => app.close());

    test.each([studioOrigin, ...loopbackOrigins])('may call from %s', async (origin) =>
      expect(await readAllowedOrigins(app, origin)).toEqual([origin, origin]),
    );

    test.each(foreignOrigins)('may not call from "%s"', async (origin) =>
      expect(await readAllowedOrigins(app, origin)).toEqual([undefined, undefined]),
    );
  });
});
