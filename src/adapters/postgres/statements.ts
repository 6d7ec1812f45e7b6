import { hash } from 'node:crypto';
import type { Database, Row, Statement } from './database.ts';
import { isStorable } from '../../core/text/characters.ts';

/** Adds a value to those of a statement, and gives its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

const names = new Map<string, string>();

/** A statement that is put together of parts, with a name for each text. There are as many texts as forms of requests: some dozens. */
export function namedByText(title: string, textWith: (parameter: Parameter) => string): Statement {
  const values: unknown[] = [];
  const text = textWith((value, type) => `$${values.push(value)}::${type}`);
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return { name, title, text, values };
}

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

/** The rows of a statement for each value of a column that its table is distributed by: each goes to one shard. */
export const queryByKeys = async <K>(
  database: Database,
  keys: readonly K[],
  statement: (key: K) => Statement,
): Promise<readonly Row[]> => (await database.read(keys.map(statement))).flat();

/** An identifier as a parameter of a query. Those that cannot be stored find nothing, as the empty one does. */
export const lookupKey = (id: string): string => (isStorable(id) ? id : '');

/** An index takes 2,704 bytes a row. */
const mostBytes = 1024;
const digested = 'sha256:';

/** The form in which an identifier of any length is stored in an index, and looked up: itself, or a digest where it is too long. */
export function indexKey(id: string): string {
  const isDigested = Buffer.byteLength(id) > mostBytes || id.startsWith(digested);
  return isDigested ? `${digested}${hash('sha256', id, 'hex')}` : lookupKey(id);
}

/** The order in which all transactions lock. */
export const compareKeys = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
