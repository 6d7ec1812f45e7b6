import pg from 'pg';
import { countDropped, droppedOf, type Dropped, type GiveUp } from '../../../outbox/outbox.store.ts';
import type { Database, Row } from '../database.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import { forTables, turnTime, type OutboxTables } from '../outbox/outbox-tables.ts';
import { begin, commit, rollingBack } from '../transaction.ts';
import { queryEverywhere } from '../everywhere.ts';
import { isAway } from './patience.ts';
import { discount, endOfForgetting, forgetOnShard } from './settle.ts';

/** Forgets old deliveries in some tables that nobody attempts now, owner by owner; those whose node is away wait for a later call. */
export async function giveUpOnShards(
  database: Database,
  tables: OutboxTables,
  which: GiveUp,
  now: number,
): Promise<readonly Dropped[]> {
  const oldest = (
    await queryEverywhere(database, [tables.items], (table) => ({
      title: 'idle deliveries',
      text: idleText(table(tables.items), which, now),
    }))
  )
    .toSorted((a, b) => (a.stored_at as number) - (b.stored_at as number))
    .slice(0, which.limit);
  const dropped: Dropped[] = [];
  for (const [owner, rows] of grouped(oldest, ({ bucket }) => bucket as string)) {
    try {
      dropped.push(...(await giveUpOfOwner(database, tables, owner, rows, now)));
    } catch (error) {
      if (!isAway(error)) throw error;
    }
  }
  return dropped;
}

const idleText = (items: string, { storedBy, destination, limit }: GiveUp, now: number): string =>
  `SELECT bucket, destination, ordering_key, id, stored_at FROM ${items} WHERE stored_at <= ${storedBy} ${destination === undefined ? '' : `AND destination = ${pg.escapeLiteral(destination)}`}
    AND NOT (claimed AND held_until > ${now}) ORDER BY stored_at LIMIT ${limit}`;

async function giveUpOfOwner(
  database: Database,
  tables: OutboxTables,
  owner: string,
  rows: readonly Row[],
  now: number,
): Promise<readonly Dropped[]> {
  const [ids, destinations, keys] = ['id', 'destination', 'ordering_key'].map((column) =>
    rows.map((row) => row[column]),
  );
  const gone = await rollingBack(database, async (run) => {
    // Claims lock the queues as well: whoever claims some meanwhile has them, or finds them gone.
    const idle = await run([
      begin,
      lockQueues(tables, [owner, destinations, keys]),
      lockIdle(tables, [owner, ids, destinations, now]),
    ]);
    const found = await run([
      forgetOnShard(tables, [
        owner,
        idle.map(({ id }) => id),
        idle.map(({ destination }) => destination),
        turnTime(),
      ]),
    ]);
    await run([...endOfForgetting(tables, owner, found), commit]);
    return found;
  });
  discount(database, gone);
  return countDropped(
    gone.map(({ destination, topic, attributes }) =>
      droppedOf(destination as string, {
        ...(topic !== null && { topic: topic as string }),
        attributes: JSON.parse(attributes as string) as Record<string, string>,
      }),
    ),
  );
}

const lockQueues = forTables(
  'lock idle queues of owner',
  ({ queues }) => `
  SELECT FROM ${queues} WHERE bucket = $1 AND (destination, ordering_key) IN (SELECT * FROM unnest($2::text[], $3::text[]))
  ORDER BY destination COLLATE "C", ordering_key COLLATE "C" FOR UPDATE`,
);

const lockIdle = forTables(
  'lock idle deliveries of owner',
  ({ items }) => `
  SELECT id, destination FROM ${items} WHERE bucket = $1 AND (id, destination) IN (SELECT * FROM unnest($2::text[], $3::text[])) AND NOT (claimed AND held_until > $4)
  ORDER BY stored_at FOR UPDATE`,
);
