import { SchemaCoercer } from '../../../src/core/fields/coerce.ts';
import { coercionError, CoercionErrors } from '../../../src/core/fields/scalar-coercers.ts';

const nestedFields = { children: '[Tree!]', grid: '[[Int!]!]', labels: 'StringMap' };
const coercer = new SchemaCoercer({
  inputFields: {
    Tree: { name: 'String!', size: 'Int', kind: 'Kind', ...nestedFields },
    Query: { text: 'String', first: 'Int!' },
  },
  enumValues: { Kind: ['LEAF', 'NODE'] },
  defaults: { Query: { first: 20 } },
});

function coerceInput(type: string, value: unknown): { value: unknown; issues: string[] } {
  const errors = new CoercionErrors();
  const result = coercer.coercerFor(type)(value, errors);
  return { value: result, issues: errors.issues.map(({ path, reason }) => `${path.join('.')} ${reason}`) };
}

describe('SchemaCoercer', () => {
  test('returns fields in the order of the schema, without __typename', () => {
    const children = [{ __typename: 'Tree', kind: 'LEAF', name: 'b' }];
    const { value, issues } = coerceInput('Tree', { children, __typename: 'Tree', size: 1, name: 'a' });
    expect(issues).toEqual([]);
    expect(JSON.stringify(value)).toBe('{"name":"a","size":1,"children":[{"name":"b","kind":"LEAF"}]}');
  });

  test('reports invalid values in the order of the input, and leaves them out', () => {
    const children = [{ name: 'b', size: 'x' }, 5, { kind: 'ROOT' }];
    const input = { children, colour: 1, labels: { a: 1, b: 'x' }, name: null, size: 2 };
    expect(coerceInput('Tree!', input)).toEqual({
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

  test('coerces a single value to a list, also in nested lists', () => {
    const { value } = coerceInput('Tree', { name: 'a', children: { name: 'b' }, grid: 7 });
    expect(value).toEqual({ name: 'a', children: [{ name: 'b' }], grid: [[7]] });
    const { issues } = coerceInput('Tree', { name: 'a', children: { size: 1 }, grid: 'x' });
    expect(issues).toEqual(['children.0.name required', 'grid invalid']);
    expect(coerceInput('[Tree!]', 5)).toEqual({ value: coercionError, issues: [' invalid'] });
  });

  test('fills in defaults', () => {
    expect(coerceInput('Query', { text: 'x' }).value).toEqual({ text: 'x', first: 20 });
    expect(coerceInput('Query', { first: null }).issues).toEqual(['first required']);
  });
});
