import { parseFields, select } from '../../../src/google/partial.ts';
import { fc } from '../../property.ts';

const json = {
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

const partOf = async (fields: string, of: Readonly<Record<string, unknown>> = json): Promise<unknown> => {
  const selection = parseFields(fields);
  return selection === undefined ? 'broken' : select(selection, of);
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
  ['items,items/id', { items: json.items }],
  ['*', json],
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
])('fields=%s selects its part', async (fields, part) => {
  expect(await partOf(fields)).toEqual(part);
});

test('a star in a response is a name like any other', async () => {
  expect(await partOf('*/a', { '*': { a: 1, b: 2 }, c: { a: 3 } })).toEqual({ '*': { a: 1 }, c: { a: 3 } });
});

test.each([
  ...['', ' ', ',', 'a,', ',a', 'a,,b', '/', 'a/', '/a', 'a//b', '(', 'a(', 'a()', 'a(b', 'a)', 'a(b))'],
  ...['(a)', 'a(b)c', 'a(b) c', 'a(b)/c', 'a(,b)', 'a*', '*a', '**', 'a/(b)'],
])('fields=%j is broken', (fields) => {
  expect(parseFields(fields)).toBeUndefined();
});

test('fields that nest too deeply or are too long are broken', () => {
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

const name = fc.constantFrom('a', 'b', 'c', '__proto__');
const value: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.letrec<{
  any: unknown;
  object: Record<string, unknown>;
}>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, 'x', true),
    tie('object'),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
  object: fc.dictionary(name, tie('any'), { maxKeys: 4, noNullPrototype: true }),
})).object;

/** Paths of names, each to a field that is selected. */
const paths = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'c', '*', '__proto__'), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

/** Whether a path through JSON, list indexes left out, leads to or into what is selected. */
const isSelected = (path: readonly string[], all: readonly (readonly string[])[]): boolean =>
  all.some(
    (of) => of.length <= path.length && of.every((step, index) => step === '*' || step === path[index]),
  );

/** The paths of all scalars, list indexes left out. */
function scalars(json: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (Array.isArray(json)) return json.flatMap((entry) => scalars(entry, path));
  if (typeof json === 'object' && json !== null)
    return Object.entries(json).flatMap(([key, inside]) => scalars(inside, [...path, key]));
  return [path];
}

test('what is selected holds exactly the scalars whose path leads through a selected one', async () => {
  await fc.assert(
    fc.asyncProperty(value, paths, async (of, all) => {
      const part = await partOf(all.map((path) => path.join('/')).join(','), of);
      expect(scalars(part)).toEqual(scalars(of).filter((path) => isSelected(path, all)));
    }),
  );
});

test('parentheses mean the same as paths written out', async () => {
  await fc.assert(
    fc.asyncProperty(value, name, paths, async (of, above, all) => {
      const inside = all.map((path) => path.join('/'));
      expect(await partOf(`${above}(${inside.join(',')})`, of)).toEqual(
        await partOf(inside.map((path) => `${above}/${path}`).join(','), of),
      );
    }),
  );
});

test('any text is read or broken, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', '*', '/', '(', ')', ',', ' ', 'é')).map((parts) => parts.join('')),
      value,
      async (fields, of) => {
        await expect(partOf(fields, of)).resolves.toBeDefined();
      },
    ),
  );
});
