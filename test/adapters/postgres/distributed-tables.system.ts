import { readFileSync } from 'node:fs';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';

const citusSql = readFileSync(new URL('../../../src/adapters/postgres/citus.sql', import.meta.url), 'utf8');
/** Distribution columns by table. The tests in test/citus check that statements name them. */
const distributionColumns = new Map(
  [...citusSql.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(([, table = '', column = '']) => [table, column]),
);
/** Tables that are not distributed: settings, and empty tables of an earlier release. */
const undistributedTables = new Set(['settings', 'queues', 'outbox', 'outbox_bytes', 'delivery_bytes']);

describeWithPostgres('distributed tables', () => {
  const { createMigratedUrl } = usePostgres();

  test('are all tables but the settings, and each of their unique keys includes the distribution column', async () => {
    const rows = await queryOnce<{ table: string; columns: string[] }>(
      await createMigratedUrl(),
      // i: a unique index; t: its table; a: its columns.
      `
      SELECT t.relname AS "table", array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
      WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace GROUP BY i.indexrelid, t.relname`,
    );
    const uniqueKeys = rows.filter(
      ({ table }) => !table.startsWith('kysely_') && !undistributedTables.has(table),
    );
    expect(new Set(uniqueKeys.map(({ table }) => table))).toEqual(new Set(distributionColumns.keys()));
    for (const { table, columns } of uniqueKeys)
      expect([table, columns]).toEqual([table, expect.arrayContaining([distributionColumns.get(table)])]);
  });
});
