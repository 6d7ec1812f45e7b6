import { startGateway, useGateway } from '../harness.ts';
import { useForEach } from '../use-resource.ts';

const typenamePayload = '{"query":"{ __typename }"}';

describe('the rate limit of the transport', () => {
  const gateway = useForEach(() => startGateway({ RATE_LIMIT: '3' }));

  async function postForStatus(
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
    ['invalid tokens', typenamePayload, { authorization: 'Bearer a.b.c' }, 401],
    ['unsupported media types', typenamePayload, { 'content-type': 'text/plain' }, 415],
  ])('counts %s', async (_what, payload, headers, status) => {
    for (let count = 0; count < 3; count += 1) expect(await postForStatus(payload, headers)).toBe(status);
    expect(await postForStatus(payload, headers)).toBe(429);
    expect(await postForStatus(typenamePayload)).toBe(429);
    expect(await postForStatus(typenamePayload, {}, '192.0.2.2')).toBe(200);
  });
});

describe('the rate limit', () => {
  const readDocument = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
  let now = Date.UTC(2026, 11, 1);
  const gateway = useGateway({ RATE_LIMIT: '3' }, { clock: () => now });

  test('counts root fields per minute and caller, and sends Retry-After', async () => {
    const askForOutcome = async (query: string, as: string | null): Promise<unknown[]> => {
      const { status, headers, errors, data } = await gateway.ask(query, {}, { as });
      const { code, reason } = errors?.[0]?.extensions ?? {};
      return code === 'RATE_LIMITED' ? [status, headers['retry-after'], code, reason, data] : [status];
    };
    const rateLimitError = ['RATE_LIMITED', 'rateLimitExceeded', undefined];
    const limitedOutcome = (seconds: number): unknown[] => [429, `${seconds}`, ...rateLimitError];
    const twoReads = `{ a: ${readDocument.slice(1, -1)} b: ${readDocument.slice(1, -1)} }`;
    expect(await askForOutcome(twoReads, 'alice@example.com')).toEqual([200]);
    now += 20_500;
    expect(await askForOutcome(twoReads, 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await askForOutcome(readDocument, 'alice@example.com')).toEqual([200]);
    expect(await askForOutcome(readDocument, 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await askForOutcome('{ __typename }', 'alice@example.com')).toEqual(limitedOutcome(40));
    expect(await askForOutcome(readDocument, 'bob@example.com')).toEqual([200]);
    expect(await askForOutcome('{ __typename }', null)).toEqual([200]);
    now += 39_499;
    expect(await askForOutcome(readDocument, 'alice@example.com')).toEqual(limitedOutcome(1));
    now += 1;
    expect(await askForOutcome(twoReads, 'alice@example.com')).toEqual([200]);
  });
});
