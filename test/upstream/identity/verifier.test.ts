import { bearerOf, createUpstreamVerifier } from '../../../src/upstream/identity/verifier.ts';
import type { Viewer } from '../../../src/access/permissions.ts';
import { type Answer, json, manualWaiting, recorder, reset, startService } from '../client/client.harness.ts';
import { useForEach } from '../../started.ts';

const start = Date.UTC(2031, 0, 1);
const calendar = 'https://www.googleapis.com/auth/calendar';
const alice = {
  sub: '1234',
  email: 'Alice@Example.com',
  email_verified: 'true',
  scope: `openid ${calendar}`,
  exp: String(start / 1000 + 3600),
  expires_in: '3600',
  aud: 'an app',
};

const service = useForEach(() => startService(json(200, alice)));

function verifierAt(identity: Parameters<typeof createUpstreamVerifier>[0]['identity']) {
  const time = { now: start };
  const told = recorder();
  const made = createUpstreamVerifier({ ...told, identity, clock: () => time.now, waiting: manualWaiting() });
  return { ...told, ...made, time, as: (token: string) => made.verify(`Bearer ${token}`) };
}
const byTokeninfo = () => verifierAt({ tokeninfo: `${service.url}/tokeninfo` });
const byIntrospection = () =>
  verifierAt({ introspection: { url: `${service.url}/introspect`, id: 'gate way', secret: 'p%w' } });

describe('a token', () => {
  test('is asked about in the body of a POST, and its caller is who is told', async () => {
    const { as, spans } = byTokeninfo();
    const viewer = await as('ya29.a/b+c=');
    expect(viewer).toEqual({
      sub: '1234',
      identity: 'alice@example.com',
      key: '["1234","alice@example.com"]',
      scopes: new Set(['openid', calendar]),
      expires: start + 3_600_000,
    });
    expect(bearerOf(viewer as Viewer)).toBe('ya29.a/b+c=');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'access_token=ya29.a%2Fb%2Bc%3D';
    expect(service.got).toMatchObject([{ method: 'POST', url: '/tokeninfo', body, headers }]);
    expect(JSON.stringify([viewer, spans])).not.toContain('ya29');
  });

  test('is asked about by RFC 7662 with the name of the gateway', async () => {
    service.answers = [json(200, { active: true, sub: '1234', scope: calendar })];
    const caller = { sub: '1234', identity: '1234', expires: undefined };
    expect(await byIntrospection().as('opaque')).toMatchObject(caller);
    const authorization = `Basic ${Buffer.from('gate%20way:p%25w').toString('base64')}`;
    expect(service.got).toMatchObject([
      { method: 'POST', url: '/introspect', body: 'token=opaque', headers: { authorization } },
    ]);
  });

  test('is asked about once for requests that come together, and believed for a minute', async () => {
    const { as, time } = byTokeninfo();
    await Promise.all([as('a'), as('a'), as('a'), as('b')]);
    time.now += 59_999;
    await as('a');
    expect(service.got).toHaveLength(2);
    time.now += 1;
    await as('a');
    expect(service.got).toHaveLength(3);
  });

  test.each([{ exp: start / 1000 + 10 }, { expires_in: 10 }, { exp: start / 1000 + 3600, expires_in: '10' }])(
    'is not believed beyond its end: %j',
    async (ends) => {
      service.answers = [json(200, { sub: '1', ...ends })];
      const { as, time } = byTokeninfo();
      expect(await as('a')).toMatchObject({ expires: start + 10_000 });
      time.now += 9_999;
      await as('a');
      expect(service.got).toHaveLength(1);
      time.now += 1;
      await as('a').catch(() => undefined);
      expect(service.got).toHaveLength(2);
    },
  );

  test('is asked about at the root of a host', async () => {
    await verifierAt({ tokeninfo: service.url }).as('a');
    expect(service.got[0]?.url).toBe('/');
  });

  test('is asked about anew once it is forgotten', async () => {
    const { as, forget } = byTokeninfo();
    await as('a');
    forget('a');
    await as('a');
    expect(service.got).toHaveLength(2);
  });

  test('is read of the header of RFC 6750 alone; without one there is no caller', async () => {
    const { verify } = byTokeninfo();
    expect(await verify(undefined)).toBeUndefined();
    await verify('bearer   a.b-c~d ');
    for (const header of ['', 'Bearer', 'Bearer a b', 'Basic YTpi', 'Bearer a=b', 'Bearer a\u00e4'])
      await expect(verify(header)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError' });
    expect(service.got).toHaveLength(1);
  });
});

const email = 'Bob@Example.com';
test.each<[string, object, string]>([
  ['an address alone', { email, email_verified: true }, 'bob@example.com'],
  ['an address alone, not verified', { email, email_verified: 'false' }, 'unverified bob@example.com'],
  ['an address that is not verified, and a subject', { sub: '77', email, email_verified: false }, '77'],
  ['an empty address and a subject', { sub: '77', email: '', scope: null, exp: null }, '77'],
])('with %s the caller is %j', async (_name, info, identity) => {
  service.answers = [json(200, info)];
  expect(await byTokeninfo().as('a')).toMatchObject({ identity });
});

describe('a refused token', () => {
  test.each<[string, () => ReturnType<typeof verifierAt>, Answer, string]>([
    ['is not known', byTokeninfo, json(400, { error: 'invalid_token' }), 'not known'],
    ['is not known any more', byTokeninfo, json(401, {}), 'not known'],
    ['is not active', byIntrospection, json(200, { active: false }), 'not known'],
    ['has ended', byTokeninfo, json(200, { sub: '1', expires_in: '0' }), 'expired'],
    ['has ended before', byTokeninfo, json(200, { sub: '1', expires_in: -5 }), 'expired'],
    ['ended long ago', byTokeninfo, json(200, { sub: '1', exp: '-5' }), 'expired'],
    ['has no name', byTokeninfo, json(200, { scope: calendar, expires_in: '60' }), 'email scope'],
    ['has no name by RFC 7662', byIntrospection, json(200, { active: true }), 'email scope'],
  ])('%s', async (_name, verifier, answer, words) => {
    service.answers = [answer];
    const { as, lines } = verifier();
    const message = expect.stringContaining(words) as string;
    await expect(as('a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError', message });
    expect(lines).toEqual([]);
  });

  test('is asked about once in a few seconds', async () => {
    service.answers = [json(400, {}), json(200, alice)];
    const { as, time } = byTokeninfo();
    for (let count = 0; count < 3; count += 1)
      await expect(as('a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(service.got).toHaveLength(1);
    time.now += 5000;
    expect(await as('a')).toMatchObject({ sub: '1234' });
  });
});

test('who has used up the requests of a network is not asked about, unless the token was known', async () => {
  const { as, verify, time } = byTokeninfo();
  const tooMany = (): never => {
    throw new Error('too many');
  };
  await as('known');
  time.now += 60_000;
  await verify('Bearer known', tooMany);
  await expect(verify('Bearer new', tooMany)).rejects.toThrow('too many');
  expect(service.got).toHaveLength(2);
});

describe('while nobody can say whose a token is', () => {
  test.each<[string, () => ReturnType<typeof verifierAt>, Answer]>([
    ['a reset', byTokeninfo, reset],
    ['a status of 500', byTokeninfo, json(500, {})],
    ['too many requests', byTokeninfo, json(429, {})],
    ['a redirect', byTokeninfo, json(302, {}, { location: '/' })],
    ['a path that is not there', byTokeninfo, json(404, {})],
    ['what is no JSON', byTokeninfo, (response) => void response.end('<html>')],
    ['a number that is none', byTokeninfo, json(200, { ...alice, exp: 'soon' })],
    ['an address that is none', byTokeninfo, json(200, { ...alice, email: 5 })],
    ['an answer that is neither yes nor no', byIntrospection, json(200, { ...alice, active: 'true' })],
    ['a gateway that may not ask', byIntrospection, json(401, {})],
    ['an answer that leaves it open', byIntrospection, json(200, alice)],
  ])('new ones are UNAVAILABLE, and known ones go on: %s', async (_name, verifier, answer) => {
    service.answers = [json(200, { ...alice, active: true }), answer];
    const { as, lines } = verifier();
    await as('known');
    await expect(as('new')).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError' });
    expect(await as('known')).toMatchObject({ sub: '1234' });
    expect(lines).toMatchObject([{ level: 'warn', details: { service: 'identity' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/new|1234/);
  });

  test('an answer that cannot be read is asked for once, and keeps no other token from being asked about', async () => {
    service.answers = [
      (response, got) =>
        json(200, got.body.endsWith('odd') ? { ...alice, exp: 'soon' } : alice)(response, got),
    ];
    const { as } = byTokeninfo();
    for (let count = 1; count <= 6; count += 1) {
      await expect(as('odd')).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { retryAfter: 1 } });
      expect(service.got).toHaveLength(count);
    }
    expect(await as('other')).toMatchObject({ sub: '1234' });
  });

  test('those who come say when to come back', async () => {
    service.answers = [json(503, {}, { 'retry-after': '120' })];
    const { as } = byTokeninfo();
    await expect(as('a')).rejects.toMatchObject({ details: { retryAfter: 120 } });
    for (const token of ['b', 'c', 'd', 'e']) await as(token).catch(() => undefined);
    await expect(as('f')).rejects.toMatchObject({ details: { retryAfter: 10 } });
  });

  test('a failure that passes is tried again', async () => {
    service.answers = [reset, json(200, alice)];
    const { as, retries } = byTokeninfo();
    expect(await as('a')).toMatchObject({ sub: '1234' });
    expect(retries).toEqual(['identity tokeninfo reset']);
  });
});
