import { serverAudits } from 'graphql-http';
import { tokenFor, useGateway } from '../harness.ts';
import { listen } from './raw.ts';

describe('GraphQL over HTTP, as its reference audit has it', () => {
  const gateway = useGateway();
  let url: string;
  let authorization: string;
  beforeAll(async () => {
    url = `http://127.0.0.1:${await listen(gateway)}/graphql`;
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });

  const audits = serverAudits({
    url: () => url,
    fetchFn: (address: string, init: RequestInit = {}) =>
      fetch(address, { ...init, headers: { authorization, ...init.headers } }),
  });

  test('has some audits', () => expect(audits.length).toBeGreaterThan(60));

  test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s %s',
    async (_id, _name, audit) => {
      const result = await audit.fn();
      expect([result.status, 'reason' in result ? result.reason : undefined]).toEqual(['ok', undefined]);
    },
  );
});
