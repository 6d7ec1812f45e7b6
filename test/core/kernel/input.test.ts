import { z } from 'zod';
import { issuesOf, textIssues } from '../../../src/core/kernel/input.ts';
import { anyCharacter, fc } from '../../property.ts';

const reasons = (schema: z.ZodType, value: unknown) =>
  issuesOf(schema, value, ['event']).map(({ path, reason }) => [path.join('.'), reason]);

describe('what is wrong with a value', () => {
  const body = z.object({
    name: z.string().max(3, 'name has at most 3 characters.').optional(),
    list: z.array(z.object({ minutes: z.number().max(40), method: z.enum(['email', 'popup']) })).max(2).optional(),
    map: z.record(z.string(), z.string()).optional(),
  });

  test('is nothing when it keeps all rules', () => {
    expect(issuesOf(body, { name: 'abc', list: [{ minutes: 40, method: 'popup' }, { minutes: 0, method: 'email' }] })).toEqual([]);
  });

  test('is told all at once, each with its path from the argument on', () => {
    const value = { name: 'abcd', list: [{ minutes: 41, method: 'popup' }, { minutes: 1, method: 'fax' }], map: { k: 1 } };
    expect(reasons(body, value)).toEqual([
      ['event.name', 'tooLong'],
      ['event.list.0.minutes', 'invalid'],
      ['event.list.1.method', 'invalid'],
      ['event.map.k', 'invalid'],
    ]);
    expect(issuesOf(body, value)[0]).toEqual({ path: ['name'], reason: 'tooLong', message: 'name has at most 3 characters.' });
    expect(issuesOf(body, value)[1]?.path).toEqual(['list', 0, 'minutes']);
  });

  test('is too many for a list at one above its limit', () => {
    const entry = { minutes: 1, method: 'email' };
    expect(reasons(body, { list: [entry, entry] })).toEqual([]);
    expect(reasons(body, { list: [entry, entry, entry] })).toEqual([['event.list', 'tooMany']]);
  });

  test('is required where a value is missing, be it a text, a number, one of several values or a choice', () => {
    const needed = z.object({
      text: z.string(), number: z.number(), kind: z.enum(['a', 'b']), fixed: z.literal('x'), either: z.union([z.string(), z.number()]),
    });
    expect(reasons(needed, {})).toEqual(['text', 'number', 'kind', 'fixed', 'either'].map((name) => [`event.${name}`, 'required']));
    const wrong = { text: 1, number: '1', kind: 'c', fixed: 'y', either: true };
    expect(reasons(needed, wrong)).toEqual(Object.keys(wrong).map((name) => [`event.${name}`, 'invalid']));
    expect(reasons(needed, null)).toEqual([['event', 'invalid']]);
    expect(reasons(needed, undefined)).toEqual([['event', 'required']]);
  });

  test('has the reason that a rule of its own names', () => {
    const named = z.string().refine((text) => text !== 'bad', { message: 'no', params: { reason: 'immutable' } });
    const plain = z.string().optional().refine((text) => text === 'good', 'no');
    expect(reasons(named, 'bad')).toEqual([['event', 'immutable']]);
    expect(reasons(plain, 'bad')).toEqual([['event', 'invalid']]);
    expect(reasons(plain, undefined)).toEqual([['event', 'invalid']]);
  });

  test('counts unknown fields only where the schema does', () => {
    expect(reasons(body, { unknown: 1 })).toEqual([]);
    expect(reasons(z.strictObject({}), { unknown: 1 })).toEqual([['event.unknown', 'invalid']]);
  });
});

describe('text', () => {
  const bad = ['\u0000', 'a\u0000b', '\ud800', 'x\udfff', '\udc00\ud800', '🙂\ud83d'];

  test.each(bad)('%j is refused', (text) => {
    expect(textIssues(text, ['event', 'summary'])).toMatchObject([{ path: ['event', 'summary'], reason: 'invalid' }]);
  });

  test.each(['', 'plain', '🙂', 'e\u0301', '\u0001\n\t', '\uffff', '\ufeff', '\u202e'])('%j passes', (text) => {
    expect(textIssues(text, [])).toEqual([]);
  });

  test('is looked for in lists, objects, maps and their keys', () => {
    const value = JSON.parse(
      '{"a":"\\u0000","list":["ok",["\\ud800"]],"map":{"\\udfff":"ok","__proto__":"\\u0000","ok":{"b":"\\u0000"}},"n":1,"t":true,"z":null}',
    );
    expect(textIssues(value, ['event']).map(({ path }) => path)).toEqual([
      ['event', 'a'],
      ['event', 'list', 1, 0],
      ['event', 'map', '\udfff'],
      ['event', 'map', '__proto__'],
      ['event', 'map', 'ok', 'b'],
    ]);
  });

  test('passes exactly when it survives being written as UTF-8, and holds no U+0000', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.constantFrom('', '\ud83d', '\ude42', '\u0000'), fc.string({ unit: anyCharacter }), (a, b, c) => {
        const text = a + b + c;
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\u0000');
        expect(textIssues(text, []).length === 0).toBe(survives);
      }),
      { numRuns: 500 },
    );
  });
});
