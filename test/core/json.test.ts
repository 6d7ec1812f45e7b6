import { deepFreeze, frozenCopy, isFields, patch, withoutNulls } from '../../src/core/json.ts';
import { fc } from '../property.ts';

type Fields = Record<string, unknown>;

/** Parses JSON to a frozen value. */
const parseFrozen = (json: string): unknown => deepFreeze(JSON.parse(json));

test('a frozen copy equals its value, keeps frozen parts, and keeps a part that occurs twice a single object', () => {
  const frozenPart = deepFreeze({ deep: [1] });
  const sharedPart = { tag: 'a' };
  const value = {
    ...(JSON.parse('{"__proto__":{"k":"v"}}') as Fields),
    frozenPart,
    list: [sharedPart],
    twice: sharedPart,
  };
  const copy = frozenCopy(value);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
  expect([copy, ...Object.values(copy)].every(Object.isFrozen)).toBe(true);
  expect(copy.frozenPart).toBe(frozenPart);
  expect(copy.list[0]).toBe(copy.twice);
  expect(Object.isFrozen(value.twice)).toBe(false);
  expect(frozenCopy(copy)).toBe(copy);
});

describe('a patch', () => {
  const storedRecord = parseFrozen(
    '{"title":"old","box":{"width":1,"lid":{"color":"red"}},"list":[{"a":1},{"b":2}],"map":{"k":"v","l":"w"}}',
  ) as object;

  test.each<[string, string, object]>([
    ['keeps what is absent', '{}', {}],
    ['replaces a text', '{"title":"new"}', { title: 'new' }],
    ['clears with null', '{"title":null}', { title: undefined }],
    ['keeps the empty text', '{"title":""}', { title: '' }],
    ['merges an object field by field', '{"box":{"width":2}}', { box: { width: 2, lid: { color: 'red' } } }],
    ['drops an object that lost its last field', '{"box":{"lid":{"color":null}}}', { box: { width: 1 } }],
    ['merges a map per key', '{"map":{"k":null,"m":"x"}}', { map: { l: 'w', m: 'x' } }],
    ['replaces a list as a whole', '{"list":[{"a":9}]}', { list: [{ a: 9 }] }],
    ['keeps the empty list as a value', '{"list":[]}', { list: [] }],
    ['leaves nulls out of entries', '{"list":[{"a":null,"c":{"d":null}}]}', { list: [{}] }],
    ['adds what was never there', '{"new":{"deep":{"er":false}}}', { new: { deep: { er: false } } }],
    ['adds nothing that is empty', '{"new":{"deep":{"er":null}},"other":{}}', {}],
    ['replaces an object by a text', '{"box":"flat"}', { box: 'flat' }],
    ['replaces a text by an object', '{"title":{"en":"x"}}', { title: { en: 'x' } }],
  ])('%s: %s', (_case, change, expected) => {
    const expectedRecord = JSON.parse(JSON.stringify({ ...storedRecord, ...expected }));
    expect(patch(storedRecord, parseFrozen(change))).toStrictEqual(expectedRecord);
  });

  test('treats -0 as 0, so that sending it again is no change', () => {
    const zero = parseFrozen('{"minutes":0,"list":[0,{"minutes":0}]}');
    expect(patch(zero, parseFrozen('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toBe(zero);
    expect(patch({}, parseFrozen('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toStrictEqual(zero);
  });

  test('keeps the indexes of list entries, with an empty entry for null', () => {
    expect(patch({}, { list: [1, null, { a: null, b: 2 }, [null]] })).toStrictEqual({
      list: [1, {}, { b: 2 }, [{}]],
    });
  });

  test('cannot reach a prototype through __proto__, and may remove that key again', () => {
    const entries = '"__proto__":"text","constructor":{"prototype":{"polluted":"1"}}';
    const added = patch(parseFrozen('{"map":{"k":"v"}}'), parseFrozen(`{"map":{${entries}}}`));
    expect(JSON.stringify(added)).toBe(`{"map":{"k":"v",${entries}}}`);
    const nested = patch(added, parseFrozen('{"map":{"__proto__":{"polluted":"1"}}}'));
    expect(JSON.stringify(nested)).toContain('"__proto__":{"polluted":"1"}');
    expect(({} as Fields).polluted).toBeUndefined();
    const removed = patch(nested, parseFrozen('{"map":{"__proto__":null,"constructor":null}}'));
    expect(removed).toStrictEqual({ map: { k: 'v' } });
  });

  test('ignores inherited names: removing toString from a map changes nothing', () => {
    const recordWithMap = parseFrozen('{"map":{"k":"v"}}');
    expect(
      patch(recordWithMap, parseFrozen('{"map":{"toString":null,"constructor":{},"__proto__":{}}}')),
    ).toBe(recordWithMap);
  });

  test('returns undefined once everything is cleared', () => {
    expect(patch(parseFrozen('{"a":{"b":"c"}}'), parseFrozen('{"a":{"b":null}}'))).toBeUndefined();
    expect(patch(parseFrozen('{"a":1}'), null)).toBeUndefined();
    expect(patch(parseFrozen('{"a":1}'), undefined)).toStrictEqual({ a: 1 });
  });
});

describe('a random patch of a random record', () => {
  /** Names of properties that every object inherits. */
  const objectNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  // Few names, so that the fields of records and patches overlap.
  const names = fc.constantFrom('a', 'b', 'c', '', '0', ...objectNames);
  const scalars = fc.oneof(fc.constantFrom('', 'x', 'y'), fc.integer({ min: 0, max: 2 }), fc.boolean());

  /** Any JSON body, also with undefined, which means absent. */
  const { body } = fc.letrec<{ body: Fields; value: unknown }>((tie) => ({
    body: fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      scalars,
      fc.constantFrom(null, undefined),
      fc.array(fc.oneof(scalars, fc.constant(null), tie('body')), { maxLength: 3 }),
      tie('body'),
    ),
  }));
  /** A record as stored: without nulls, and frozen. */
  const recordArbitrary = body.map((fields) => deepFreeze(withoutNulls(fields) as Fields));
  const checkRandomPatches = (
    check: (before: Fields, change: Fields, after: Fields | undefined) => void,
  ): void =>
    fc.assert(
      fc.property(recordArbitrary, body.map(deepFreeze), (before, change) =>
        check(before, change, patch(before, change)),
      ),
      { numRuns: 500 },
    );

  const readOwnValue = (fields: unknown, key: string): unknown =>
    isFields(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined;
  const keysOf = (fields: unknown): string[] => (isFields(fields) ? Object.keys(fields) : []);

  /** Yields every object inside a value, including itself. */
  function* listObjectsIn(value: unknown): Generator<Fields> {
    if (isFields(value)) yield value;
    if (isFields(value) || Array.isArray(value))
      for (const part of Object.values(value)) yield* listObjectsIn(part);
  }

  /** Compares JSON values, ignoring the order of fields. */
  function isEqualJson(a: unknown, b: unknown): boolean {
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length && a.every((entry, index) => isEqualJson(entry, b[index]));
    if (!isFields(a) || !isFields(b)) return a === b;
    const keys = keysOf(a);
    return (
      keys.length === keysOf(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key], b[key]))
    );
  }

  function expectMerged(before: unknown, change: Fields, after: unknown): void {
    for (const key of new Set([...keysOf(before), ...Object.keys(change)])) {
      const [oldValue, sentValue, newValue] = [before, change, after].map((fields) =>
        readOwnValue(fields, key),
      );
      if (sentValue === undefined) expect(newValue).toBe(oldValue);
      else if (sentValue === null) expect(newValue).toBeUndefined();
      else if (!isFields(sentValue))
        expect(JSON.stringify(newValue)).toBe(JSON.stringify(withoutNulls(sentValue)));
      else {
        expect([...keysOf(oldValue), ...Object.keys(sentValue)]).toEqual(
          expect.arrayContaining(keysOf(newValue)),
        );
        if (newValue !== undefined) expect(isFields(newValue)).toBe(true);
        expectMerged(oldValue, sentValue, newValue);
      }
    }
  }

  test('keeps absent fields, clears by null, replaces scalars and lists, and merges objects, at every depth', () =>
    checkRandomPatches(expectMerged));

  test('returns the same object when it is applied again', () =>
    checkRandomPatches((_before, change, after) => expect(patch(after, change)).toBe(after)));

  test('returns the same record if and only if nothing changes', () =>
    checkRandomPatches((before, _change, after) => {
      const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      for (const equalValue of [before, {}, copyOf(before)]) expect(patch(before, equalValue)).toBe(before);
      if (after !== undefined) expect(patch(after, copyOf(after))).toBe(after);
      const isSame = keysOf(after).length === 0 ? keysOf(before).length === 0 : isEqualJson(before, after);
      expect(after === before).toBe(isSame);
    }));

  test('leaves no null, no undefined, no object without fields and no other prototype in a record', () => {
    checkRandomPatches((_before, _change, after) => {
      for (const fields of listObjectsIn(after)) {
        expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
        for (const part of Object.values(fields)) {
          expect(part ?? 'nothing').not.toBe('nothing');
          if (isFields(part)) expect(Object.keys(part)).not.toHaveLength(0);
        }
      }
    });
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
  });
});
