import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { DeliveryKey, Dropped, Outbox, OutboxItem } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { backlog } from '../outbox/outbox-backlog.ts';
import { claimOf, createClaim } from '../outbox/outbox-claim.ts';
import { allTables, byTables, forTables, turnTime, type OutboxTables } from '../outbox/outbox-tables.ts';
import { giveUpOnShards } from './give-up.ts';
import { createPatience, isAway, longestMs } from './patience.ts';
import { createPlaces, keyOf, type Placed } from './places.ts';
import { settleOnShard } from './settle.ts';

/** For how many owners something is done at once. */
const atOnce = 4;

/**
 * Items that wait on many shards. Each owner is served by itself, so that those whose node is away hold up nobody else: what has become
 * of their deliveries is kept until the node is back, or their leases are over.
 */
export function createSpreadOutbox<Item extends OutboxItem>(database: Database, clock: Clock): Outbox<Item> {
  const places = createPlaces(database);
  const patiently = createPatience();
  /** What had its end while a node was away, of the owner or of the topic: it is not attempted again when its lease is over. */
  const ended = new LRUCache<string, true>({ max: 10_000, ttl: longestMs });

  const claim = createClaim<Item>(database, clock, async (statements) => {
    const claimed = await inParallel(statements, async ({ owner, ...statement }) => {
      const rows = await database.query(statement).catch((error: unknown) => {
        if (isAway(error)) return [];
        throw error;
      });
      return rows.map((row) => ({ owner, found: claimOf<Item>(row) }));
    });
    return claimed.flat().flatMap(({ owner, found }) => {
      const key = { id: found.item.id, destination: found.destination };
      if (ended.has(keyOf(key))) return [];
      places.remember(key, { owner, topic: found.item.topic });
      return [found];
    });
  });

  /** Does something for the deliveries of each owner, in some tables after the others. */
  async function forOwners<D extends DeliveryKey>(
    deliveries: readonly D[],
    work: (tables: OutboxTables, owner: string, own: readonly Placed<D>[]) => Promise<void>,
  ): Promise<void> {
    for (const [tables, some] of byTables(deliveries)) {
      await inParallel([...(await places.byOwner(tables, some))], ([owner, own]) =>
        patiently(() => work(tables, owner, own)),
      );
      places.forget(some);
    }
  }

  const settle = (deliveries: readonly DeliveryKey[], isDone: boolean): Promise<void> =>
    forOwners(deliveries, async (tables, owner, own) => {
      try {
        await settleOnShard(database, tables, owner, own, { isDone, now: clock() });
        for (const one of own) ended.delete(keyOf(one));
      } catch (error) {
        if (isAway(error)) for (const one of own) ended.set(keyOf(one), true);
        throw error;
      }
    });

  return {
    claim,
    complete: (deliveries) => settle(deliveries, true),
    drop: (deliveries) => settle(deliveries, false),

    async release(releases) {
      const now = clock();
      await forOwners(releases, async (tables, owner, own) => {
        const values = [
          owner,
          own.map(({ id }) => id),
          own.map(({ destination }) => destination),
          own.map(({ attempt }) => attempt),
          own.map(({ delayMs }) => delayMs),
          now,
          turnTime(),
        ];
        await database.query(releaseOnShard(tables, values));
      });
    },

    async giveUp(which) {
      const dropped: Dropped[] = [];
      for (const tables of allTables)
        dropped.push(...(await giveUpOnShards(database, tables, which, clock())));
      return dropped;
    },

    backlog: (which) => backlog(database, which),
  };
}

/** The results in the order of the entries. */
async function inParallel<T, R>(entries: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = entries.entries();
  await Promise.all(
    Array.from({ length: Math.min(atOnce, entries.length) }, async () => {
      for (const [index, entry] of left) results[index] = await work(entry);
    }),
  );
  return results;
}

const releaseOnShard = forTables(
  'release deliveries on shard',
  ({ items, queues }) => `
  WITH asked AS MATERIALIZED (
    SELECT o.destination, o.ordering_key, o.seq, r.attempt, r.delay FROM unnest($2::text[], $3::text[], $4::integer[], $5::float8[]) AS r (id, destination, attempt, delay)
    JOIN ${items} o ON o.id = r.id AND o.destination = r.destination AND o.attempt = r.attempt WHERE o.bucket = $1
  ), locked AS MATERIALIZED (
    SELECT q.destination, q.ordering_key FROM ${queues} q WHERE q.bucket = $1 AND (q.destination, q.ordering_key) IN (SELECT destination, ordering_key FROM asked)
    ORDER BY q.destination COLLATE "C", q.ordering_key COLLATE "C" FOR UPDATE
  ), turned AS (
    UPDATE ${queues} q SET claims = claims + 1, failing = q.failing OR d.delay > 0, served = CASE WHEN d.delay > 0 THEN $7::float8 ELSE q.served END
    FROM locked l JOIN (SELECT destination, ordering_key, max(delay) AS delay FROM asked GROUP BY 1, 2) d USING (destination, ordering_key)
    WHERE q.bucket = $1 AND q.destination = l.destination AND q.ordering_key = l.ordering_key
  ) UPDATE ${items} o SET held_until = $6 + a.delay, claimed = false, failures = o.failures + (a.delay > 0)::integer FROM asked a JOIN locked l USING (destination, ordering_key)
    WHERE o.bucket = $1 AND o.destination = a.destination AND o.ordering_key = a.ordering_key AND o.seq = a.seq AND o.attempt = a.attempt`,
);
