import { decodeJwt } from 'jose';
import { chooseMinimalScopes, signToken } from '../../src/access/token.ts';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';

test('the minimal scopes for all operations are two', () => {
  const prefix = 'https://www.googleapis.com/auth/';
  const scopes = chooseMinimalScopes(createGatewaySchema().scopeRules.values()).sort();
  expect(scopes).toEqual([`${prefix}calendar`, `${prefix}cloud-platform`]);
});

test.each([
  [[], []],
  [
    [
      [['a'], ['b']],
      [['b'], ['c']],
    ],
    ['b'],
  ],
  [
    [[['a', 'b']], [['c']]],
    ['a', 'b', 'c'],
  ],
])('chooseMinimalScopes: all of the rules %j are satisfied by the scopes %j', (rules, scopes) =>
  expect(chooseMinimalScopes(rules)).toEqual(scopes),
);

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
