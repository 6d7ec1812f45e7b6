import type pg from 'pg';
import { pipelinedAll, type Row } from '../database.ts';
import { grouped } from '../grouped.ts';

/** Entries with their records and those of their series, which are kept on other shards; those without a record are left out. */
export async function withRecords(client: pg.ClientBase, entries: readonly Row[]): Promise<readonly Row[]> {
  const homes = [...grouped(entries, ({ home_id: home }) => home as string)];
  const found = await pipelinedAll(
    client,
    homes.map(([home, own]) => ({
      text: 'SELECT home_id, key, body FROM events WHERE home_id = $1 AND key = ANY ($2::text[])',
      values: [home, [...new Set(own.flatMap(({ key, series_key: series }) => [key, series]))]],
    })),
  );
  const bodies = new Map(
    found.flat().map(({ home_id: home, key, body }) => [JSON.stringify([home, key]), body]),
  );
  return entries
    .map((entry) => ({
      ...entry,
      body: bodies.get(JSON.stringify([entry.home_id, entry.key])),
      series: bodies.get(JSON.stringify([entry.home_id, entry.series_key])) ?? null,
    }))
    .filter(({ body }) => body !== undefined);
}
