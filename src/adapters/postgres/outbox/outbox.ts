import { type Database, sql } from '../database.ts';
import pg from 'pg';
import { grouped } from '../../../core/patch.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type {
  Backlog,
  BacklogPart,
  DestinationState,
  DestinationStates,
  Outbox,
  OutboxItem,
  Settlement,
} from '../../../outbox/outbox.store.ts';
import { queryEverywhere } from '../everywhere.ts';
import { takesNoChanges, unavailable, unlessAway } from '../failures.ts';
import { claimOf, claimsByOwner, nextTurns } from './claim.ts';
import type { ClaimSession } from './session.ts';
import { giveUp, settleOfOwner } from './settle.ts';

/** Counts what waits for some destinations, shard by shard: all deliveries of an item stand on one. */
async function backlog(database: Database, which: BacklogPart | undefined): Promise<Backlog> {
  await refuseStandby(database);
  const condition = conditionOf(which);
  const rows = await queryEverywhere(database, ['deliveries'], (table) => ({
    title: 'backlog',
    text: `SELECT count(*) AS count, min(oldest) AS oldest FROM (
      SELECT bucket, id, min(stored_at) AS oldest FROM ${table('deliveries')} d ${condition} GROUP BY bucket, id) AS items`,
  }));
  const oldest = rows.flatMap((row) => (row.oldest == null ? [] : [row.oldest as number]));
  return {
    count: rows.reduce((sum, row) => sum + (row.count as number), 0),
    ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }),
  };
}

async function refuseStandby(database: Database): Promise<void> {
  await database.use(async ({ run, discard }) => {
    const [found] = await run([
      sql`/* takes changes */ SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS standby`,
    ]);
    if (!found?.standby) return;
    // Another connection may lead to the primary.
    discard();
    throw unavailable(takesNoChanges, new Error('the session is read-only, or the server a standby'));
  });
}

/** The name stands in the text, so that indexes of a part are found. */
function conditionOf(which: BacklogPart | undefined): string {
  if (!which) return '';
  return 'only' in which
    ? `WHERE destination = ${pg.escapeLiteral(which.only)}`
    : `WHERE destination <> ${pg.escapeLiteral(which.except)}`;
}

/** The states of destinations in PostgreSQL, shared by all gateways on one database. */
export function createPostgresDestinationStates(database: Database): DestinationStates {
  return {
    async read(names) {
      // A destination whose node is away is left out: deliveries to the others go on.
      const rows =
        names.length === 0
          ? []
          : await queryEverywhere(database, ['destinations'], (table) => ({
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
