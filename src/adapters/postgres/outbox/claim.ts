import pg from 'pg';
import { deepFreeze, grouped } from '../../../core/patch.ts';
import { alternate, type Capacity, type Claim, type OutboxItem } from '../../../outbox/outbox.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { queryEverywhere } from '../everywhere.ts';

/** An item to claim. */
interface Turn {
  readonly bucket: string;
  readonly destination: string;
  readonly key: string;
  /** Counts the changes of the queue's claims: a concurrent relay that comes second finds another number. */
  readonly claims: number;
  readonly seq: number;
  /** Its place among the items of the queue that may be handed out. */
  readonly round: number;
}

/**
 * The items to claim: at each destination the first of each queue before the second of any. Failing queues alternate with
 * the others, and among each other those that were served longest ago come first. Reading takes no locks: what is found here
 * is claimed owner by owner, if it is still the same then. `failingFirst`: destinations that begin with a failing queue.
 */
export async function nextTurns(
  database: Database,
  capacities: readonly Capacity[],
  failingFirst: ReadonlySet<string>,
  now: number,
): Promise<readonly Turn[]> {
  const found = grouped(
    await readyQueues(database, capacities, now),
    ({ destination }) => destination as string,
  );
  return capacities.flatMap(({ destination, limit, failing: mostFailing = limit }) => {
    const rows = found.get(destination) ?? [];
    const failing = rows.filter((row) => row.failing).slice(0, mostFailing);
    const sound = rows.filter((row) => !row.failing);
    const queues = failingFirst.has(destination)
      ? alternate(failing, sound, limit)
      : alternate(sound, failing, limit);
    return queues
      .flatMap(turnsOf)
      .sort((one, other) => one.round - other.round)
      .slice(0, limit);
  });
}

/**
 * Queues with items that may be handed out, those that were served longest ago first: as many as there is room for, of those that fail
 * and of the others. A relay asks all the time, so it is looked first at which kinds of queues there are at all.
 */
async function readyQueues(
  database: Database,
  capacities: readonly Capacity[],
  now: number,
): Promise<readonly Row[]> {
  const limits = new Map(capacities.map(({ destination, limit }) => [destination, limit]));
  const kinds = await queryEverywhere(database, ['delivery_queues'], (table) => ({
    name: 'kinds of queues',
    text: `SELECT DISTINCT destination, failing FROM ${table('delivery_queues')} q`,
  }));
  const wanted = new Map(
    kinds
      .filter(({ destination }) => limits.has(destination as string))
      .map((kind) => [JSON.stringify([kind.destination, kind.failing]), kind]),
  );
  if (wanted.size === 0) return [];
  const rows = await queryEverywhere(database, ['delivery_queues', 'deliveries'], (table) => ({
    title: 'next turns',
    text: [...wanted.values()]
      .map(({ destination, failing }) => {
        const limit = limits.get(destination as string) as number;
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

/** The items of a queue that may be handed out, oldest first. */
function turnsOf({ bucket, destination, ordering_key: key, claims, seqs, held }: Row): Turn[] {
  const firstHeld = (held as readonly boolean[]).indexOf(true);
  const queue = { bucket, destination, key, claims } as Pick<
    Turn,
    'bucket' | 'destination' | 'key' | 'claims'
  >;
  return (seqs as readonly number[])
    .slice(0, firstHeld === -1 ? undefined : firstHeld)
    .map((seq, round) => ({ ...queue, seq, round }));
}

/** Until when, and for which session of which relay. */
interface ClaimLease {
  readonly session: number;
  readonly now: number;
  readonly until: number;
}

/** A statement for each owner; what another relay was faster with is left to it. */
export const claimsByOwner = (
  turns: readonly Turn[],
  { session, now, until }: ClaimLease,
): readonly (readonly [owner: string, Statement])[] =>
  [...grouped(turns, ({ bucket }) => bucket)].map(([owner, own]) => {
    const queues = own.filter(({ round }) => round === 0);
    const values = [
      owner,
      queues.map(({ destination }) => destination),
      queues.map(({ key }) => key),
      queues.map(({ claims }) => claims),
      queues.map((turn) => turns.indexOf(turn)),
      own.map(({ destination }) => destination),
      own.map(({ key }) => key),
      own.map(({ seq }) => seq),
      until,
      now,
      turnTime(),
      session,
    ];
    return [owner, { name: 'claim items', text: claimText, values }];
  });

const claimText = `
WITH mine AS MATERIALIZED (
  SELECT q.destination, q.ordering_key, w.turn
  FROM delivery_queues q JOIN unnest($2::text[], $3::text[], $4::bigint[], $5::integer[]) AS w (destination, ordering_key, claims, turn)
    ON q.destination = w.destination AND q.ordering_key = w.ordering_key AND q.claims = w.claims
  WHERE q.bucket = $1 ORDER BY q.destination, q.ordering_key FOR UPDATE OF q SKIP LOCKED
), turned AS (
  UPDATE delivery_queues q SET claims = q.claims + 1, served = $11::float8 + m.turn * 1e-5
  FROM mine m WHERE q.bucket = $1 AND q.destination = m.destination AND q.ordering_key = m.ordering_key
), claimed AS (
  UPDATE deliveries o SET attempt = o.attempt + 1, held_until = $9, session = $12::integer
  FROM unnest($6::text[], $7::text[], $8::bigint[]) AS w (destination, ordering_key, seq) JOIN mine m USING (destination, ordering_key)
  WHERE o.bucket = $1 AND o.destination = w.destination AND o.ordering_key = w.ordering_key AND o.seq = w.seq AND o.held_until <= $10
  RETURNING o.*
) SELECT c.id, destination, topic, ordering_key, attributes, coalesce(b.data, c.data) AS data, attempt, failures
FROM claimed c LEFT JOIN delivery_bodies b ON b.bucket = $1 AND b.id = c.body_id ORDER BY destination, ordering_key, seq`;

/**
 * The time of a queue's turn (s), not before the database's own of the same moment. No shard is led to by what differs each time that
 * it is worked out.
 */
export const turnTime = (): number => (Date.now() + 1) / 1000;

export const claimOf = <Item extends OutboxItem>(owner: string, row: Row): Claim<Item> => {
  const { topic, ordering_key: orderingKey, attributes } = row;
  const [id, destination] = [row.id as string, row.destination as string];
  const item = {
    id,
    ...(topic !== null && { topic }),
    orderingKey,
    attributes: JSON.parse(attributes as string) as unknown,
    data: row.data,
  } as Item;
  return deepFreeze({
    item,
    owner,
    destination,
    attempt: row.attempt as number,
    failures: row.failures as number,
  });
};
