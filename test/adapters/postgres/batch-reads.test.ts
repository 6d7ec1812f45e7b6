import {
  type Database,
  batchReads,
  type Row,
  type Statement,
} from '../../../src/adapters/postgres/database.ts';

describe('reads that begin in one turn', () => {
  const sent: string[][] = [];
  const read: Database['read'] = async (statements) => {
    sent.push(statements.map(({ text }) => text));
    if (statements.some(({ text }) => text === 'faulty')) throw new Error('a fault');
    return statements.map(({ text }): Row[] => [{ text }]);
  };
  const unused = (): never => {
    throw new Error('this is not asked for');
  };
  const database = batchReads({ read, query: unused, use: unused });
  const statements = (...texts: string[]): Statement[] => texts.map((text) => ({ text }));
  const rows = (...texts: string[]): Row[][] => texts.map((text) => [{ text }]);
  beforeEach(() => void sent.splice(0));

  test('leave together, each gets its own rows, and later ones leave by themselves', async () => {
    const answers = [database.read(statements('a', 'b')), database.read([]), database.read(statements('c'))];
    expect(await Promise.all(answers)).toEqual([rows('a', 'b'), [], rows('c')]);
    expect(await database.read(statements('d'))).toEqual(rows('d'));
    expect(sent).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('fail together', async () => {
    const [fine, faulty] = [database.read(statements('a')), database.read(statements('faulty'))];
    await expect(faulty).rejects.toThrow('a fault');
    await expect(fine).rejects.toThrow('a fault');
    expect(sent).toEqual([['a', 'faulty']]);
  });
});
