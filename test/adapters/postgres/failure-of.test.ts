import { runInNewContext } from 'node:vm';
import { failureOf } from '../../../src/adapters/postgres/failures.ts';
import type { AppError } from '../../../src/core/kernel/errors.ts';

/** Errors of node's own modules come from another realm wherever the program runs in a context of its own, as here. */
const foreign = (code: string, message = 'it failed'): unknown => runInNewContext('Object.assign(new Error(message), { code })', { code, message });

describe('what a failure of the database is to a caller', () => {
  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EPIPE', '57P01', '57014', '53300', '08006'])('%s is UNAVAILABLE, in whichever realm it arose, and keeps its cause', (code) => {
    const cause = foreign(code);
    expect(cause).not.toBeInstanceOf(Error);
    expect(failureOf(cause)).toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', cause });
  });

  test.each([['42601'], ['23502'], ['ERR_INVALID_ARG_TYPE']])('%s is a fault of the program, and stays as it is', (code) => {
    const fault = foreign(code);
    expect(failureOf(fault)).toBe(fault);
  });

  test.each([undefined, null, 'text', 7])('%p is no error of the database', (thrown) => {
    expect(failureOf(thrown)).toBe(thrown);
  });

  test('does not say that a database that only takes no changes is silent', () => {
    const { message } = failureOf(foreign('25006')) as AppError;
    expect(message).toBe('The database takes no changes at the moment. Try again in 2 seconds.');
    expect((failureOf(foreign('57014')) as AppError).message).not.toMatch(/does not answer/);
  });
});
