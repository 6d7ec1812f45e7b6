import { compose } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';

const gateways = new Map<string, ReturnType<typeof compose>>();
afterAll(async () => {
  for (const gateway of gateways.values()) await (await gateway).app.close();
});

/** Requests a page of a gateway with these settings; tests with equal settings share the gateway. */
const getPage = async (
  env: Record<string, string>,
  url = '/graphql',
  host = 'localhost:4000',
  accept = 'text/html',
) => {
  const key = JSON.stringify(env);
  const gateway =
    gateways.get(key) ?? compose(readConfig(env), { logLevel: 'silent', includesProcessMetrics: false });
  gateways.set(key, gateway);
  const { app, demoToken } = await gateway;
  const { statusCode: status, headers, body } = await app.inject({ url, headers: { accept, host } });
  return { status, headers, body, token: demoToken ?? 'none' };
};

const readToken = (body: string): string =>
  /<meta name="gateway-token" content="([^"]+)"/.exec(body)?.[1] ?? '';

describe('the landing page', () => {
  test('of the demo has a working operation and the token for it', async () => {
    const { status, headers, body, token } = await getPage({});
    expect([status, headers['content-type']]).toEqual([200, 'text/html']);
    expect(body).toContain('mutation PatchEvent($event: EventInput!)');
    expect(body).toContain(`Bearer ${token}`);
  });

  test('is absent with EXPLORER=off', async () => {
    const { status, headers, body, token } = await getPage({ EXPLORER: 'off' });
    expect([status, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
    expect(body).not.toContain(token);
    expect((await getPage({ EXPLORER: 'off' }, '/')).status).toBe(404);
  });

  test('has no token outside the demo', async () => {
    const env = { AUTH_JWT_SECRET: 'x'.repeat(32), EXPLORER: 'on' };
    const { status, body } = await getPage(env, '/graphql', 'gateway.example.com');
    expect(status).toBe(200);
    expect(body).toContain('PatchEvent');
    expect(body).not.toContain('Bearer ');
    const explorerPage = await getPage(env, '/explorer', 'gateway.example.com');
    expect(explorerPage.body).toContain('Bearer YOUR_TOKEN');
    // The explorer must not load the schema by itself: the placeholder token would be refused.
    expect(explorerPage.body).not.toContain('reload_docs');
    expect((await getPage(env, '/demo')).status).toBe(404);
  });

  test('of the demo at /demo has a token, and a content security policy for its own files only', async () => {
    const { status, headers, body } = await getPage({}, '/demo');
    const token = readToken(body);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(token).not.toBe('');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';/,
    );
    expect(body).not.toMatch(/<(script|style)>| style=| on\w+=/);
    const assetFile = await getPage({}, /src="(\/demo\/assets\/[^"]+)"/.exec(body)?.[1]);
    expect([assetFile.status, assetFile.headers['cache-control']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(assetFile.body).not.toContain(token);
    expect((await getPage({}, '/explorer/main.js')).headers['cache-control']).toBe('public, max-age=3600');
    expect((await getPage({}, '/demo/index.html')).status).toBe(404);
  });

  test('of the demo at /demo gets a token of its own at each load, which lasts a day from then on', async () => {
    let now = Date.parse('2026-05-04T10:00:00Z');
    const { app } = await compose(readConfig({}), {
      logLevel: 'silent',
      includesProcessMetrics: false,
      clock: () => now,
    });
    const loadToken = async () =>
      readToken((await app.inject({ url: '/demo', headers: { host: 'localhost' } })).body);
    const askForStatus = async (token: string) =>
      (
        await app.inject({
          method: 'POST',
          url: '/graphql',
          headers: { host: 'localhost', authorization: `Bearer ${token}` },
          payload: { query: '{ calendars { id } }' },
        })
      ).statusCode;
    const firstToken = await loadToken();
    expect(await askForStatus(firstToken)).toBe(200);
    now += 25 * 60 * 60 * 1000;
    expect(await askForStatus(firstToken)).toBe(401);
    expect(await askForStatus(await loadToken())).toBe(200);
    await app.close();
  });

  test.each([
    [{}, 'off'],
    [{ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'calendar@example.com' }, 'on'],
  ])('of the demo at /demo says whether guests get mail: %j', async (env, mail) =>
    expect((await getPage(env as Record<string, string>, '/demo')).body).toContain(
      `<meta name="gateway-mail" content="${mail}" />`,
    ),
  );

  test.each(['localhost', '127.0.0.1:4000', '127.1.2.3', '[::1]:4000', 'LOCALHOST:1'])(
    'of the demo is served for the host %s',
    async (host) => expect((await getPage({}, '/graphql', host)).status).toBe(200),
  );

  test.each([
    ...['evil.example', 'localhost.evil.example:4000', '127.0.0.1.evil.example', '192.168.0.2:4000'],
    '0.0.0.0:4000',
  ])('of the demo is not served for %s, a possible host name of a foreign site', async (host) => {
    for (const url of ['/graphql', '/explorer', '/demo', '/']) {
      // Requests by scripts may have any Accept header.
      for (const accept of ['text/html', 'text/*', '*/*', 'application/json;q=0.1, */*']) {
        const { status, body, token } = await getPage({}, url, host, accept);
        if (url !== '/graphql' || accept.startsWith('text')) expect(status).toBe(421);
        expect(body).not.toContain(token);
      }
    }
  });
});
