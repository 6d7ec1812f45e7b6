import { deepFreeze } from '../../src/core/kernel/freeze.ts';
import { isFields, patch, withoutNulls } from '../../src/core/kernel/patch.ts';
import { fc } from '../property.ts';

type Fields = Record<string, unknown>;

/** Few names, so that records and changes meet; with the names that mean something to every object. */
const names = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  '0',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
);
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
const change = body.map(deepFreeze);

const own = (fields: unknown, key: string): unknown =>
  isFields(fields) && Object.hasOwn(fields, key) ? fields[key] : undefined;
const keysOf = (fields: unknown): string[] => (isFields(fields) ? Object.keys(fields) : []);

/** Every object inside a value, itself included. */
function* objectsIn(value: unknown): Generator<Fields> {
  if (isFields(value)) yield value;
  if (isFields(value) || Array.isArray(value))
    for (const part of Object.values(value)) yield* objectsIn(part);
}

/** The same JSON in other objects. */
const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Calls `check` for every field that record or change has, at every depth at which both are objects. */
function atEveryLevel(before: unknown, asked: Fields, after: unknown, check: (at: Levels) => void): void {
  for (const key of new Set([...keysOf(before), ...Object.keys(asked)])) {
    const levels = { old: own(before, key), wanted: own(asked, key), now: own(after, key) };
    check(levels);
    if (isFields(levels.wanted)) atEveryLevel(levels.old, levels.wanted, levels.now, check);
  }
}
interface Levels {
  readonly old: unknown;
  readonly wanted: unknown;
  readonly now: unknown;
}

const always = (check: (before: Fields, asked: Fields, after: Fields | undefined) => void): void =>
  fc.assert(
    fc.property(record, change, (before, asked) => check(before, asked, patch(before, asked))),
    { numRuns: 500 },
  );

describe('a change to a record', () => {
  test('keeps what it does not name, as the same object', () => {
    always((before, asked, after) =>
      atEveryLevel(before, asked, after, ({ old, wanted, now }) => {
        if (wanted === undefined) expect(now).toBe(old);
      }),
    );
  });

  test('clears what it names with null, at every depth', () => {
    always((before, asked, after) =>
      atEveryLevel(before, asked, after, ({ wanted, now }) => {
        if (wanted === null) expect(now).toBeUndefined();
      }),
    );
  });

  test('replaces scalars and whole lists', () => {
    always((before, asked, after) =>
      atEveryLevel(before, asked, after, ({ wanted, now }) => {
        if (wanted === undefined || wanted === null || isFields(wanted)) return;
        expect(JSON.stringify(now)).toBe(JSON.stringify(withoutNulls(wanted)));
      }),
    );
  });

  test('merges objects field by field, whatever stood there before', () => {
    always((before, asked, after) =>
      atEveryLevel(before, asked, after, ({ old, wanted, now }) => {
        if (!isFields(wanted)) return;
        const expected = new Set([...keysOf(old), ...Object.keys(wanted)]);
        for (const key of keysOf(now)) expect(expected).toContain(key);
        if (now !== undefined) expect(isFields(now)).toBe(true);
      }),
    );
  });

  test('gives the very same object when it is applied again', () => {
    always((_before, asked, after) => expect(patch(after, asked)).toBe(after));
  });

  test('that changes nothing gives back the very same record', () => {
    always((before, _asked, after) => {
      expect(patch(before, before)).toBe(before);
      expect(patch(before, {})).toBe(before);
      expect(patch(before, copyOf(before))).toBe(before);
      if (after !== undefined) expect(patch(after, copyOf(after))).toBe(after);
    });
  });

  test('differs from a change without effect', () => {
    always((before, _asked, after) => {
      const same = keysOf(after).length === 0 ? keysOf(before).length === 0 : equal(before, after);
      expect(after === before).toBe(same);
    });
  });

  test('leaves no null, no undefined and no object without fields in a record', () => {
    always((_before, _asked, after) => {
      for (const fields of objectsIn(after)) {
        for (const part of Object.values(fields)) {
          expect(part ?? 'nothing').not.toBe('nothing');
          if (isFields(part)) expect(Object.keys(part)).not.toHaveLength(0);
        }
      }
    });
  });

  test('never changes a prototype: __proto__ and constructor are names like others', () => {
    always((_before, _asked, after) => {
      for (const fields of objectsIn(after)) expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    });
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
  });

  test('keeps the places of list entries, an empty entry for null', () => {
    expect(patch({}, { list: [1, null, { a: null, b: 2 }, [null]] })).toStrictEqual({
      list: [1, {}, { b: 2 }, [{}]],
    });
  });
});

/** Equality of JSON, whatever the order of fields. */
function equal(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((entry, index) => equal(entry, b[index]));
  }
  if (!isFields(a) || !isFields(b)) return a === b;
  return (
    keysOf(a).length === keysOf(b).length &&
    keysOf(a).every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}

describe('a body sent as JSON', () => {
  const sent = (json: string): unknown => deepFreeze(JSON.parse(json));

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
    expect(patch(nested, sent('{"map":{"__proto__":null,"constructor":null}}'))).toStrictEqual({
      map: { k: 'v' },
    });
  });

  test('does not see inherited names as stored ones: removing toString from a map changes nothing', () => {
    const before = sent('{"map":{"k":"v"}}');
    expect(patch(before, sent('{"map":{"toString":null,"constructor":{},"__proto__":{}}}'))).toBe(before);
  });

  test('gives no record at all once everything is cleared', () => {
    expect(patch(sent('{"a":{"b":"c"}}'), sent('{"a":{"b":null}}'))).toBeUndefined();
    expect(patch(sent('{"a":1}'), null)).toBeUndefined();
    expect(patch(sent('{"a":1}'), undefined)).toStrictEqual({ a: 1 });
  });
});
