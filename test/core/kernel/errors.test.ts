import { AppError, errorOf, invalidInput, type Issue } from '../../../src/core/kernel/errors.ts';

const issue = (name: string): Issue => ({
  path: ['event', name],
  reason: name === 'a' ? 'tooLong' : 'invalid',
  message: `${name} is wrong.`,
});

test('the error for issues has the reason and the message of the first, and all of them', () => {
  const one = errorOf('CONFLICT', [issue('a')]);
  expect(one).toBeInstanceOf(AppError);
  expect(one).toBeInstanceOf(Error);
  expect(one).toMatchObject({
    name: 'AppError',
    code: 'CONFLICT',
    reason: 'tooLong',
    message: 'a is wrong.',
    issues: [issue('a')],
  });
});

test('its message says how many more there are', () => {
  const names = ['a', 'b', 'c'];
  expect(invalidInput(names.slice(0, 2).map(issue)).message).toBe(
    'a is wrong. (and 1 more issue, see extensions.issues)',
  );
  const three = invalidInput(names.map(issue));
  expect(three.message).toBe('a is wrong. (and 2 more issues, see extensions.issues)');
  expect(three).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'tooLong', issues: names.map(issue) });
});

test('an error without any issue is a mistake of the server, not of the client', () => {
  expect(() => invalidInput([])).toThrow('an error needs at least one issue');
  expect(() => invalidInput([])).not.toThrow(AppError);
});

test('an error without a list of issues has an empty one', () => {
  expect(new AppError('NOT_FOUND', 'notFound', 'There is nothing here.').issues).toEqual([]);
});
