import { z } from 'zod';
import { issuesOf } from '../../../src/core/kernel/zod-issues.ts';

const reasons = (schema: z.ZodType, value: unknown) =>
  issuesOf(schema, value, ['event']).map(({ path, reason }) => [path.join('.'), reason]);

describe('the issues of a zod schema', () => {
  const body = z.object({
    name: z.string().max(3, 'name has at most 3 characters.').optional(),
    list: z
      .array(z.object({ minutes: z.number().max(40), method: z.enum(['email', 'popup']) }))
      .max(2)
      .optional(),
    map: z.record(z.string(), z.string()).optional(),
  });

  const reminder = (minutes: number, method = 'popup') => ({ minutes, method });

  test('are none for a value that fits', () =>
    expect(issuesOf(body, { name: 'abc', list: [reminder(40), reminder(0, 'email')] })).toEqual([]));

  test('come at once, each with its path from the argument on', () => {
    const value = { name: 'abcd', list: [reminder(41), reminder(1, 'fax')], map: { k: 1 } };
    expect(reasons(body, value)).toEqual([
      ['event.name', 'tooLong'],
      ['event.list.0.minutes', 'invalid'],
      ['event.list.1.method', 'invalid'],
      ['event.map.k', 'invalid'],
    ]);
    const message = 'name has at most 3 characters.';
    expect(issuesOf(body, value)[0]).toEqual({ path: ['name'], reason: 'tooLong', message });
    expect(issuesOf(body, value)[1]?.path).toEqual(['list', 0, 'minutes']);
  });

  test('have the reason tooMany for a list above its limit', () => {
    const entry = reminder(1);
    expect(reasons(body, { list: [entry, entry] })).toEqual([]);
    expect(reasons(body, { list: [entry, entry, entry] })).toEqual([['event.list', 'tooMany']]);
  });

  test('have the reason required for a missing text, number, enum value, literal or union', () => {
    const needed = z.object({
      text: z.string(),
      number: z.number(),
      kind: z.enum(['a', 'b']),
      fixed: z.literal('x'),
      either: z.union([z.string(), z.number()]),
    });
    expect(reasons(needed, {})).toEqual(
      ['text', 'number', 'kind', 'fixed', 'either'].map((name) => [`event.${name}`, 'required']),
    );
    const wrong = { text: 1, number: '1', kind: 'c', fixed: 'y', either: true };
    expect(reasons(needed, wrong)).toEqual(Object.keys(wrong).map((name) => [`event.${name}`, 'invalid']));
    expect(reasons(needed, null)).toEqual([['event', 'invalid']]);
    expect(reasons(needed, undefined)).toEqual([['event', 'required']]);
  });

  test('have the reason that a refinement names', () => {
    const named = z
      .string()
      .refine((text) => text !== 'bad', { message: 'no', params: { reason: 'immutable' } });
    const plain = z
      .string()
      .optional()
      .refine((text) => text === 'good', 'no');
    expect(reasons(named, 'bad')).toEqual([['event', 'immutable']]);
    expect(reasons(plain, 'bad')).toEqual([['event', 'invalid']]);
    expect(reasons(plain, undefined)).toEqual([['event', 'invalid']]);
  });

  test('include unknown fields of strict objects', () => {
    expect(reasons(body, { unknown: 1 })).toEqual([]);
    expect(reasons(z.strictObject({}), { unknown: 1 })).toEqual([['event.unknown', 'invalid']]);
  });
});
