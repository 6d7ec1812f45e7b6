import { startGateway, useGateway } from '../harness.ts';
import { useForEach } from '../started.ts';

const typename = '{"query":"{ __typename }"}';

describe('the rate limit of the transport', () => {
  const gateway = useForEach(() => startGateway({ RATE_LIMIT: '3' }));

  async function post(
    payload: string,
    headers: Record<string, string> = {},
    remoteAddress = '192.0.2.1',
  ): Promise<number> {
    const answer = await gateway.app.inject({
      method: 'POST',
      url: '/graphql',
      remoteAddress,
      headers: { 'content-type': 'application/json', ...headers },
      payload,
    });
    return answer.statusCode;
  }

  test.each<[string, string, Record<string, string>, number]>([
    ['invalid JSON', '{', {}, 400],
    ['bodies that are too long', ' '.repeat(70_000), {}, 413],
    ['invalid tokens', typename, { authorization: 'Bearer a.b.c' }, 401],
    ['unsupported media types', typename, { 'content-type': 'text/plain' }, 415],
  ])('counts %s', async (_what, payload, headers, status) => {
    for (let count = 0; count < 3; count += 1) expect(await post(payload, headers)).toBe(status);
    expect(await post(payload, headers)).toBe(429);
    expect(await post(typename)).toBe(429);
    expect(await post(typename, {}, '192.0.2.2')).toBe(200);
  });
});

describe('the rate limit', () => {
  const read = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
  let now = Date.UTC(2026, 11, 1);
  const gateway = useGateway({ RATE_LIMIT: '3' }, { clock: () => now });

  test('counts root fields per minute and caller, and sends Retry-After', async () => {
    const outcomeOf = async (query: string, as: string | null): Promise<unknown[]> => {
      const { status, headers, errors, data } = await gateway.ask(query, {}, { as });
      const { code, reason } = errors?.[0]?.extensions ?? {};
      return code === 'RATE_LIMITED' ? [status, headers['retry-after'], code, reason, data] : [status];
    };
    const refused = ['RATE_LIMITED', 'rateLimitExceeded', undefined];
    const limitedOutcome = (seconds: number): unknown[] => [429, `${seconds}`, ...refused];
    const twoReads = `{ a: ${read.slice(1, -1)} b: ${read.slice(1, -1)} }`;
    expect(await outcomeOf(twoReads, 'alice@example.com')).toEqual([200]);
    now += 20_500;
    expect(await outcomeOf(twoReads, 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await outcomeOf(read, 'alice@example.com')).toEqual([200]);
    expect(await outcomeOf(read, 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await outcomeOf('{ __typename }', 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await outcomeOf(read, 'bob@example.com')).toEqual([200]);
    expect(await outcomeOf('{ __typename }', null)).toEqual([200]);
    now += 39_499;
    expect(await outcomeOf(read, 'alice@example.com')).toEqual(limitedOutcome(1));
    now += 1;
    expect(await outcomeOf(twoReads, 'alice@example.com')).toEqual([200]);
  });
});
