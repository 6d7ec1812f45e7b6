import { countDropped, droppedOf, type Dropped, type GiveUp } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { topicChannel } from '../listen.ts';
import { begin, commit, rollingBack } from '../transaction.ts';
import { dropEmpty, forget, queueKeys } from './outbox-settle.ts';
import { forTables, type OutboxTables } from './outbox-tables.ts';

/** Forgets old deliveries in some tables that nobody attempts now. Whoever claims some meanwhile has them, or finds them gone. */
export async function giveUp(
  database: Database,
  tables: OutboxTables,
  { storedBy, destination, limit }: GiveUp,
  now: number,
): Promise<readonly Dropped[]> {
  const asked = [storedBy, destination ?? null, now, limit];
  return rollingBack(database, async (run) => {
    const keys = queueKeys(await run([begin, lockQueues(tables, asked)]));
    const found = await run([lockIdle(tables, [...asked, ...keys])]);
    const names = found.map(({ destination: name }) => name as string);
    await run([
      forget(tables, [found.map(({ id }) => id), names, now, topicChannel, false]),
      dropEmpty(tables, keys),
      commit,
    ]);
    return countDropped(
      found.map(({ topic, attributes }, index) =>
        droppedOf(names[index] as string, {
          ...(topic !== null && { topic: topic as string }),
          attributes: JSON.parse(attributes as string) as Record<string, string>,
        }),
      ),
    );
  });
}

const isIdle =
  'o.stored_at <= $1 AND ($2::text IS NULL OR o.destination = $2) AND NOT (o.claimed AND o.held_until > $3)';

/** The queues of such deliveries: claims lock them as well. */
const lockQueues = forTables(
  'lock idle queues',
  ({ items, queues }) => `
  WITH idle AS MATERIALIZED (
    SELECT DISTINCT bucket, destination, ordering_key FROM (
      SELECT o.bucket, o.destination, o.ordering_key FROM ${items} o WHERE ${isIdle} ORDER BY o.stored_at LIMIT $4) AS oldest
  ) SELECT q.bucket, q.destination, q.ordering_key FROM ${queues} q JOIN idle USING (bucket, destination, ordering_key)
    ORDER BY q.bucket, q.destination, q.ordering_key FOR UPDATE OF q`,
);

const lockIdle = forTables(
  'lock idle deliveries',
  ({ items }) => `
  SELECT o.id, o.destination, o.topic, o.attributes FROM ${items} o
  JOIN unnest($5::text[], $6::text[], $7::text[]) AS w (bucket, destination, ordering_key) USING (bucket, destination, ordering_key)
  WHERE ${isIdle} ORDER BY o.stored_at LIMIT $4 FOR UPDATE OF o`,
);
