import { Coercer } from '../../../src/core/fields/coerce.ts';
import { coercionError, CoercionErrors } from '../../../src/core/fields/leaves.ts';

const coercer = new Coercer({
  inputFields: {
    Tree: {
      name: 'String!',
      size: 'Int',
      kind: 'Kind',
      children: '[Tree!]',
      grid: '[[Int!]!]',
      labels: 'StringMap',
    },
    Query: { text: 'String', first: 'Int!' },
  },
  enumValues: { Kind: ['LEAF', 'NODE'] },
  defaults: { Query: { first: 20 } },
});

function coerced(type: string, value: unknown): { value: unknown; issues: string[] } {
  const errors = new CoercionErrors();
  const result = coercer.for(type)(value, errors);
  return { value: result, issues: errors.issues.map(({ path, reason }) => `${path.join('.')} ${reason}`) };
}

describe('the coercion of input', () => {
  test('gives the fields in the order of the schema, without __typename', () => {
    const children = [{ __typename: 'Tree', kind: 'LEAF', name: 'b' }];
    const { value, issues } = coerced('Tree', { children, __typename: 'Tree', size: 1, name: 'a' });
    expect(issues).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"name":"a","size":1,"children":[{"name":"b","kind":"LEAF"}]}');
  });

  test('reports coercion errors in the order in which they were sent, and leaves them out', () => {
    const children = [{ name: 'b', size: 'x' }, 5, { kind: 'ROOT' }];
    const sent = { children, colour: 1, labels: { a: 1, b: 'x' }, name: null, size: 2 };
    expect(coerced('Tree!', sent)).toEqual({
      value: { size: 2, children: [{ name: 'b' }, null, {}], labels: { b: 'x' } },
      issues: [
        'children.0.size invalid',
        'children.1 invalid',
        'children.2.kind invalid',
        'children.2.name required',
        'colour invalid',
        'labels.a invalid',
        'name required',
      ],
    });
  });

  test('takes a single value for a list of one, in lists of lists as well', () => {
    expect(coerced('Tree', { name: 'a', children: { name: 'b' }, grid: 7 }).value).toEqual({
      name: 'a',
      children: [{ name: 'b' }],
      grid: [[7]],
    });
    expect(coerced('Tree', { name: 'a', children: { size: 1 }, grid: 'x' }).issues).toEqual([
      'children.0.name required',
      'grid invalid',
    ]);
    expect(coerced('[Tree!]', 5)).toEqual({ value: coercionError, issues: [' invalid'] });
  });

  test('fills in defaults', () => {
    expect(coerced('Query', { text: 'x' }).value).toEqual({ text: 'x', first: 20 });
    expect(coerced('Query', { first: null }).issues).toEqual(['first required']);
  });
});
