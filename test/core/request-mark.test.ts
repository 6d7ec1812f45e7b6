import fc from 'fast-check';
import { requestIdIssues, requestIdReused, requestMark } from '../../src/core/request-mark.ts';

const now = Date.UTC(2030, 0, 1);
const day = 24 * 60 * 60 * 1000;
const mark = (args: object, operation = 'insertEvent', key = 'ada') =>
  requestMark(operation, { key }, { requestId: 'r1', ...args }, () => now);

describe('the mark of a request', () => {
  test('is not made without a request id', () => {
    for (const args of [{}, { requestId: undefined }, { requestId: null }]) {
      expect(requestMark('insertEvent', { key: 'ada' }, args, () => now)).toBeUndefined();
    }
  });

  test('lasts 24 hours', () => expect(mark({})?.until).toBe(now + day));

  test('is the same for the same input, however the keys of its objects are ordered', () => {
    const first = mark({ calendarId: 'c', event: { summary: 'x', map: { a: '1', b: '2', c: '' }, list: [{ p: 1, q: 2 }] } });
    const second = mark({ event: { list: [{ q: 2, p: 1 }], map: { c: '', b: '2', a: '1' }, summary: 'x' }, calendarId: 'c' });
    expect(second).toEqual(first);
    expect(mark({ a: 1, b: undefined })).toEqual(mark({ a: 1 }));
    expect(mark({ event: { summary: null } })).toEqual(mark({ event: {} }));
    expect(mark({ a: 1, validateOnly: true })).toEqual(mark({ a: 1, validateOnly: false }));
  });

  test.each<[string, object, object]>([
    ['another value', { event: { summary: 'x' } }, { event: { summary: 'y' } }],
    ['another order in a list', { list: ['a', 'b'] }, { list: ['b', 'a'] }],
    ['a number instead of its text', { map: { a: 1 } }, { map: { a: '1' } }],
    ['a map key that every object inherits', JSON.parse('{"map":{"__proto__":"a"}}'), JSON.parse('{"map":{"__proto__":"b"}}')],
    ['a list instead of an object', { a: [] }, { a: {} }],
  ])('has another fingerprint with %s', (_what, one, other) => {
    expect(mark(one)?.fingerprint).not.toBe(mark(other)?.fingerprint);
    expect(mark(one)?.key).toBe(mark(other)?.key);
  });

  test('does not count the request id as input', () => {
    expect(mark({ requestId: 'r2', a: 1 })?.fingerprint).toBe(mark({ a: 1 })?.fingerprint);
  });

  test('belongs to one caller, operation and request id, whatever characters they are made of', () => {
    const part = fc.oneof(fc.constantFrom('', '"', ',', '","', '\\', '[]'), fc.string({ unit: 'binary', maxLength: 4 }));
    const parts = fc.tuple(part, part, part);
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const keyOf = ([key, operation, requestId]: [string, string, string]) => mark({ requestId }, operation, key)?.key;
        expect(keyOf(a) === keyOf(b)).toBe(a.every((text, index) => text === b[index]));
      }),
    );
  });

  test('can be stored as text anywhere, with a request id of half characters and U+0000', () => {
    const key = mark({ requestId: '\u0000\ud800' })?.key ?? '';
    expect(Buffer.from(key, 'utf8').toString('utf8')).toBe(key);
    expect(key).not.toContain('\u0000');
  });
});

describe('a request id', () => {
  test.each([undefined, null, 'a', ' ', 'a'.repeat(255), 'a'.repeat(256)])('%j is fine', (id) => {
    expect(requestIdIssues(id)).toEqual([]);
  });

  test('must not be empty', () => {
    expect(requestIdIssues('')).toMatchObject([{ path: ['requestId'], reason: 'invalid' }]);
  });

  test('has at most 256 characters', () => {
    expect(requestIdIssues('a'.repeat(257))).toMatchObject([{ path: ['requestId'], reason: 'tooLong' }]);
  });

  test('of another input is a conflict that says what to do', () => {
    expect(requestIdReused()).toMatchObject({ code: 'CONFLICT', reason: 'requestIdReused', issues: [{ path: ['requestId'] }] });
    expect(requestIdReused().message).toMatch(/new requestId/);
  });
});
