import { readFileSync } from 'node:fs';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';

const citus = readFileSync(new URL('../../../src/adapters/postgres/citus.sql', import.meta.url), 'utf8');
/** By table: the column that it is spread by. That statements name it is seen on a cluster (test/citus). */
const spread = new Map(
  [...citus.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(([, table = '', column = '']) => [table, column]),
);
/** The settings; and the tables of a release before, which stay empty. */
const undistributed = new Set(['settings', 'queues', 'outbox', 'outbox_bytes', 'delivery_bytes']);

describeWithPostgres('tables that are spread over shards', () => {
  const { fresh } = usePostgres();

  test('are all tables but the settings, and each unique key has the column that its table is spread by', async () => {
    const rows = await queryOnce<{ table: string; columns: string[] }>(
      await fresh(),
      `
      SELECT t.relname AS "table", array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
      WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace GROUP BY i.indexrelid, t.relname`,
    );
    const own = rows.filter(({ table }) => !table.startsWith('kysely_') && !undistributed.has(table));
    expect(new Set(own.map(({ table }) => table))).toEqual(new Set(spread.keys()));
    for (const { table, columns } of own)
      expect([table, columns]).toEqual([table, expect.arrayContaining([spread.get(table)])]);
  });
});
