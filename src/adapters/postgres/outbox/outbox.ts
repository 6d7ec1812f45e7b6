import pg from 'pg';
import { groupByKey, deepFreeze } from '../../../core/json.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import {
  type Backlog,
  type BacklogFilter,
  type DestinationState,
  type DestinationStateStore,
  type Outbox,
  type OutboxItem,
  type Settlement,
  interleave,
  type ClaimLimit,
  type Claim,
} from '../../../outbox/outbox.store.ts';
import { type Database, sql, type Row, type Statement, isCluster } from '../database.ts';
import { catchUnavailable } from '../failures.ts';
import type { ClaimSession } from './claim-session.ts';
import { dropWaiting, servedSeconds, settleForOwner } from './settle.ts';
import { queryShardRows } from '../query-shards.ts';

/** Counts waiting items by shard, as all deliveries of an item share one. */
async function readBacklog(database: Database, filter: BacklogFilter | undefined): Promise<Backlog> {
  await database.query(lockNothing);
  const condition = filter ? destinationCondition(filter) : '';
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

/** Fails as every change does while the database is read-only or a standby, whose connection is then closed. */
const lockNothing = sql`/* takes changes */ SELECT FROM settings WHERE false FOR UPDATE`;

/** Condition with literals instead of parameters, so that partial indexes apply. */
const destinationCondition = (filter: BacklogFilter): string =>
  'only' in filter
    ? `WHERE destination = ${pg.escapeLiteral(filter.only)}`
    : `WHERE destination <> ${pg.escapeLiteral(filter.except)}`;

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
              text: `SELECT name, paused_until AS "pausedUntil", off_since AS "offSince", on_since AS "onSince" FROM ${table('destinations')} d WHERE name IN (${names.map((name) => pg.escapeLiteral(name)).join(', ')})`,
            }));
      return new Map(
        rows.map(({ name, ...state }) => [name as string, state as unknown as DestinationState]),
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

/**
 * The outbox in PostgreSQL. Each owner has its own transaction, so an unavailable cluster node affects only its owners.
 * Claims without a session last until their lease ends, even if this process dies.
 */
export function createPostgresOutbox<Item extends OutboxItem>(
  database: Database,
  clock: Clock,
  session: Pick<ClaimSession, 'number' | 'onLost'> = { number: () => 0, onLost: () => undefined },
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
      const candidatesByOwner = groupByKey(candidates, ({ queue }) => queue.bucket as string);
      const claimedRows = await mapInParallel([...candidatesByOwner], async ([owner, ownCandidates]) => {
        const statement = claimStatement(owner, ownCandidates, sessionNumber, now, now + leaseMs);
        return (await catchUnavailable(database.query(statement), [])).map((row) =>
          toClaim<Item>(owner, row),
        );
      });
      // Claims of an ended session belong to other relays.
      return session.number() === sessionNumber ? claimedRows.flat() : [];
    },

    async settle(settlements) {
      const now = clock();
      const unsettledByOwner = await mapInParallel(
        [...groupByKey(settlements, ({ owner }) => owner)],
        ([owner, ownSettlements]) =>
          catchUnavailable<readonly Settlement[]>(
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

/** An item that may be claimed, as it was read without locks. */
interface ClaimCandidate {
  /** Row of `delivery_queues`. Each claim changes its `claims`, which shows concurrent claims. */
  readonly queue: Row;
  /** Number of the item in its queue. */
  readonly seq: number;
  /** Number of waiting items of the queue that precede the item. */
  readonly round: number;
  /** Position among all candidates of a claim, in which their queues are served. */
  readonly turn: number;
}

/** Finds items to claim, without locks: the first of each queue before the second of any. Failing and healthy queues alternate. */
async function findCandidates(
  database: Database,
  claimLimits: readonly ClaimLimit[],
  failingFirstDestinations: ReadonlySet<string>,
  now: number,
): Promise<readonly ClaimCandidate[]> {
  const queuesByDestination = groupByKey(
    await findReadyQueues(database, claimLimits, now),
    ({ destination }) => destination as string,
  );
  return claimLimits
    .flatMap(({ destination, limit, maxFailing = limit }) => {
      const rows = queuesByDestination.get(destination) ?? [];
      const queues = [
        rows.filter((row) => row.failing).slice(0, maxFailing),
        rows.filter((row) => !row.failing),
      ];
      if (!failingFirstDestinations.has(destination)) queues.reverse();
      return interleave(queues[0] ?? [], queues[1] ?? [], limit)
        .flatMap(candidatesOf)
        .sort((a, b) => a.round - b.round)
        .slice(0, limit);
    })
    .map((candidate, turn) => ({ ...candidate, turn }));
}

/** Finds failing and healthy queues, least recently served first. Relays poll, so a cheap query first checks which kinds exist. */
async function findReadyQueues(
  database: Database,
  claimLimits: readonly ClaimLimit[],
  now: number,
): Promise<readonly Row[]> {
  const limitsByDestination = new Map(claimLimits.map(({ destination, limit }) => [destination, limit]));
  const readsAllQueues = claimLimits.length > maxProbedDestinations || (await isCluster(database));
  const queueKinds = await queryShardRows(database, ['delivery_queues'], (table) => ({
    title: 'kinds of queues',
    text: readsAllQueues
      ? `SELECT DISTINCT destination, failing FROM ${table('delivery_queues')} q`
      : probeKindsText([...limitsByDestination.keys()]),
  }));
  const requestedKinds = new Map(
    queueKinds
      .filter(({ destination }) => limitsByDestination.has(destination as string))
      .map((kind) => [JSON.stringify([kind.destination, kind.failing]), kind]),
  );
  if (requestedKinds.size === 0) return [];
  const rows = await queryShardRows(database, ['delivery_queues', 'deliveries'], (table) => ({
    title: 'next turns',
    text: [...requestedKinds.values()]
      .map(({ destination, failing }) => {
        const limit = limitsByDestination.get(destination as string) as number;
        return `(
  SELECT q.bucket, q.destination, q.ordering_key, q.claims, q.failing, q.served, waiting.seqs, waiting.held
  FROM ${table('delivery_queues')} q CROSS JOIN LATERAL (
    SELECT array_agg(o.seq) AS seqs, array_agg(o.held_until > ${now}) AS held FROM (
      SELECT seq, held_until FROM ${table('deliveries')} d
      WHERE bucket = q.bucket AND destination = q.destination AND ordering_key = q.ordering_key ORDER BY seq LIMIT ${limit}) AS o
  ) AS waiting
  WHERE q.destination = ${pg.escapeLiteral(destination as string)} AND q.failing = ${String(failing)} AND NOT waiting.held[1] ORDER BY q.served LIMIT ${limit})`;
      })
      .join(' UNION ALL '),
  }));
  return rows.toSorted((a, b) => (a.served as number) - (b.served as number));
}

/** Destinations up to which each kind of queue is probed, which many waiting queues do not slow. */
const maxProbedDestinations = 8;

/** Selects the kinds of queues by one entry of an index for each. A cluster would run each probe on all shards. */
const probeKindsText = (destinations: readonly string[]): string =>
  destinations
    .flatMap((destination) =>
      ['true', 'false'].map(
        (failing) =>
          `(SELECT destination, failing FROM delivery_queues WHERE destination = ${pg.escapeLiteral(destination)} AND failing = ${failing} LIMIT 1)`,
      ),
    )
    .join(' UNION ALL ');

/** Claimable items of a queue, oldest first: those before the first held one. */
function candidatesOf(queue: Row): Omit<ClaimCandidate, 'turn'>[] {
  const [seqs, held] = [queue.seqs as readonly number[], queue.held as readonly boolean[]];
  return seqs.slice(0, [...held, true].indexOf(true)).map((seq, round) => ({ queue, seq, round }));
}

/**
 * Locks the queues (`q`) whose `claims` are as they were read, marks them as served in turn, and leases their items (`o`). `w`: the
 * queues and items to claim; `b`: shared bodies. Queues that are served together keep their order by `turn`, in steps of 10 µs.
 */
function claimStatement(
  owner: string,
  candidates: readonly ClaimCandidate[],
  session: number,
  now: number,
  leasedUntil: number,
): Statement {
  const firstCandidates = candidates.filter(({ round }) => round === 0);
  const queueColumn = (queueCandidates: readonly ClaimCandidate[], column: string): unknown[] =>
    queueCandidates.map(({ queue }) => queue[column]);
  return sql`/* claim items */ WITH mine AS MATERIALIZED (
  SELECT q.destination, q.ordering_key, w.turn
  FROM delivery_queues q JOIN unnest(${queueColumn(firstCandidates, 'destination')}::text[], ${queueColumn(firstCandidates, 'ordering_key')}::text[],
      ${queueColumn(firstCandidates, 'claims')}::bigint[], ${firstCandidates.map(({ turn }) => turn)}::integer[]) AS w (destination, ordering_key, claims, turn)
    ON q.destination = w.destination AND q.ordering_key = w.ordering_key AND q.claims = w.claims
  WHERE q.bucket = ${owner} ORDER BY q.destination, q.ordering_key FOR UPDATE OF q SKIP LOCKED
), turned AS (
  UPDATE delivery_queues q SET claims = q.claims + 1, served = ${servedSeconds()}::float8 + m.turn * 1e-5
  FROM mine m WHERE q.bucket = $5 AND q.destination = m.destination AND q.ordering_key = m.ordering_key
), claimed AS (
  UPDATE deliveries o SET attempt = o.attempt + 1, held_until = ${leasedUntil}, session = ${session}::integer
  FROM unnest(${queueColumn(candidates, 'destination')}::text[], ${queueColumn(candidates, 'ordering_key')}::text[],
      ${candidates.map(({ seq }) => seq)}::bigint[]) AS w (destination, ordering_key, seq) JOIN mine m USING (destination, ordering_key)
  WHERE o.bucket = $5 AND o.destination = w.destination AND o.ordering_key = w.ordering_key AND o.seq = w.seq AND o.held_until <= ${now}
  RETURNING o.*
) SELECT c.id, destination, topic, ordering_key, attributes, coalesce(b.data, c.data) AS data, attempt, failures
FROM claimed c LEFT JOIN delivery_bodies b ON b.bucket = $5 AND b.id = c.body_id ORDER BY destination, ordering_key, seq`;
}

const toClaim = <Item extends OutboxItem>(owner: string, row: Row): Claim<Item> =>
  deepFreeze({
    item: {
      id: row.id,
      ...(row.topic !== null && { topic: row.topic }),
      orderingKey: row.ordering_key,
      attributes: JSON.parse(row.attributes as string) as unknown,
      data: row.data,
    } as Item,
    owner,
    destination: row.destination as string,
    attempt: row.attempt as number,
    failures: row.failures as number,
  });
