import type { Clock } from '../../../core/runtime/clock.ts';
import { grouped } from '../../../core/kernel/plain-data.ts';
import type { Outbox, OutboxItem, Settlement } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { unlessAway } from '../failures.ts';
import { backlog } from './backlog.ts';
import { claimOf, claimsByOwner, nextTurns } from './claim.ts';
import type { ClaimSession } from './session.ts';
import { giveUp, settleOfOwner } from './settle.ts';

/** The number of owners that are served at the same time. */
const atOnce = 4;

/** The session of claims that last as long as their lease, whatever becomes of this process. */
const leaseAlone: Pick<ClaimSession, 'number' | 'onLost'> = { number: () => 0, onLost: () => undefined };

/**
 * Items that wait in the database: any number of relays may claim them. Leases go by the clocks of the gateways. Each owner is served by
 * itself, in a transaction of its own, so that no relay waits for another, and those whose node of a cluster is away hold up nobody else.
 */
export function createPostgresOutbox<Item extends OutboxItem>(
  database: Database,
  clock: Clock,
  session: Pick<ClaimSession, 'number' | 'onLost'> = leaseAlone,
): Outbox<Item> {
  /** Of a destination a failing queue comes first every other time. */
  const failingFirst = new Set<string>();
  return {
    async claim(capacities, leaseMs) {
      const number = session.number();
      const wanted = capacities.filter(({ limit }) => limit > 0);
      if (number === undefined || wanted.length === 0) return [];
      for (const { destination } of wanted)
        if (!failingFirst.delete(destination)) failingFirst.add(destination);
      const now = clock();
      const turns = await nextTurns(database, wanted, failingFirst, now);
      const claims = claimsByOwner(turns, { session: number, now, until: now + leaseMs });
      const claimed = await inParallel(claims, async ([owner, statement]) =>
        (await unlessAway(database.query(statement), [])).map((row) => claimOf<Item>(owner, row)),
      );
      // What was claimed for a session that has ended is others' by now.
      return session.number() === number ? claimed.flat() : [];
    },

    async settle(settlements) {
      const now = clock();
      const left = await inParallel(
        [...grouped(settlements, ({ owner }) => owner)],
        async ([owner, own]): Promise<readonly Settlement[]> =>
          unlessAway(
            settleOfOwner(database, owner, own, now).then(() => []),
            own,
          ),
      );
      return left.flat();
    },

    giveUp: (which) => giveUp(database, which, clock()),
    backlog: (which) => backlog(database, which),
    onClaimsLost: session.onLost,
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
