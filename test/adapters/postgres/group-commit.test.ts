import type { Database, Statement } from '../../../src/adapters/postgres/database.ts';
import { createGroupCommit, type Writes } from '../../../src/adapters/postgres/transaction.ts';

const createWrites = (id: string): Writes => ({
  statements: [{ name: `change ${id}`, text: '' }],
  splitWrites: {
    recordKey: id,
    record: { name: `record ${id}`, text: '' },
    calendarId: id,
    entries: [{ name: `entries ${id}`, text: '' }],
  },
});

describe('createGroupCommit: changes that share a commit', () => {
  /** Names of the statements of each transaction. */
  const sentBatches: string[][] = [];
  let sharedCommitError: Error | undefined;
  const runStatements = async (statements: readonly Statement[]) => {
    sentBatches.push(statements.map(({ name, title }) => name ?? title ?? ''));
    if (statements.length > 1 && sharedCommitError) throw sharedCommitError;
    return [];
  };
  // Fake with only that part of a database which shared commits use.
  const database = {
    use: (work: (connection: object) => unknown) => work({ run: runStatements }),
  } as unknown as Database;
  const storeWrites = createGroupCommit(database);
  const storeConcurrently = (...ids: readonly string[]) =>
    Promise.all(ids.map((id) => storeWrites(createWrites(id))));
  beforeEach(() => void sentBatches.splice(0));

  test('write records first, then entries of calendars, each in the order of their keys', async () => {
    sharedCommitError = undefined;
    expect(await storeConcurrently('first', 'c', 'b')).toEqual([true, true, true]);
    expect(sentBatches).toEqual([
      ['change first'],
      ['begin shared', 'record b', 'record c', 'entries b', 'entries c', 'take time', 'commit'],
    ]);
  });

  test('are stored separately if one of them waits for a lock, and share the next commit again', async () => {
    sharedCommitError = Object.assign(new Error('lock timeout'), { code: '55P03' });
    expect(await storeConcurrently('first', 'b', 'c')).toEqual([true, true, true]);
    expect(sentBatches.slice(-2)).toEqual([['change b'], ['change c']]);
    sharedCommitError = undefined;
    await storeConcurrently('first', 'b', 'c');
    expect(sentBatches.at(-1)).toContain('begin shared');
  });

  test('fail together if the outcome of the commit is unknown', async () => {
    sharedCommitError = new Error('Connection terminated');
    const outcomes = await Promise.allSettled(['first', 'b', 'c'].map((id) => storeWrites(createWrites(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('do not share commits for a while after a silent node caused a timeout', async () => {
    sharedCommitError = Object.assign(new Error('statement timeout'), { code: '57014' });
    expect(await storeConcurrently('first', 'b', 'c')).toEqual([true, true, true]);
    sentBatches.splice(0);
    await storeConcurrently('first', 'b', 'c');
    expect(sentBatches).toEqual([['change first'], ['change b'], ['change c']]);
  });
});
