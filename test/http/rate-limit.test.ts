import { startGateway, type TestGateway } from '../harness.ts';

const read = '{ event(calendarId: "primary", eventId: "holiday") { id } }';

describe('the rate limit', () => {
  let now = Date.UTC(2026, 11, 1);
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ RATE_LIMIT: '3' }, { clock: () => now });
  });
  afterAll(() => gateway.close());

  test('counts root fields a minute and caller, and says when to come back', async () => {
    const asked = async (query: string, as: string | null): Promise<unknown[]> => {
      const { status, headers, errors, data } = await gateway.ask(query, {}, { as });
      const { code, reason } = errors?.[0]?.extensions ?? {};
      return code === 'RATE_LIMITED' ? [status, headers['retry-after'], code, reason, data] : [status];
    };
    const limited = (seconds: number): unknown[] => [
      429,
      `${seconds}`,
      'RATE_LIMITED',
      'rateLimitExceeded',
      undefined,
    ];
    const two = `{ a: ${read.slice(1, -1)} b: ${read.slice(1, -1)} }`;
    expect(await asked(two, 'alice@example.com')).toEqual([200]);
    now += 20_500;
    expect(await asked(two, 'alice@example.com')).toEqual(limited(40));
    expect(await asked(read, 'alice@example.com')).toEqual([200]);
    expect(await asked(read, 'alice@example.com')).toEqual(limited(40));
    expect(await asked('{ __typename }', 'alice@example.com')).toEqual(limited(40));
    expect(await asked(read, 'bob@example.com')).toEqual([200]);
    expect(await asked('{ __typename }', null)).toEqual([200]);
    now += 39_499;
    expect(await asked(read, 'alice@example.com')).toEqual(limited(1));
    now += 1;
    expect(await asked(two, 'alice@example.com')).toEqual([200]);
  });
});
