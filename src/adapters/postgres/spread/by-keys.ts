import type { Database, Row, Statement } from '../database.ts';

/**
 * The rows of a statement that asks for several values of the column which its tables are spread by: one statement for all,
 * or one for each where the tables are spread, in one round trip.
 */
export async function queryByKeys<K>(
  database: Database,
  keys: readonly K[],
  statement: (keys: readonly K[]) => Statement,
): Promise<readonly Row[]> {
  if (keys.length === 0) return [];
  if (!database.isSpread) return database.query(statement(keys));
  return (
    await queryEach(
      database,
      keys.map((key) => statement([key])),
    )
  ).flat();
}

/** The rows of each of some statements, sent together on one connection. */
export const queryEach = async (
  database: Database,
  statements: readonly Statement[],
): Promise<readonly (readonly Row[])[]> =>
  statements.length === 0 ? [] : database.use(({ runAll }) => runAll(statements));
