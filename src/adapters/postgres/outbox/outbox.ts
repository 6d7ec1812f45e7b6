import type { Clock } from '../../../core/runtime/clock.ts';
import type { Claim, Dropped, Outbox, OutboxItem } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { createSpreadOutbox } from '../spread/outbox.ts';
import { backlog } from './outbox-backlog.ts';
import { claimOf, createClaim } from './outbox-claim.ts';
import { giveUp } from './outbox-give-up.ts';
import { settle } from './outbox-settle.ts';
import { allTables, byTables, forTables } from './outbox-tables.ts';

/** Items that wait in the database: any number of relays may claim them. Leases go by the clocks of the gateways. */
export function createPostgresOutbox<Item extends OutboxItem>(
  database: Database,
  clock: Clock,
): Outbox<Item> {
  if (database.isSpread) return createSpreadOutbox(database, clock);
  return {
    // Owners one by one, each in a transaction of its own: no relay waits for another with locks of its own.
    claim: createClaim(database, clock, async (statements) => {
      const claimed: Claim<Item>[] = [];
      for (const statement of statements)
        claimed.push(...(await database.query(statement)).map(claimOf<Item>));
      return claimed;
    }),

    async complete(deliveries) {
      for (const [tables, own] of byTables(deliveries))
        await settle(database, tables, { deliveries: own, isDone: true, now: clock() });
    },

    async drop(deliveries) {
      for (const [tables, own] of byTables(deliveries))
        await settle(database, tables, { deliveries: own, isDone: false, now: clock() });
    },

    async giveUp(which) {
      const dropped: Dropped[] = [];
      for (const tables of allTables) dropped.push(...(await giveUp(database, tables, which, clock())));
      return dropped;
    },

    async release(releases) {
      const now = clock();
      for (const [tables, own] of byTables(releases)) {
        const values = [
          own.map(({ id }) => id),
          own.map(({ destination }) => destination),
          own.map(({ attempt }) => attempt),
          own.map(({ delayMs }) => delayMs),
          now,
        ];
        await database.query(release(tables, values));
      }
    },

    backlog: (which) => backlog(database, which),
  };
}

const release = forTables(
  'release deliveries',
  ({ items, queues }) => `
  WITH asked AS MATERIALIZED (
    SELECT o.bucket, o.destination, o.ordering_key, o.seq, r.attempt, r.delay
    FROM unnest($1::text[], $2::text[], $3::integer[], $4::float8[]) AS r (id, destination, attempt, delay)
    JOIN ${items} o ON o.id = r.id AND o.destination = r.destination AND o.attempt = r.attempt
  ), locked AS MATERIALIZED (
    SELECT q.bucket, q.destination, q.ordering_key FROM ${queues} q
    WHERE (q.bucket, q.destination, q.ordering_key) IN (SELECT bucket, destination, ordering_key FROM asked)
    ORDER BY q.bucket, q.destination, q.ordering_key FOR UPDATE
  ), turned AS (
    UPDATE ${queues} q SET claims = claims + 1,
      failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN extract(epoch FROM clock_timestamp()) ELSE q.served END
    FROM locked l JOIN (SELECT bucket, destination, ordering_key, max(delay) AS delay FROM asked GROUP BY 1, 2, 3) d USING (bucket, destination, ordering_key)
    WHERE q.bucket = l.bucket AND q.destination = l.destination AND q.ordering_key = l.ordering_key
  ) UPDATE ${items} o SET held_until = $5 + a.delay, claimed = false, failures = o.failures + (a.delay > 0)::integer FROM asked a JOIN locked l USING (bucket, destination, ordering_key)
    WHERE o.bucket = a.bucket AND o.destination = a.destination AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`,
);
