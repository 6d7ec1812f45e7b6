import pg from 'pg';
import type { Capacity } from '../../../outbox/outbox.store.ts';
import type { Database, Row } from '../database.ts';
import type { OutboxTables } from '../outbox/outbox-tables.ts';
import { queryEverywhere } from '../everywhere.ts';

interface Kind {
  readonly destination: string;
  readonly failing: boolean;
}

/**
 * Queues on all shards with items that may be handed out, those that were served longest ago first: as many as there is room for, of
 * those that fail and of the others. A relay asks all the time, so it is looked first at which kinds of queues there are at all.
 */
export async function readyEverywhere(
  database: Database,
  { queues, items }: OutboxTables,
  capacities: readonly Capacity[],
  now: number,
): Promise<readonly Row[]> {
  const limits = new Map(capacities.map(({ destination, limit }) => [destination, limit]));
  const found = await queryEverywhere(database, [queues], (table) => ({
    name: `kinds of queues: ${queues}`,
    text: `SELECT DISTINCT destination, failing FROM ${table(queues)}`,
  }));
  const kinds = new Map(
    found.map((row) => [JSON.stringify([row.destination, row.failing]), row as Row & Kind]),
  );
  const wanted = [...kinds.values()].flatMap(({ destination, failing }) =>
    limits.has(destination) ? [{ destination, failing, limit: limits.get(destination) as number }] : [],
  );
  if (wanted.length === 0) return [];
  const rows = await queryEverywhere(database, [queues, items], (table) => ({
    title: `next turns everywhere: ${queues}`,
    text: wanted.map((kind) => `(${turnsText(table(queues), table(items), kind, now)})`).join(' UNION ALL '),
  }));
  return rows.toSorted((a, b) => (a.served as number) - (b.served as number));
}

const turnsText = (
  queues: string,
  items: string,
  { destination, failing, limit }: Kind & { readonly limit: number },
  now: number,
): string => `
  SELECT q.bucket, q.destination, q.ordering_key, q.claims, q.failing, q.served, waiting.seqs, waiting.held FROM ${queues} q CROSS JOIN LATERAL (
    SELECT array_agg(o.seq) AS seqs, array_agg(o.held_until > ${now}) AS held FROM (
      SELECT seq, held_until FROM ${items} WHERE bucket = q.bucket AND destination = q.destination AND ordering_key = q.ordering_key ORDER BY seq LIMIT ${limit}) AS o
  ) AS waiting WHERE q.destination = ${pg.escapeLiteral(destination)} AND q.failing = ${failing} AND NOT waiting.held[1] ORDER BY q.served LIMIT ${limit}`;
