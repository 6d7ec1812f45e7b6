import { startGateway, tokenFor, type TestGateway } from '../harness.ts';

const typename = '{"query":"{ __typename }"}';
const json = { 'content-type': 'application/json' };

describe('the rate limit of the transport', () => {
  let gateway: TestGateway;
  beforeEach(async () => void (gateway = await startGateway({ RATE_LIMIT: '3' })));
  afterEach(() => gateway.close());

  const post = async (
    payload: string,
    { headers = {}, from = '192.0.2.1' }: { headers?: Record<string, string>; from?: string } = {},
  ): Promise<number> =>
    (
      await gateway.app.inject({
        method: 'POST',
        url: '/graphql',
        remoteAddress: from,
        headers: { ...json, ...headers },
        payload,
      })
    ).statusCode;

  test.each<[string, string, Record<string, string>, number]>([
    ['bodies that are none', '{', {}, 400],
    ['bodies that are too long', ' '.repeat(70_000), {}, 413],
    ['tokens that are none', typename, { authorization: 'Bearer a.b.c' }, 401],
    ['types that are not read', typename, { 'content-type': 'text/plain' }, 415],
  ])('counts %s', async (_what, payload, headers, status) => {
    for (let count = 0; count < 3; count += 1) expect(await post(payload, { headers })).toBe(status);
    expect(await post(payload, { headers })).toBe(429);
    expect(await post(typename)).toBe(429);
    expect(await post(typename, { from: '192.0.2.2' })).toBe(200);
  });

  test('knows callers with a token by that, and the others by their address', async () => {
    for (let count = 0; count < 3; count += 1) await post('{');
    expect(await post(typename)).toBe(429);
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    expect(await post(typename, { headers: { authorization } })).toBe(200);
  });

  test("knows an IPv6 caller by the first 64 bits, which are one customer's", async () => {
    for (let count = 1; count <= 3; count += 1) await post('{', { from: `2001:db8:1:2::${count}` });
    expect(await post(typename, { from: '2001:db8:1:2:ffff::1' })).toBe(429);
    expect(await post(typename, { from: '2001:db8:1:3::1' })).toBe(200);
  });

  test('says when to come back', async () => {
    for (let count = 0; count < 3; count += 1) await post('{');
    const { headers, body } = await gateway.app.inject({
      method: 'POST',
      url: '/graphql',
      remoteAddress: '192.0.2.1',
      headers: json,
      payload: typename,
    });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(body)).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', reason: 'rateLimitExceeded' } }],
    });
  });
});
