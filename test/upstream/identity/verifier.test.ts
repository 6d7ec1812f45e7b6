import { bearerOf, createUpstreamVerifier } from '../../../src/upstream/identity/token-verifier.ts';
import type { Viewer } from '../../../src/access/permissions.ts';
import {
  type Answer,
  json,
  createManualTimer,
  createRecorder,
  reset,
  startService,
} from '../client/client.harness.ts';
import { useForEach } from '../../use-resource.ts';

const startMs = Date.UTC(2031, 0, 1);
const calendarScope = 'https://www.googleapis.com/auth/calendar';
const alice = {
  sub: '1234',
  email: 'Alice@Example.com',
  email_verified: 'true',
  scope: `openid ${calendarScope}`,
  exp: String(startMs / 1000 + 3600),
  expires_in: '3600',
  aud: 'an app',
};

const service = useForEach(() => startService(json(200, alice)));

function createTestVerifier(identity: Parameters<typeof createUpstreamVerifier>[0]['identity']) {
  // Tests move the clock by changing `now`.
  const time = { now: startMs };
  const records = createRecorder();
  const verifier = createUpstreamVerifier({
    ...records,
    identity,
    clock: () => time.now,
    timer: createManualTimer(),
  });
  return {
    ...records,
    ...verifier,
    time,
    verifyToken: (token: string) => verifier.verify(`Bearer ${token}`),
  };
}
const createTokeninfoVerifier = () => createTestVerifier({ tokeninfo: `${service.url}/tokeninfo` });
const createIntrospectionVerifier = () =>
  createTestVerifier({ introspection: { url: `${service.url}/introspect`, id: 'gate way', secret: 'p%w' } });

describe('a token', () => {
  test('is posted to tokeninfo, whose response identifies the caller', async () => {
    const { verifyToken, spans } = createTokeninfoVerifier();
    const viewer = await verifyToken('ya29.a/b+c=');
    expect(viewer).toEqual({
      sub: '1234',
      identity: 'alice@example.com',
      key: '["1234","alice@example.com"]',
      scopes: new Set(['openid', calendarScope]),
      expires: startMs + 3_600_000,
    });
    expect(bearerOf(viewer as Viewer)).toBe('ya29.a/b+c=');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'access_token=ya29.a%2Fb%2Bc%3D';
    expect(service.received).toMatchObject([{ method: 'POST', url: '/tokeninfo', body, headers }]);
    expect(JSON.stringify([viewer, spans])).not.toContain('ya29');
  });

  test("is introspected (RFC 7662) with the gateway's credentials", async () => {
    service.answers = [json(200, { active: true, sub: '1234', scope: calendarScope })];
    const caller = { sub: '1234', identity: '1234', expires: undefined };
    expect(await createIntrospectionVerifier().verifyToken('opaque')).toMatchObject(caller);
    const authorization = `Basic ${Buffer.from('gate%20way:p%25w').toString('base64')}`;
    expect(service.received).toMatchObject([
      { method: 'POST', url: '/introspect', body: 'token=opaque', headers: { authorization } },
    ]);
  });

  test('is verified once for concurrent requests, and cached for a minute', async () => {
    const { verifyToken, time } = createTokeninfoVerifier();
    await Promise.all([verifyToken('a'), verifyToken('a'), verifyToken('a'), verifyToken('b')]);
    time.now += 59_999;
    await verifyToken('a');
    expect(service.received).toHaveLength(2);
    time.now += 1;
    await verifyToken('a');
    expect(service.received).toHaveLength(3);
  });

  test.each([
    { exp: startMs / 1000 + 10 },
    { expires_in: 10 },
    { exp: startMs / 1000 + 3600, expires_in: '10' },
  ])('is not cached beyond its expiry: %j', async (expiryFields) => {
    service.answers = [json(200, { sub: '1', ...expiryFields })];
    const { verifyToken, time } = createTokeninfoVerifier();
    expect(await verifyToken('a')).toMatchObject({ expires: startMs + 10_000 });
    time.now += 9_999;
    await verifyToken('a');
    expect(service.received).toHaveLength(1);
    time.now += 1;
    await verifyToken('a').catch(() => undefined);
    expect(service.received).toHaveLength(2);
  });

  test('may be verified at the root path of a host', async () => {
    await createTestVerifier({ tokeninfo: service.url }).verifyToken('a');
    expect(service.received[0]?.url).toBe('/');
  });

  test('is verified anew after forget', async () => {
    const { verifyToken, forget } = createTokeninfoVerifier();
    await verifyToken('a');
    forget('a');
    await verifyToken('a');
    expect(service.received).toHaveLength(2);
  });

  test('is read from an RFC 6750 header only; without one there is no caller', async () => {
    const { verify } = createTokeninfoVerifier();
    expect(await verify(undefined)).toBeUndefined();
    await verify('bearer   a.b-c~d ');
    for (const header of ['', 'Bearer', 'Bearer a b', 'Basic YTpi', 'Bearer a=b', 'Bearer a\u00e4'])
      await expect(verify(header)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError' });
    expect(service.received).toHaveLength(1);
  });
});

const email = 'Bob@Example.com';
test.each<[string, object, string]>([
  ['an address only', { email, email_verified: true }, 'bob@example.com'],
  ['an unverified address only', { email, email_verified: 'false' }, 'unverified bob@example.com'],
  ['an unverified address and a subject', { sub: '77', email, email_verified: false }, '77'],
  ['an empty address and a subject', { sub: '77', email: '', scope: null, exp: null }, '77'],
])('with %s the caller is %j', async (_name, info, identity) => {
  service.answers = [json(200, info)];
  expect(await createTokeninfoVerifier().verifyToken('a')).toMatchObject({ identity });
});

describe('a refused token', () => {
  test.each<[string, () => ReturnType<typeof createTestVerifier>, Answer, string]>([
    [
      'is unknown',
      createTokeninfoVerifier,
      json(400, { error: 'invalid_token' }),
      'is unknown or has expired',
    ],
    ['is no longer known', createTokeninfoVerifier, json(401, {}), 'is unknown or has expired'],
    ['is not active', createIntrospectionVerifier, json(200, { active: false }), 'is unknown or has expired'],
    ['expires now', createTokeninfoVerifier, json(200, { sub: '1', expires_in: '0' }), 'expired'],
    ['has expired', createTokeninfoVerifier, json(200, { sub: '1', expires_in: -5 }), 'expired'],
    ['expired long ago', createTokeninfoVerifier, json(200, { sub: '1', exp: '-5' }), 'expired'],
    ['has no subject', createTokeninfoVerifier, json(200, { expires_in: '60' }), 'email scope'],
    ['has no subject by RFC 7662', createIntrospectionVerifier, json(200, { active: true }), 'email scope'],
  ])('%s', async (_name, createVerifier, answer, messagePart) => {
    service.answers = [answer];
    const { verifyToken, lines } = createVerifier();
    const message = expect.stringContaining(messagePart) as string;
    await expect(verifyToken('a')).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'authError',
      message,
    });
    expect(lines).toEqual([]);
  });

  test('is verified again after five seconds', async () => {
    service.answers = [json(400, {}), json(200, alice)];
    const { verifyToken, time } = createTokeninfoVerifier();
    for (let count = 0; count < 3; count += 1)
      await expect(verifyToken('a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(service.received).toHaveLength(1);
    time.now += 5000;
    expect(await verifyToken('a')).toMatchObject({ sub: '1234' });
  });
});

test('a client network over its limit gets no verification, unless the token was known', async () => {
  const { verifyToken, verify, time } = createTokeninfoVerifier();
  const refuseNetwork = (): never => {
    throw new Error('too many');
  };
  await verifyToken('known');
  time.now += 60_000;
  await verify('Bearer known', refuseNetwork);
  await expect(verify('Bearer new', refuseNetwork)).rejects.toThrow('too many');
  expect(service.received).toHaveLength(2);
});

describe('while tokens cannot be verified', () => {
  test.each<[string, () => ReturnType<typeof createTestVerifier>, Answer]>([
    ['a reset', createTokeninfoVerifier, reset],
    ['a status of 500', createTokeninfoVerifier, json(500, {})],
    ['too many requests', createTokeninfoVerifier, json(429, {})],
    ['a redirect', createTokeninfoVerifier, json(302, {}, { location: '/' })],
    ['a path that does not exist', createTokeninfoVerifier, json(404, {})],
    ['a body that is not JSON', createTokeninfoVerifier, (response) => void response.end('<html>')],
    ['an invalid number', createTokeninfoVerifier, json(200, { ...alice, exp: 'soon' })],
    ['an invalid address', createTokeninfoVerifier, json(200, { ...alice, email: 5 })],
    ['an active flag as text', createIntrospectionVerifier, json(200, { ...alice, active: 'true' })],
    ['refused gateway credentials', createIntrospectionVerifier, json(401, {})],
    ['an answer without an active flag', createIntrospectionVerifier, json(200, alice)],
  ])('new tokens are UNAVAILABLE and known ones stay valid: %s', async (_name, verifier, answer) => {
    service.answers = [json(200, { ...alice, active: true }), answer];
    const { verifyToken, lines } = verifier();
    await verifyToken('known');
    await expect(verifyToken('new')).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError' });
    expect(await verifyToken('known')).toMatchObject({ sub: '1234' });
    expect(lines).toMatchObject([{ level: 'warn', details: { service: 'identity' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/new|1234/);
  });

  test('an invalid answer is not retried, and does not block other tokens', async () => {
    service.answers = [
      (response, request) =>
        json(200, request.body.endsWith('odd') ? { ...alice, exp: 'soon' } : alice)(response, request),
    ];
    const { verifyToken } = createTokeninfoVerifier();
    for (let count = 1; count <= 6; count += 1) {
      await expect(verifyToken('odd')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        details: { retryAfter: 1 },
      });
      expect(service.received).toHaveLength(count);
    }
    expect(await verifyToken('other')).toMatchObject({ sub: '1234' });
  });

  test('refusals say when to retry', async () => {
    service.answers = [json(503, {}, { 'retry-after': '120' })];
    const { verifyToken } = createTokeninfoVerifier();
    await expect(verifyToken('a')).rejects.toMatchObject({ details: { retryAfter: 120 } });
    for (const token of ['b', 'c', 'd', 'e']) await verifyToken(token).catch(() => undefined);
    await expect(verifyToken('f')).rejects.toMatchObject({ details: { retryAfter: 10 } });
  });

  test('a transient failure is retried', async () => {
    service.answers = [reset, json(200, alice)];
    const { verifyToken, retries } = createTokeninfoVerifier();
    expect(await verifyToken('a')).toMatchObject({ sub: '1234' });
    expect(retries).toEqual(['identity tokeninfo reset']);
  });
});
