import type { Database, Row, Statement } from './database.ts';
import type { Read } from './transaction.ts';

/** The rows of each of some statements, sent together on one connection: one round trip. */
export const queryEach = async (
  database: Database,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> =>
  statements.length === 0 ? [] : database.use(({ runAll }) => runAll(statements));

/** Reads on any connection. */
export const readOn =
  (database: Database): Read =>
  (statements) =>
    queryEach(database, statements);

/** The rows of a statement for each value of a column that its table is distributed by: each goes to one shard. */
export const queryByKeys = async <K>(
  database: Database,
  keys: readonly K[],
  statement: (key: K) => Statement,
): Promise<readonly Row[]> => (await queryEach(database, keys.map(statement))).flat();
