import {
  type Database,
  batchReads,
  type Row,
  type Statement,
} from '../../../src/adapters/postgres/database.ts';

describe('batchReads: reads of one turn of the event loop', () => {
  /** Texts of the statements of each read that reached the database. */
  const sentBatches: string[][] = [];
  const read: Database['read'] = async (statements) => {
    sentBatches.push(statements.map(({ text }) => text));
    if (statements.some(({ text }) => text === 'faulty')) throw new Error('a fault');
    return statements.map(({ text }): Row[] => [{ text }]);
  };
  const throwIfUsed = (): never => {
    throw new Error('this method is unused');
  };
  const database = batchReads({ read, query: throwIfUsed, use: throwIfUsed });
  const statementsOf = (...texts: string[]): Statement[] => texts.map((text) => ({ text }));
  const rowsOf = (...texts: string[]): Row[][] => texts.map((text) => [{ text }]);
  beforeEach(() => void sentBatches.splice(0));

  test('are sent together, and each gets its own rows; later reads are sent separately', async () => {
    const results = [
      database.read(statementsOf('a', 'b')),
      database.read([]),
      database.read(statementsOf('c')),
    ];
    expect(await Promise.all(results)).toEqual([rowsOf('a', 'b'), [], rowsOf('c')]);
    expect(await database.read(statementsOf('d'))).toEqual(rowsOf('d'));
    expect(sentBatches).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('fail together if one of them fails', async () => {
    const [validRead, faultyRead] = [database.read(statementsOf('a')), database.read(statementsOf('faulty'))];
    await expect(faultyRead).rejects.toThrow('a fault');
    await expect(validRead).rejects.toThrow('a fault');
    expect(sentBatches).toEqual([['a', 'faulty']]);
  });
});
