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

test('its message is for end users: other issues stand beside it, not in it', () => {
  expect(invalidInput(['a', 'b'].map(issue)).message).toBe('a is wrong.');
});

test('an error without any issue is a mistake of the server, not of the client', () => {
  expect(() => invalidInput([])).toThrow('an error needs at least one issue');
  expect(() => invalidInput([])).not.toThrow(AppError);
});
