import { parseFields, selectFields } from '../../../src/google/partial-response.ts';
import { fc } from '../../property.ts';

const sampleResponse = {
  kind: 'k',
  etag: '"1"',
  items: [
    {
      id: 'a',
      start: { dateTime: 't', timeZone: 'z' },
      attendees: [{ email: 'e', self: true }],
      recurrence: ['RRULE'],
    },
    { id: 'b', start: { date: 'd' } },
  ],
};

/** Selects `fields` of a response, or returns `invalid fields`. */
const selectFrom = async (
  fields: string,
  response: Readonly<Record<string, unknown>> = sampleResponse,
): Promise<unknown> => {
  const selection = parseFields(fields);
  return selection === undefined ? 'invalid fields' : selectFields(selection, response);
};

test.each([
  ['kind', { kind: 'k' }],
  ['items/id', { items: [{ id: 'a' }, { id: 'b' }] }],
  [
    'items(id,start/date)',
    {
      items: [
        { id: 'a', start: {} },
        { id: 'b', start: { date: 'd' } },
      ],
    },
  ],
  ['items/start(date,timeZone)', { items: [{ start: { timeZone: 'z' } }, { start: { date: 'd' } }] }],
  [
    'items/id,items/start/date,items/attendees/email',
    {
      items: [
        { id: 'a', start: {}, attendees: [{ email: 'e' }] },
        { id: 'b', start: { date: 'd' } },
      ],
    },
  ],
  ['items/recurrence', { items: [{ recurrence: ['RRULE'] }, {}] }],
  ['items,items/id', { items: sampleResponse.items }],
  ['*', sampleResponse],
  ['items/*/date', { items: [{ start: {}, attendees: [{}], recurrence: [] }, { start: { date: 'd' } }] }],
  [
    'items(*(date),start/timeZone,attendees)',
    {
      items: [
        { start: { timeZone: 'z' }, attendees: [{ email: 'e', self: true }], recurrence: [] },
        { start: { date: 'd' } },
      ],
    },
  ],
  [' kind , items( id ) , etag', { kind: 'k', etag: '"1"', items: [{ id: 'a' }, { id: 'b' }] }],
  ['nothing,items(nothing/at/all),kind/of,__proto__,constructor/name', { items: [{}, {}] }],
])('fields=%s selects exactly the named fields', async (fields, expectedSelection) => {
  expect(await selectFrom(fields)).toEqual(expectedSelection);
});

test('a field of the response with the name * is an ordinary field', async () => {
  expect(await selectFrom('*/a', { '*': { a: 1, b: 2 }, c: { a: 3 } })).toEqual({
    '*': { a: 1 },
    c: { a: 3 },
  });
});

test.each([
  ...['', ' ', ',', 'a,', ',a', 'a,,b', '/', 'a/', '/a', 'a//b', '(', 'a(', 'a()', 'a(b', 'a)', 'a(b))'],
  ...['(a)', 'a(b)c', 'a(b) c', 'a(b)/c', 'a(,b)', 'a*', '*a', '**', 'a/(b)'],
])('fields=%j is invalid', (fields) => {
  expect(parseFields(fields)).toBeUndefined();
});

// `fields` may have 20 levels and 8,192 characters.
test('too deep or too long fields are invalid', () => {
  expect(parseFields('a/'.repeat(19) + 'a')).toBeDefined();
  for (const fields of [
    'a/'.repeat(20) + 'a',
    'a('.repeat(4000),
    '*('.repeat(21) + 'a' + ')'.repeat(21),
    'a,'.repeat(4096) + 'b',
    'a'.repeat(1_000_000),
  ])
    expect(parseFields(fields)).toBeUndefined();
});

const fieldName = fc.constantFrom('a', 'b', 'c', '__proto__');
const jsonObject: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.letrec<{
  any: unknown;
  object: Record<string, unknown>;
}>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, 'x', true),
    tie('object'),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
  object: fc.dictionary(fieldName, tie('any'), { maxKeys: 4, noNullPrototype: true }),
})).object;

/** Random paths to selected fields. */
const anyPaths = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', '*', '__proto__'), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

/** Whether a JSON path without list indexes is selected, or lies below a selected path. */
const isSelected = (path: readonly string[], selectedPaths: readonly (readonly string[])[]): boolean =>
  selectedPaths.some(
    (selectedPath) =>
      selectedPath.length <= path.length &&
      selectedPath.every((step, index) => step === '*' || step === path[index]),
  );

/** Lists the paths of all scalars, without list indexes. */
function listScalarPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap((entry) => listScalarPaths(entry, path));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, child]) => listScalarPaths(child, [...path, key]));
  return [path];
}

test('a selection contains exactly the scalars at or below selected paths', async () => {
  await fc.assert(
    fc.asyncProperty(jsonObject, anyPaths, async (response, selectedPaths) => {
      const selectedResponse = await selectFrom(
        selectedPaths.map((path) => path.join('/')).join(','),
        response,
      );
      expect(listScalarPaths(selectedResponse)).toEqual(
        listScalarPaths(response).filter((path) => isSelected(path, selectedPaths)),
      );
    }),
  );
});

test('parentheses are equivalent to full paths', async () => {
  await fc.assert(
    fc.asyncProperty(jsonObject, fieldName, anyPaths, async (response, parent, selectedPaths) => {
      const childPaths = selectedPaths.map((path) => path.join('/'));
      expect(await selectFrom(`${parent}(${childPaths.join(',')})`, response)).toEqual(
        await selectFrom(childPaths.map((path) => `${parent}/${path}`).join(','), response),
      );
    }),
  );
});

test('any text is either a valid selection or invalid, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', '*', '/', '(', ')', ',', ' ', 'é')).map((tokens) => tokens.join('')),
      jsonObject,
      async (fields, response) => {
        await expect(selectFrom(fields, response)).resolves.toBeDefined();
      },
    ),
  );
});
