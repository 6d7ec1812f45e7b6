import { buildSchema } from 'graphql';
import { breaks } from '../../scripts/breaks.js';

const schema = (fields: string) =>
  buildSchema(
    `directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION type Query { ${fields} count: Int }`,
  );
const scoped = '@requiresScopes(scopes: [["read"], ["write", "all"]])';
const before = schema(`event(id: String!, first: Int): String ${scoped}`);

const needed = 'A required arg zone on Query.event was added.';

describe('a check for changes that break clients of the released schema', () => {
  test.each([
    ['a field that is gone', '', 'Query.event was removed.'],
    [
      'an argument that is gone',
      `event(id: String!): String ${scoped}`,
      'Query.event arg first was removed.',
    ],
    [
      'an argument that is needed now',
      `event(id: String!, first: Int, zone: String!): String ${scoped}`,
      needed,
    ],
    [
      'a scope that does not suffice any more',
      'event(id: String!, first: Int): String @requiresScopes(scopes: [["read"]])',
      'Query.event is not open to all and write any more.',
    ],
  ])('finds %s', (_what, after, told) => {
    expect(breaks(before, schema(after))).toEqual([told]);
  });

  test('lets pass what only adds', () => {
    const more = scoped.replace('"all"]', '"all"], ["more"]');
    const after = `event(id: String!, first: Int, zone: String): String! ${more} other: Int`;
    expect(breaks(before, schema(after))).toEqual([]);
  });
});
