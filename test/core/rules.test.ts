import fc from 'fast-check';
import { patch } from '../../src/core/patch.ts';
import {
  applyRules, type FieldChange, type FieldRules, type RuleInput,
} from '../../src/core/rules.ts';

/** A resource of these tests' own, with every class of field and every kind of nesting. */
const rules = {
  id: 'immutable',
  etag: 'readOnly',
  maker: 'readOnly',
  'maker.name': 'readOnly',
  origin: 'immutable',
  'origin.zone': 'immutable',
  origins: 'shared',
  title: 'shared',
  color: 'copy',
  hint: 'request',
  box: 'shared',
  'box.width': 'shared',
  'box.serial': 'readOnly',
  'box.lid': 'shared',
  'box.lid.color': 'copy',
  'box.lid.tags': 'copy',
  'box.lid.tags.*': 'copy',
  map: 'shared',
  'map.*': 'shared',
  'words[]': 'shared',
  'guests[]': 'shared',
  'guests[].email': 'shared',
  'guests[].answer': 'own',
  'guests[].room': 'once',
  'guests[].self': 'readOnly',
  'plain[]': 'shared',
  'plain[].text': 'shared',
} as const satisfies FieldRules;

const emailOf = ({ email }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof email === 'string' ? email.toLowerCase() : undefined;

const apply = (seen: object, change: object, rest: Partial<RuleInput> = {}) =>
  applyRules({
    rules,
    entryKeys: { 'guests[]': emailOf },
    creating: false,
    seen: seen as RuleInput['seen'],
    change: change as RuleInput['change'],
    path: ['event'],
    permit: () => undefined,
    ...rest,
  });

const nothing = { change: {}, issues: [], refusals: [], warnings: [] };

describe('a read-only field', () => {
  test('is ignored, with a warning when it differs, at every depth', () => {
    const seen = { etag: '1', maker: { name: 'Ada' }, box: { serial: 7 } };
    const { change, warnings, issues, refusals } = apply(seen, { etag: '2', maker: { name: 'Eve' }, box: { serial: 8 } });
    expect(patch(seen, change)).toBe(seen);
    expect(warnings.map(({ path, reason }) => [path, reason])).toEqual([
      [['event', 'etag'], 'readOnly'],
      [['event', 'maker'], 'readOnly'],
      [['event', 'box', 'serial'], 'readOnly'],
    ]);
    expect([...issues, ...refusals]).toEqual([]);
  });

  test('sent back as it is gives no warning', () => {
    const seen = { etag: '1', maker: { name: 'Ada' } };
    expect(apply(seen, { etag: '1', maker: { name: 'Ada' } })).toEqual(nothing);
    expect(apply(seen, { maker: {} })).toEqual(nothing);
    expect(apply({}, { etag: null })).toEqual(nothing);
  });

  test('cannot be cleared', () => {
    const { change, warnings } = apply({ etag: '1' }, { etag: null });
    expect([change, warnings.length]).toEqual([{}, 1]);
  });
});

describe('an immutable field', () => {
  test('may be given while the resource is made', () => {
    const change = { id: 'chosen', origin: { zone: 'Europe/Berlin' } };
    expect(apply({}, change, { creating: true })).toEqual({ ...nothing, change });
  });

  test('may be sent again as it is, and is not part of the change', () => {
    expect(apply({ id: 'a', origin: { zone: 'UTC' } }, { id: 'a', origin: { zone: 'UTC' } })).toEqual(nothing);
  });

  test.each([[{ id: 'b' }, 'id'], [{ id: null }, 'id'], [{ origin: { zone: 'CET' } }, 'origin'], [{ origin: null }, 'origin']])(
    'changed by %j is an issue',
    (change, field) => {
      const { issues, change: left } = apply({ id: 'a', origin: { zone: 'UTC' } }, change);
      expect(issues.map(({ path, reason }) => [path, reason])).toEqual([[['event', field], 'immutable']]);
      expect(left).toEqual({});
    },
  );
});

describe('a field that is the resource’s to permit', () => {
  test('is asked for with its class, its rule and both values', () => {
    const asked: FieldChange[] = [];
    const permit = (change: FieldChange) => void asked.push(change);
    const seen = { title: 'old', box: { width: 1 }, words: ['a'] };
    const change = { title: 'new', color: null, box: { width: 2, lid: { color: 'red' } }, words: null, map: { k: 'v' } };
    apply(seen, change, { permit });
    expect(asked).toEqual([
      { rule: 'shared', field: 'title', before: 'old', change: 'new' },
      { rule: 'shared', field: 'box.width', before: 1, change: 2 },
      { rule: 'copy', field: 'box.lid.color', before: undefined, change: 'red' },
      { rule: 'shared', field: 'words[]', before: ['a'], change: null },
      { rule: 'shared', field: 'map', before: undefined, change: { k: 'v' } },
    ]);
  });

  test('that is refused is reported with its path and left out; the others stay', () => {
    const permit = ({ rule }: FieldChange) => (rule === 'copy' ? { reason: 'forbidden', message: 'no' } as const : undefined);
    const { change, refusals } = apply({}, { title: 'new', color: '1', box: { lid: { color: 'red' }, width: 1 } }, { permit });
    expect(change).toEqual({ title: 'new', box: { lid: {}, width: 1 } });
    expect(refusals).toEqual([
      { path: ['event', 'color'], reason: 'forbidden', message: 'no' },
      { path: ['event', 'box', 'lid', 'color'], reason: 'forbidden', message: 'no' },
    ]);
  });

  test('is never asked for, and never refused, when it stays as it is', () => {
    const permit = () => ({ reason: 'forbidden', message: 'no' } as const);
    const seen = { title: 'old', words: ['a'], map: { k: 'v' }, box: { lid: { tags: { a: 'b' } } }, color: '1' };
    expect(apply(seen, seen, { permit })).toMatchObject({ refusals: [], warnings: [], issues: [] });
    expect(patch(seen, apply(seen, seen, { permit }).change)).toBe(seen);
    expect(apply(seen, { map: { gone: null }, box: { width: null } }, { permit }).refusals).toEqual([]);
  });

  test('sees inherited names as absent: a field named like one of them was never set', () => {
    const asked: FieldChange[] = [];
    applyRules({
      rules: { constructor: 'shared' } as FieldRules, entryKeys: {}, creating: false, seen: {}, path: [],
      change: { constructor: 'x' }, permit: (change) => void asked.push(change),
    });
    expect(asked).toEqual([{ rule: 'shared', field: 'constructor', before: undefined, change: 'x' }]);
  });
});

describe('a field of the request', () => {
  test('passes as it is, unasked', () => {
    const permit = () => ({ reason: 'forbidden', message: 'no' } as const);
    expect(apply({ hint: true }, { hint: true }, { permit })).toEqual({ ...nothing, change: { hint: true } });
  });
});

describe('null for an object', () => {
  const seen = { box: { width: 1, serial: 7, lid: { color: 'red', tags: { a: 'b' } } }, title: 'kept' };

  test('clears its fields and keeps those the server sets', () => {
    const { change } = apply(seen, { box: null });
    expect(patch(seen, change)).toEqual({ box: { serial: 7 }, title: 'kept' });
  });

  test('clears it altogether when nothing has to stay', () => {
    const { serial: _serial, ...box } = seen.box;
    const before = { ...seen, box };
    expect(patch(before, apply(before, { box: null }).change)).toEqual({ title: 'kept' });
  });

  test('keeps, however deep, what the caller may not clear, and says so', () => {
    const permit = ({ rule }: FieldChange) => (rule === 'copy' ? { reason: 'forbidden', message: 'no' } as const : undefined);
    const { change, refusals } = apply(seen, { box: null }, { permit });
    expect(patch(seen, change)).toEqual({ box: { serial: 7, lid: seen.box.lid }, title: 'kept' });
    expect(refusals.map(({ path }) => path.join('.'))).toEqual(['event.box.lid.color', 'event.box.lid.tags']);
  });

  test('of which nothing is set is no change', () => {
    expect(patch(seen, apply({ title: 'kept' }, { box: null }).change)).toBeDefined();
    expect(apply({ title: 'kept' }, { box: null })).toMatchObject({ refusals: [], warnings: [] });
  });
});

describe('an entry of a list', () => {
  const seen = { guests: [{ email: 'ada@example.com', room: true, self: true }, { email: 'eve@example.com' }] };

  test('keeps what was set once and what the server sets, with a warning where it was to change', () => {
    const guests = [{ email: 'ADA@example.com', room: false, self: false, answer: 'yes' }, { email: 'eve@example.com', room: true }];
    const { change, warnings } = apply(seen, { guests });
    expect(change.guests).toEqual([{ email: 'ADA@example.com', room: true, self: true, answer: 'yes' }, { email: 'eve@example.com' }]);
    expect(warnings.map(({ path, reason }) => [path.join('.'), reason])).toEqual([
      ['event.guests.0.room', 'ignored'],
      ['event.guests.0.self', 'readOnly'],
      ['event.guests.1.room', 'ignored'],
    ]);
  });

  test('left short gets them back without a warning, and then is no change', () => {
    const guests = [{ email: 'ada@example.com' }, { email: 'eve@example.com' }];
    expect(apply(seen, { guests })).toEqual(nothing);
  });

  test('keeps them when the list is put in another order', () => {
    const { change, warnings } = apply(seen, { guests: [{ email: 'eve@example.com' }, { email: 'ada@example.com' }] });
    expect([change.guests, warnings]).toEqual([[seen.guests[1], seen.guests[0]], []]);
  });

  test('that is new sets what is set once, and nothing the server sets', () => {
    const { change, warnings } = apply(seen, { guests: [{ email: 'new@example.com', room: true, self: true }] });
    expect(change.guests).toEqual([{ email: 'new@example.com', room: true }]);
    expect(warnings.map(({ path }) => path.join('.'))).toEqual(['event.guests.0.self']);
  });

  test('without a key is a new one each time', () => {
    const stored = { guests: [{ name: 'Ada', room: true }] };
    expect(apply(stored, { guests: [{ name: 'Ada', room: false }] })).toMatchObject({
      change: { guests: [{ name: 'Ada', room: false }] }, warnings: [],
    });
    const { change } = apply(stored, { guests: [{ email: 'x', room: true }] }, { entryKeys: {} });
    expect(change.guests).toEqual([{ email: 'x', room: true }]);
  });

  test('of a list without such fields, or of texts, passes whole', () => {
    const change = { plain: [{ text: 'a' }], words: ['b'] };
    expect(apply({ plain: [{ text: 'x' }] }, change).change).toEqual(change);
  });

  test('is gone when the list is cleared', () => {
    expect(apply(seen, { guests: null }).change).toEqual({ guests: null });
    expect(apply({}, { guests: null }).change).toEqual({});
  });
});

test('an absent field is no change, also where it is given as undefined', () => {
  expect(apply({ id: 'a', etag: 'b', title: 'c' }, { id: undefined, etag: undefined, title: undefined })).toEqual(nothing);
});

test('a field without a rule is a mistake of the server, never passed on', () => {
  expect(() => apply({}, { forgotten: 1 })).toThrow('no rule for the field forgotten');
  expect(() => apply({}, { box: { forgotten: 1 } })).toThrow('no rule for the field box.forgotten');
});

test('what a caller may not change stays as it is, whatever the change', () => {
  const text = fc.option(fc.constantFrom('a', 'b'), { nil: null });
  const body = fc.record(
    {
      id: text, etag: text, title: text, color: text,
      box: fc.option(fc.record({ width: fc.option(fc.nat(2)), serial: fc.option(fc.nat(2)), lid: fc.option(fc.record({ color: text })) },
        { requiredKeys: [] })),
      map: fc.option(fc.dictionary(fc.constantFrom('k', '__proto__', 'constructor'), text)),
    },
    { requiredKeys: [] },
  );
  const permit = ({ rule }: FieldChange) => (rule === 'copy' ? { reason: 'forbidden', message: 'no' } as const : undefined);
  fc.assert(
    fc.property(body, body, (stored, asked) => {
      const seen = (patch({}, stored) ?? {}) as Record<string, unknown>;
      const after = (patch(seen, apply(seen, asked, { permit }).change) ?? {});
      const kept = (fields: Record<string, unknown>) => {
        const box = fields.box as { serial?: number; lid?: { color?: string } } | undefined;
        return [fields.id, fields.etag, fields.color, box?.serial, box?.lid?.color];
      };
      expect(kept(after)).toEqual(kept(seen));
      expect(after.title).toBe((asked.title === undefined ? seen.title : asked.title) ?? undefined);
    }),
    { numRuns: 500 },
  );
});
