import { type Database, sql } from '../database.ts';
import pg from 'pg';
import { groupByKey } from '../../../core/json-values.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type {
  Backlog,
  BacklogFilter,
  DestinationState,
  DestinationStateStore,
  Outbox,
  OutboxItem,
  Settlement,
} from '../../../outbox/outbox.store.ts';
import { queryShardRows } from '../query-shards.ts';
import { readOnlyMessage, unavailableError, catchUnavailable } from '../failures.ts';
import { toClaim, claimStatements, findCandidates } from './claim.ts';
import type { ClaimSession } from './claim-session.ts';
import { dropWaiting, settleForOwner } from './settle.ts';

/** Counts waiting items by shard, as all deliveries of an item share one. */
async function readBacklog(database: Database, filter: BacklogFilter | undefined): Promise<Backlog> {
  await assertPrimary(database);
  const condition = destinationCondition(filter);
  const rows = await queryShardRows(database, ['deliveries'], (table) => ({
    title: 'backlog',
    text: `SELECT count(*) AS count, min(oldest) AS oldest FROM (
      SELECT bucket, id, min(stored_at) AS oldest FROM ${table('deliveries')} d ${condition} GROUP BY bucket, id) AS items`,
  }));
  const oldestTimes = rows.flatMap((row) => (row.oldest == null ? [] : [row.oldest as number]));
  return {
    count: rows.reduce((sum, row) => sum + (row.count as number), 0),
    ...(oldestTimes.length > 0 && { oldestAt: Math.min(...oldestTimes) }),
  };
}

/** Throws UNAVAILABLE if the session cannot write, as on a standby. */
async function assertPrimary(database: Database): Promise<void> {
  await database.use(async ({ run, discard }) => {
    const [status] = await run([
      sql`/* takes changes */ SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS standby`,
    ]);
    if (!status?.standby) return;
    // A new connection may reach the primary.
    discard();
    throw unavailableError(readOnlyMessage, new Error('the session is read-only, or the server a standby'));
  });
}

/** Condition with literals instead of parameters, so that partial indexes apply. */
function destinationCondition(filter: BacklogFilter | undefined): string {
  if (!filter) return '';
  return 'only' in filter
    ? `WHERE destination = ${pg.escapeLiteral(filter.only)}`
    : `WHERE destination <> ${pg.escapeLiteral(filter.except)}`;
}

/** States of destinations in PostgreSQL. */
export function createPostgresDestinationStates(database: Database): DestinationStateStore {
  return {
    async read(names) {
      // Destinations on an unavailable node are missing; deliveries to the others go on.
      const rows =
        names.length === 0
          ? []
          : await queryShardRows(database, ['destinations'], (table) => ({
              title: 'destinations',
              text: `SELECT name, paused_until, off_since, on_since FROM ${table('destinations')} d WHERE name IN (${names.map((name) => pg.escapeLiteral(name)).join(', ')})`,
            }));
      return new Map(
        rows.map(({ name, paused_until: pausedUntil, off_since: offSince, on_since: onSince }) => [
          name as string,
          { pausedUntil, offSince, onSince } as DestinationState,
        ]),
      );
    },
    async pause(name, until) {
      await database.query(sql`/* pause destination */ INSERT INTO destinations AS d (name, paused_until) VALUES (${name}, ${until})
          ON CONFLICT (name) DO UPDATE SET paused_until = greatest(d.paused_until, excluded.paused_until)`);
    },
    async turnOff(name, version, since) {
      await database.query(sql`/* turn destination off */ INSERT INTO destinations AS d (name, off_since)
        VALUES (${name}, jsonb_build_object(${version}::text, ${since}::float8))
          ON CONFLICT (name) DO UPDATE SET off_since = excluded.off_since || d.off_since`);
    },
    async turnOn(name, since) {
      await database.query(sql`/* turn destination on */ INSERT INTO destinations AS d (name, on_since) VALUES (${name}, ${since})
    ON CONFLICT (name) DO UPDATE SET on_since = greatest(d.on_since, excluded.on_since)`);
    },
  };
}

/** Owners whose transactions run at once. */
const maxParallelOwners = 4;

/** Claims without a session last until their lease ends, even if this process dies. */
const noSession: Pick<ClaimSession, 'number' | 'onLost'> = { number: () => 0, onLost: () => undefined };

/** The outbox in PostgreSQL. Each owner has its own transaction, so an unavailable cluster node affects only its owners. */
export function createPostgresOutbox<Item extends OutboxItem>(
  database: Database,
  clock: Clock,
  session: Pick<ClaimSession, 'number' | 'onLost'> = noSession,
): Outbox<Item> {
  /** Destinations whose next claim begins with a failing queue: every other one. */
  const failingFirstDestinations = new Set<string>();
  return {
    async claim(claimLimits, leaseMs) {
      const sessionNumber = session.number();
      const usableLimits = claimLimits.filter(({ limit }) => limit > 0);
      if (sessionNumber === undefined || usableLimits.length === 0) return [];
      for (const { destination } of usableLimits)
        if (!failingFirstDestinations.delete(destination)) failingFirstDestinations.add(destination);
      const now = clock();
      const candidates = await findCandidates(database, usableLimits, failingFirstDestinations, now);
      const claims = claimStatements(candidates, { session: sessionNumber, now, leasedUntil: now + leaseMs });
      const claimedRows = await mapInParallel(claims, async ([owner, statement]) =>
        (await catchUnavailable(database.query(statement), [])).map((row) => toClaim<Item>(owner, row)),
      );
      // Claims of an ended session belong to other relays.
      return session.number() === sessionNumber ? claimedRows.flat() : [];
    },

    async settle(settlements) {
      const now = clock();
      const unsettledByOwner = await mapInParallel(
        [...groupByKey(settlements, ({ owner }) => owner)],
        async ([owner, ownSettlements]): Promise<readonly Settlement[]> =>
          catchUnavailable(
            settleForOwner(database, owner, ownSettlements, now).then(() => []),
            ownSettlements,
          ),
      );
      return unsettledByOwner.flat();
    },

    dropWaiting: (request) => dropWaiting(database, request, clock()),
    backlog: (filter) => readBacklog(database, filter),
    onClaimsLost: session.onLost,
  };
}

/** Maps entries in order, with up to `maxParallelOwners` at once. */
async function mapInParallel<T, R>(entries: readonly T[], mapEntry: (entry: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const remainingEntries = entries.entries();
  await Promise.all(
    Array.from({ length: Math.min(maxParallelOwners, entries.length) }, async () => {
      for (const [index, entry] of remainingEntries) results[index] = await mapEntry(entry);
    }),
  );
  return results;
}
