import { hash } from 'node:crypto';
import { groupByKey } from '../../core/json.ts';
import { isStorable } from '../../core/text/characters.ts';
import type { Database, Read, Row, Statement } from './database.ts';

/** Adds a value to a statement and returns its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

const statementNames = new Map<string, string>();

/** Builds a statement of variable text, with a name for each text. There are some dozens of texts, one per form of request. */
export function buildStatement(title: string, build: (parameter: Parameter) => string): Statement {
  const { text, values } = buildText(build);
  let name = statementNames.get(text);
  if (name === undefined)
    statementNames.set(text, (name = `${title} ${hash('sha256', text, 'hex').slice(0, 16)}`));
  return { name, title, text, values };
}

/** Rows up to which an INSERT is prepared, as each number of rows has its own text. */
const maxPreparedRows = 16;

/** Inserts rows of one shard. With VALUES: Citus does not route an INSERT … SELECT to one shard. `title` must be unique but for the number of rows. */
export const insertRows = <T>(
  title: string,
  table: string,
  rows: readonly T[],
  cellsOf: (row: T, parameter: Parameter) => readonly string[],
  suffix = '',
): Statement => ({
  title,
  ...(rows.length <= maxPreparedRows && { name: `${title}, ${rows.length}` }),
  ...buildText(
    (parameter) =>
      `INSERT INTO ${table} VALUES ${rows.map((row) => `(${cellsOf(row, parameter).join(', ')})`).join(', ')} ${suffix}`,
  ),
});

/** Splits rows into parts for statements of limited size. */
export const splitIntoChunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/** Runs a statement for each value of its table's distribution column: each goes to one shard. */
export const queryByKeys = async <K>(
  database: Database,
  keys: readonly K[],
  statementFor: (key: K) => Statement,
): Promise<readonly Row[]> => (await database.read(keys.map(statementFor))).flat();

/**
 * Wraps the reads of a database on one server: named statements that differ only in their first value, the key of a shard,
 * become one. Each of 20 statements costs more than its rows.
 */
export const mergeShardReads =
  (read: Read): Read =>
  async (statements) => {
    if (statements.length === 1) return read(statements);
    const groups = [
      ...groupByKey(statements.entries(), ([index, { name, values = [] }]) =>
        name === undefined ? String(index) : JSON.stringify([name, values.slice(1)]),
      ).values(),
    ];
    const rowsOfGroups = await read(groups.map(mergeStatements));
    const results = statements.map((): Row[] => []);
    for (const [groupIndex, group] of groups.entries())
      for (const row of rowsOfGroups[groupIndex] ?? []) {
        const [statementIndex] = group[group.length > 1 ? (row.nth as number) : 0] as StatementEntry;
        (results[statementIndex] as Row[]).push(row);
      }
    return results;
  };

/** Merges statements that differ only in their first value. `nth` of a row is the index of its statement. */
function mergeStatements(group: readonly [StatementEntry, ...StatementEntry[]]): Statement {
  const [[, statement]] = group;
  if (group.length === 1) return statement;
  const { name, text, values = [] } = statement;
  return {
    name: `${name}, several`,
    text: `SELECT k.nth - 1 AS nth, r.* FROM unnest($1::text[]) WITH ORDINALITY AS k (key, nth)
      CROSS JOIN LATERAL (${text.replaceAll(/\$1(?!\d)/g, 'k.key')} OFFSET 0) AS r`,
    values: [group.map(([, { values: ownValues }]) => ownValues?.[0]), ...values.slice(1)],
  };
}

/** A statement with its index. */
type StatementEntry = readonly [number, Statement];

/** An identifier as a query parameter. One that cannot be stored becomes empty, which finds nothing. */
export const lookupKey = (id: string): string => (isStorable(id) ? id : '');

/** PostgreSQL limits an index row to 2,704 bytes. */
const maxKeyBytes = 1024;

const digestPrefix = 'sha256:';

/** An identifier as stored in an index and looked up: a digest replaces one that is too long. */
export function indexKey(id: string): string {
  const isDigested = Buffer.byteLength(id) > maxKeyBytes || id.startsWith(digestPrefix);
  return isDigested ? `${digestPrefix}${hash('sha256', id, 'hex')}` : lookupKey(id);
}

/** Lock order of all transactions. */
export const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Builds a text whose values are parameters. */
export function buildText(build: (parameter: Parameter) => string): Pick<Statement, 'text' | 'values'> {
  const values: unknown[] = [];
  return { text: build((value, type) => `$${values.push(value)}::${type}`), values };
}
