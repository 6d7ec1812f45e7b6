import { serverAudits } from 'graphql-http';
import { tokenFor } from '../harness.ts';
import { useForAll } from '../use-resource.ts';
import { startListening } from './raw-http.ts';

describe('the reference audit of GraphQL over HTTP (graphql-http)', () => {
  const gateway = useForAll(startListening);
  let authorization: string;
  beforeAll(async () => {
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });

  const audits = serverAudits({
    url: () => gateway.url,
    fetchFn: (address: string, init: RequestInit = {}) =>
      fetch(address, { ...init, headers: { authorization, ...init.headers } }),
  });

  test('has more than 60 audits', () => expect(audits.length).toBeGreaterThan(60));

  test.each(audits)('$id $name', async (audit) => {
    const result = await audit.fn();
    expect([result.status, 'reason' in result ? result.reason : undefined]).toEqual(['ok', undefined]);
  });
});
