import {
  type Database,
  batchReads,
  type Row,
  type Statement,
} from '../../../src/adapters/postgres/database.ts';

describe('batchReads: reads of one turn of the event loop', () => {
  const sent: string[][] = [];
  const read: Database['read'] = async (statements) => {
    sent.push(statements.map(({ text }) => text));
    if (statements.some(({ text }) => text === 'faulty')) throw new Error('a fault');
    return statements.map(({ text }): Row[] => [{ text }]);
  };
  const unused = (): never => {
    throw new Error('this method is unused');
  };
  const database = batchReads({ read, query: unused, use: unused });
  const statementsOf = (...texts: string[]): Statement[] => texts.map((text) => ({ text }));
  const rowsOf = (...texts: string[]): Row[][] => texts.map((text) => [{ text }]);
  beforeEach(() => void sent.splice(0));

  test('are sent together, and each gets its own rows; later reads are sent separately', async () => {
    const answers = [
      database.read(statementsOf('a', 'b')),
      database.read([]),
      database.read(statementsOf('c')),
    ];
    expect(await Promise.all(answers)).toEqual([rowsOf('a', 'b'), [], rowsOf('c')]);
    expect(await database.read(statementsOf('d'))).toEqual(rowsOf('d'));
    expect(sent).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('fail together', async () => {
    const [fine, faulty] = [database.read(statementsOf('a')), database.read(statementsOf('faulty'))];
    await expect(faulty).rejects.toThrow('a fault');
    await expect(fine).rejects.toThrow('a fault');
    expect(sent).toEqual([['a', 'faulty']]);
  });
});
