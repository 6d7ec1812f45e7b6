import { decodeJwt } from 'jose';
import { signToken } from '../../src/access/token.ts';

test.each([
  [{ email: 'alice@example.com' }, { email: 'alice@example.com' }],
  [
    { issuer: 'https://issuer.example', audience: 'gateway' },
    { iss: 'https://issuer.example', aud: 'gateway' },
  ],
])('a token signed with %j has the claims %j beside sub, scope and exp', async (options, claims) => {
  const defaults = { sub: 'alice', scopes: ['a', 'b'], expires: 1_900_000_000_000 };
  const secret = 'a secret for tests that has 32 bytes or more';
  const token = await signToken(secret, { ...defaults, ...options });
  expect(decodeJwt(token)).toEqual({ sub: 'alice', scope: 'a b', exp: 1_900_000_000, ...claims });
});
