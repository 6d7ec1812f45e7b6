import { AppError, errorOf, invalidInput, type Issue } from '../../../src/core/kernel/errors.ts';

const issue = (name: string): Issue => ({
  path: ['event', name],
  reason: name === 'a' ? 'tooLong' : 'invalid',
  message: `${name} is wrong.`,
});

test('the error for issues has the reason and the message of the first, and all of them', () => {
  const one = errorOf('CONFLICT', [issue('a')]);
  expect(one).toBeInstanceOf(AppError);
  const named = { name: 'AppError', code: 'CONFLICT', reason: 'tooLong', message: 'a is wrong.' };
  expect(one).toMatchObject({ ...named, issues: [issue('a')] });
});

test('its message says how many more there are', () => {
  const messageOf = (...names: string[]): string => invalidInput(names.map(issue)).message;
  expect(messageOf('a', 'b')).toBe('a is wrong. (and 1 more issue, see extensions.issues)');
  expect(messageOf('a', 'b', 'c')).toBe('a is wrong. (and 2 more issues, see extensions.issues)');
});

test('an error without any issue is a mistake of the server, not of the client', () => {
  expect(() => invalidInput([])).toThrow('an error needs at least one issue');
  expect(() => invalidInput([])).not.toThrow(AppError);
});
