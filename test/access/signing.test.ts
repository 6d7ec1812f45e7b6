import { fewestScopes } from '../../src/access/signing.ts';
import { createGateway } from '../../src/graphql/schema.ts';

test('two scopes open everything', () => {
  const prefix = 'https://www.googleapis.com/auth/';
  expect(fewestScopes(createGateway().scopeRules.values()).sort()).toEqual([`${prefix}calendar`, `${prefix}cloud-platform`]);
});

test.each([
  [[], []],
  [[[['a'], ['b']], [['b'], ['c']]], ['b']],
  [[[['a', 'b']], [['c']]], ['a', 'b', 'c']],
])('the rules %j are all opened by %j', (rules, scopes) => expect(fewestScopes(rules)).toEqual(scopes));
