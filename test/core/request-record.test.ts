import { createRequestRecord } from '../../src/core/request-record.ts';
import { anyCharacter, fc } from '../property.ts';

const now = Date.UTC(2030, 0, 1);
const createRecord = (args: object, operation = 'insertEvent', key = 'ada') =>
  createRequestRecord(operation, { key }, { requestId: 'r1', ...args }, () => now);

describe('createRequestRecord', () => {
  test('returns an equal record for the same input, in any order of object keys', () => {
    const event = { summary: 'x', map: { a: '1', b: '2', c: '' }, list: [{ p: 1, q: 2 }] };
    const reordered = { list: [{ q: 2, p: 1 }], map: { c: '', b: '2', a: '1' }, summary: 'x' };
    expect(createRecord({ event: reordered, calendarId: 'c' })).toEqual(
      createRecord({ calendarId: 'c', event }),
    );
    expect(createRecord({ a: 1, b: undefined })).toEqual(createRecord({ a: 1 }));
    expect(createRecord({ event: { summary: null } })).toEqual(createRecord({ event: {} }));
    expect(createRecord({ a: 1, validateOnly: true })).toEqual(createRecord({ a: 1, validateOnly: false }));
  });

  test.each<[string, object, object]>([
    ['another value', { event: { summary: 'x' } }, { event: { summary: 'y' } }],
    ['another order in a list', { list: ['a', 'b'] }, { list: ['b', 'a'] }],
    ['a number instead of its text', { map: { a: 1 } }, { map: { a: '1' } }],
    ['a key that every object inherits', JSON.parse('{"__proto__":"a"}'), JSON.parse('{"__proto__":"b"}')],
    ['a list instead of an object', { a: [] }, { a: {} }],
  ])('returns another fingerprint with %s', (_case, firstArgs, other) => {
    expect(createRecord(firstArgs)?.fingerprint).not.toBe(createRecord(other)?.fingerprint);
    expect(createRecord(firstArgs)?.key).toBe(createRecord(other)?.key);
  });

  test('returns a different key for each caller, operation and request id, of any characters', () => {
    const anyText = fc.oneof(
      fc.constantFrom('', '"', ',', '","', '\\', '[]'),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    );
    const anyTexts = fc.tuple(anyText, anyText, anyText);
    fc.assert(
      fc.property(anyTexts, anyTexts, (texts, otherTexts) => {
        const keyOf = ([callerKey, operation, requestId]: [string, string, string]) =>
          createRecord({ requestId }, operation, callerKey)?.key;
        expect(keyOf(texts) === keyOf(otherTexts)).toBe(
          texts.every((text, index) => text === otherTexts[index]),
        );
      }),
    );
  });

  test('returns a key of the same size for any request id', () => {
    for (const requestId of ['', '\u0000\ud800', '🙂'.repeat(256)])
      expect(createRecord({ requestId })?.key).toMatch(/^[\w-]{43}$/);
  });
});
