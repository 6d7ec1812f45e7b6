import { deepFreeze, isFields, patch, withoutNulls } from '../../../src/core/patch.ts';
import { fc } from '../../property.ts';

type Fields = Record<string, unknown>;

/** What a client sends and what a store holds: JSON, and nobody may write to it. */
const sent = (json: string): unknown => deepFreeze(JSON.parse(json));

describe('a patch', () => {
  const before = sent(
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
  ])('%s: %s', (_what, change, expected) => {
    const result = JSON.parse(JSON.stringify({ ...before, ...expected }));
    expect(patch(before, sent(change))).toStrictEqual(result);
  });

  test('takes -0 for 0, as JSON writes it: storing it and sending it again is no change', () => {
    const zero = sent('{"minutes":0,"list":[0,{"minutes":0}]}');
    expect(patch(zero, sent('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toBe(zero);
    expect(patch({}, sent('{"minutes":-0,"list":[-0,{"minutes":-0}]}'))).toStrictEqual(zero);
  });

  test('keeps the places of list entries, an empty entry for null', () => {
    expect(patch({}, { list: [1, null, { a: null, b: 2 }, [null]] })).toStrictEqual({
      list: [1, {}, { b: 2 }, [{}]],
    });
  });

  test('cannot reach a prototype through __proto__, and may remove that key again', () => {
    const added = patch(
      sent('{"map":{"k":"v"}}'),
      sent('{"map":{"__proto__":"text","constructor":{"prototype":{"polluted":"1"}}}}'),
    );
    expect(JSON.stringify(added)).toBe(
      '{"map":{"k":"v","__proto__":"text","constructor":{"prototype":{"polluted":"1"}}}}',
    );
    const nested = patch(added, sent('{"map":{"__proto__":{"polluted":"1"}}}'));
    expect(JSON.stringify(nested)).toContain('"__proto__":{"polluted":"1"}');
    expect(({} as Fields).polluted).toBeUndefined();
    const removed = patch(nested, sent('{"map":{"__proto__":null,"constructor":null}}'));
    expect(removed).toStrictEqual({ map: { k: 'v' } });
  });

  test('does not see inherited names as stored ones: removing toString from a map changes nothing', () => {
    const map = sent('{"map":{"k":"v"}}');
    expect(patch(map, sent('{"map":{"toString":null,"constructor":{},"__proto__":{}}}'))).toBe(map);
  });

  test('gives no record at all once everything is cleared', () => {
    expect(patch(sent('{"a":{"b":"c"}}'), sent('{"a":{"b":null}}'))).toBeUndefined();
    expect(patch(sent('{"a":1}'), null)).toBeUndefined();
    expect(patch(sent('{"a":1}'), undefined)).toStrictEqual({ a: 1 });
  });
});

describe('any patch of any record', () => {
  /** Few names, so that records and changes meet; with the names that mean something to every object. */
  const objectNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const names = fc.constantFrom('a', 'b', 'c', '', '0', ...objectNames);
  const scalars = fc.oneof(fc.constantFrom('', 'x', 'y'), fc.integer({ min: 0, max: 2 }), fc.boolean());

  /** Any JSON body; with undefined too, which is how a resolver may say absent. */
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
  /** A record as a store holds it: nothing cleared in it, and nobody may write to it. */
  const record = body.map((fields) => deepFreeze(withoutNulls(fields) as Fields));
  const always = (check: (before: Fields, asked: Fields, after: Fields | undefined) => void): void =>
    fc.assert(
      fc.property(record, body.map(deepFreeze), (before, asked) =>
        check(before, asked, patch(before, asked)),
      ),
      { numRuns: 500 },
    );

  const own = (fields: unknown, key: string): unknown =>
    isFields(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined;
  const keysOf = (fields: unknown): string[] => (isFields(fields) ? Object.keys(fields) : []);

  /** Every object inside a value, itself included. */
  function* objectsIn(value: unknown): Generator<Fields> {
    if (isFields(value)) yield value;
    if (isFields(value) || Array.isArray(value))
      for (const part of Object.values(value)) yield* objectsIn(part);
  }

  /** Equality of JSON, whatever the order of fields. */
  function equal(a: unknown, b: unknown): boolean {
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length && a.every((entry, index) => equal(entry, b[index]));
    if (!isFields(a) || !isFields(b)) return a === b;
    const keys = keysOf(a);
    return (
      keys.length === keysOf(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
    );
  }

  function expectMerged(before: unknown, asked: Fields, after: unknown): void {
    for (const key of new Set([...keysOf(before), ...Object.keys(asked)])) {
      const [old, wanted, now] = [before, asked, after].map((fields) => own(fields, key));
      if (wanted === undefined) expect(now).toBe(old);
      else if (wanted === null) expect(now).toBeUndefined();
      else if (!isFields(wanted)) expect(JSON.stringify(now)).toBe(JSON.stringify(withoutNulls(wanted)));
      else {
        expect([...keysOf(old), ...Object.keys(wanted)]).toEqual(expect.arrayContaining(keysOf(now)));
        if (now !== undefined) expect(isFields(now)).toBe(true);
        expectMerged(old, wanted, now);
      }
    }
  }

  test('keeps what it does not name, clears by null, replaces scalars and lists, and merges objects, at every depth', () =>
    always(expectMerged));

  test('gives the very same object when it is applied again', () =>
    always((_before, asked, after) => expect(patch(after, asked)).toBe(after)));

  test('gives back the very same record exactly where it changes nothing', () =>
    always((before, _asked, after) => {
      const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      for (const same of [before, {}, copyOf(before)]) expect(patch(before, same)).toBe(before);
      if (after !== undefined) expect(patch(after, copyOf(after))).toBe(after);
      const isSame = keysOf(after).length === 0 ? keysOf(before).length === 0 : equal(before, after);
      expect(after === before).toBe(isSame);
    }));

  test('leaves no null, no undefined, no object without fields and no other prototype in a record', () => {
    always((_before, _asked, after) => {
      for (const fields of objectsIn(after)) {
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
