import type { Database, Statement } from '../../../src/adapters/postgres/database.ts';
import { createGroupCommit } from '../../../src/adapters/postgres/group-commit.ts';
import type { Writes } from '../../../src/adapters/postgres/transaction.ts';

const writesOf = (id: string): Writes => ({
  statements: [{ name: `change ${id}`, text: '' }],
  split: () => ({
    recordKey: id,
    record: { name: `record ${id}`, text: '' },
    calendarId: id,
    entries: { name: `entries ${id}`, text: '' },
  }),
});

describe('createGroupCommit: changes that share a commit', () => {
  /** The names of the statements of each transaction. */
  const sent: string[][] = [];
  let sharedCommitError: Error | undefined;
  const runStatements = async (statements: readonly Statement[]) => {
    sent.push(statements.map(({ name, title }) => name ?? title ?? ''));
    if (statements.length > 1 && sharedCommitError) throw sharedCommitError;
    return [];
  };
  // The part of a database that shared commits use.
  const database = {
    use: (work: (connection: object) => unknown) => work({ run: runStatements }),
  } as unknown as Database;
  const store = createGroupCommit(database);
  const storeAll = (...ids: readonly string[]) => Promise.all(ids.map((id) => store(writesOf(id))));
  beforeEach(() => void sent.splice(0));

  test('lock records first, then calendars', async () => {
    sharedCommitError = undefined;
    expect(await storeAll('first', 'c', 'b')).toEqual([true, true, true]);
    expect(sent).toEqual([
      ['change first'],
      ['begin shared', 'record b', 'record c', 'entries b', 'entries c', 'take time', 'commit'],
    ]);
  });

  test('are stored separately if one of them waits for a lock, and share the next commit again', async () => {
    sharedCommitError = Object.assign(new Error('lock timeout'), { code: '55P03' });
    expect(await storeAll('first', 'b', 'c')).toEqual([true, true, true]);
    expect(sent.slice(-2)).toEqual([['change b'], ['change c']]);
    sharedCommitError = undefined;
    await storeAll('first', 'b', 'c');
    expect(sent.at(-1)).toContain('begin shared');
  });

  test('fail together if the outcome of the commit is unknown', async () => {
    sharedCommitError = new Error('Connection terminated');
    const outcomes = await Promise.allSettled(['first', 'b', 'c'].map((id) => store(writesOf(id))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('do not share commits for a while after a silent node caused a timeout', async () => {
    sharedCommitError = Object.assign(new Error('statement timeout'), { code: '57014' });
    expect(await storeAll('first', 'b', 'c')).toEqual([true, true, true]);
    sent.splice(0);
    await storeAll('first', 'b', 'c');
    expect(sent).toEqual([['change first'], ['change b'], ['change c']]);
  });
});
