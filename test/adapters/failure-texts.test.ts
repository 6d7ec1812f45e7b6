import { describeFailure } from '../../src/adapters/connection-failures.ts';
import { readConfig } from '../../src/config.ts';
import { readJson, withDatabase } from '../../src/app/stores.ts';
import { parseRetryAfter } from '../../src/core/text/retry-after.ts';

test.each([
  ['ECONNREFUSED', 'the connection was refused'],
  // A code of the protocol itself, for which the caller has a text.
  ['EOWN', 'words of the protocol'],
  ['ESTRANGE', 'the connection failed (ESTRANGE)'],
  [undefined, 'the connection failed'],
])('describeFailure says in words that the failure %s means: %s', (code, text) => {
  expect(describeFailure(code, { EOWN: 'words of the protocol' })).toBe(text);
});

test.each([
  ['120', 120_000],
  ['Fri, 01 Jan 2027 00:00:10 GMT', 10_000],
  ['Fri Jan  1 00:00:10 2027', 10_000],
  ['Friday, soon GMT', 0],
  ['-5', 0],
])('reads Retry-After: %s as %d ms', (value, ms) => {
  expect(parseRetryAfter(value, Date.UTC(2027, 0, 1))).toBe(ms);
});

test('commands on stored data refuse to run without a database, and without readable files', async () => {
  await expect(
    withDatabase(readConfig({ AUTH_JWT_SECRET: 'x'.repeat(32) }), async () => undefined),
  ).rejects.toThrow('DATABASE_URL is not set');
  expect(() => readJson('SEED_FILE', '/nowhere/seed.json')).toThrow(
    'SEED_FILE: /nowhere/seed.json cannot be read',
  );
});
