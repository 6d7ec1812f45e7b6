import { requestRecord } from '../../../src/core/request-record.ts';
import { anyCharacter, fc } from '../../property.ts';

const now = Date.UTC(2030, 0, 1);
const record = (args: object, operation = 'insertEvent', key = 'ada') =>
  requestRecord(operation, { key }, { requestId: 'r1', ...args }, () => now);

describe('the record of a request', () => {
  test('is the same for the same input, however the keys of its objects are ordered', () => {
    const event = { summary: 'x', map: { a: '1', b: '2', c: '' }, list: [{ p: 1, q: 2 }] };
    const reordered = { list: [{ q: 2, p: 1 }], map: { c: '', b: '2', a: '1' }, summary: 'x' };
    expect(record({ event: reordered, calendarId: 'c' })).toEqual(record({ calendarId: 'c', event }));
    expect(record({ a: 1, b: undefined })).toEqual(record({ a: 1 }));
    expect(record({ event: { summary: null } })).toEqual(record({ event: {} }));
    expect(record({ a: 1, validateOnly: true })).toEqual(record({ a: 1, validateOnly: false }));
  });

  test.each<[string, object, object]>([
    ['another value', { event: { summary: 'x' } }, { event: { summary: 'y' } }],
    ['another order in a list', { list: ['a', 'b'] }, { list: ['b', 'a'] }],
    ['a number instead of its text', { map: { a: 1 } }, { map: { a: '1' } }],
    ['a key that every object inherits', JSON.parse('{"__proto__":"a"}'), JSON.parse('{"__proto__":"b"}')],
    ['a list instead of an object', { a: [] }, { a: {} }],
  ])('has another fingerprint with %s', (_what, one, other) => {
    expect(record(one)?.fingerprint).not.toBe(record(other)?.fingerprint);
    expect(record(one)?.key).toBe(record(other)?.key);
  });

  test('belongs to one caller, operation and request id, whatever characters they are made of', () => {
    const part = fc.oneof(
      fc.constantFrom('', '"', ',', '","', '\\', '[]'),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    );
    const parts = fc.tuple(part, part, part);
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const keyOf = ([sub, operation, requestId]: [string, string, string]) =>
          record({ requestId }, operation, sub)?.key;
        expect(keyOf(a) === keyOf(b)).toBe(a.every((text, index) => text === b[index]));
      }),
    );
  });

  test('has a key of the same size whatever it is made of', () => {
    for (const requestId of ['', '\u0000\ud800', '🙂'.repeat(256)])
      expect(record({ requestId })?.key).toMatch(/^[\w-]{43}$/);
  });
});
