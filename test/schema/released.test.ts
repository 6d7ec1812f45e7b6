import { buildSchema } from 'graphql';
import { listBreakingChanges } from '../../scripts/breaking-changes.js';

const buildTestSchema = (fields: string) =>
  buildSchema(
    `directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION type Query { ${fields} count: Int }`,
  );
const scopes = '@requiresScopes(scopes: [["read"], ["write", "all"]])';
const releasedSchema = buildTestSchema(`event(id: String!, first: Int): String ${scopes}`);

const fieldWithZone = `event(id: String!, first: Int, zone: String!): String ${scopes}`;
const fieldForReaders = 'event(id: String!, first: Int): String @requiresScopes(scopes: [["read"]])';

describe('the check for breaking changes of the released schema', () => {
  test.each([
    ['a removed field', '', 'Query.event was removed.'],
    ['a removed argument', `event(id: String!): String ${scopes}`, 'Query.event arg first was removed.'],
    ['a new required argument', fieldWithZone, 'A required arg zone on Query.event was added.'],
    [
      'a scope that no longer suffices',
      fieldForReaders,
      'Query.event is not open to all and write any more.',
    ],
  ])('finds %s', (_what, changedFields, message) => {
    expect(listBreakingChanges(releasedSchema, buildTestSchema(changedFields))).toEqual([message]);
  });

  test('accepts additions', () => {
    const moreScopes = scopes.replace('"all"]', '"all"], ["more"]');
    const after = `event(id: String!, first: Int, zone: String): String! ${moreScopes} other: Int`;
    expect(listBreakingChanges(releasedSchema, buildTestSchema(after))).toEqual([]);
  });
});
