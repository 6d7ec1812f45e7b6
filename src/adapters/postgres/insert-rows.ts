import type { Statement } from './database.ts';
import type { Parameter } from './named-by-text.ts';

/** Texts of more rows are so many that they are not kept prepared. */
const mostPrepared = 4;

/** Inserts some rows of one shard: with VALUES, for no rows from elsewhere are led to it. The title stands for all but the number of rows. */
export function insertRows<T>(
  title: string,
  into: string,
  rows: readonly T[],
  cells: (row: T, parameter: Parameter) => readonly string[],
  rest = '',
): Statement {
  const values: unknown[] = [];
  const parameter: Parameter = (value, type) => `$${values.push(value)}::${type}`;
  const lists = rows.map((row) => `(${cells(row, parameter).join(', ')})`);
  return {
    title,
    ...(rows.length <= mostPrepared && { name: `${title}, ${rows.length}` }),
    text: `INSERT INTO ${into} VALUES ${lists.join(', ')} ${rest}`,
    values,
  };
}
