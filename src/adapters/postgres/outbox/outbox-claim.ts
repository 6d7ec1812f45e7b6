import { deepFreeze } from '../../../core/kernel/freeze.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Capacity, Claim, Outbox, OutboxItem } from '../../../outbox/outbox.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import { readyEverywhere } from '../spread/ready.ts';
import { byTables, forTables, turnTime, type OutboxTables } from './outbox-tables.ts';

/** A queue to serve, with those of its items that may be handed out, oldest first. */
interface Turn {
  readonly bucket: string;
  readonly destination: string;
  readonly key: string;
  /** Counts the changes of the queue's claims: a concurrent relay that comes second finds another number. */
  readonly claims: number;
  readonly seqs: readonly number[];
}

interface Asked {
  readonly capacities: readonly Capacity[];
  readonly now: number;
  /** The destinations of which a failing queue is served before one that does not fail. */
  readonly failingFirst: ReadonlySet<string>;
}

// Reading takes no locks: what is found here is claimed owner by owner, if it is still the same then.
const ready = ({ queues, items }: OutboxTables, failing: boolean): string => `(
  SELECT turn.* FROM unnest($2::text[], $3::integer[]) AS w (destination, most) CROSS JOIN LATERAL (
    SELECT q.bucket, q.destination, q.ordering_key, q.claims, q.failing, q.served, waiting.seqs, waiting.held FROM ${queues} q
    CROSS JOIN LATERAL (
      SELECT array_agg(o.seq) AS seqs, array_agg(o.held_until > $1) AS held FROM (
        SELECT seq, held_until FROM ${items} WHERE bucket = q.bucket AND destination = q.destination AND ordering_key = q.ordering_key ORDER BY seq LIMIT w.most) AS o
    ) AS waiting
    WHERE q.destination = w.destination AND q.failing = ${failing} AND NOT waiting.held[1] ORDER BY q.served LIMIT w.most) AS turn)`;

const next = forTables(
  'next turns',
  (tables) =>
    `SELECT * FROM (${ready(tables, true)} UNION ALL ${ready(tables, false)}) AS turns ORDER BY served`,
);

/**
 * The items to claim: at each destination the first of each queue before the second of any. Failing queues alternate with
 * the others, and among each other those that were served longest ago come first.
 */
async function nextTurns(
  database: Database,
  tables: OutboxTables,
  { capacities, now, failingFirst }: Asked,
): Promise<Turn[]> {
  const rows = database.isSpread
    ? await readyEverywhere(database, tables, capacities, now)
    : await database.query(
        next(tables, [
          now,
          capacities.map(({ destination }) => destination),
          capacities.map(({ limit }) => limit),
        ]),
      );
  const found = grouped(rows, (row) => row.destination as string);
  return capacities.flatMap(({ destination, limit, failing: mostFailing = limit }) => {
    const rows = found.get(destination) ?? [];
    const lists = [
      rows.filter(({ failing }) => failing).slice(0, mostFailing),
      rows.filter(({ failing }) => !failing),
    ];
    if (!failingFirst.has(destination)) lists.reverse();
    const longest = Math.max(0, ...lists.map(({ length }) => length));
    const turns = Array.from({ length: longest }, (_, turn) =>
      lists.flatMap((list): Row[] => (list[turn] ? [list[turn]] : [])),
    )
      .flat()
      .slice(0, limit);
    return share(turns.map(turnOf), limit);
  });
}

function turnOf({ bucket, destination, ordering_key: key, claims, seqs, held }: Row): Turn {
  const free = (held as readonly boolean[]).indexOf(true);
  const all = (seqs as readonly (number | string)[]).map(Number);
  return {
    bucket: bucket as string,
    destination: destination as string,
    key: key as string,
    claims: claims as number,
    seqs: free === -1 ? all : all.slice(0, free),
  };
}

/** Divides the limit: one item for each queue in turn, until it is used up. */
function share(turns: readonly Turn[], limit: number): Turn[] {
  const taken = turns.map(() => 0);
  let left = limit;
  for (let round = 0; left > 0 && turns.some(({ seqs }) => seqs.length > round); round += 1) {
    for (const [index, { seqs }] of turns.entries()) {
      if (left === 0 || seqs.length <= round) continue;
      taken[index] = round + 1;
      left -= 1;
    }
  }
  return turns
    .map((turn, index) => ({ ...turn, seqs: turn.seqs.slice(0, taken[index]) }))
    .filter(({ seqs }) => seqs.length > 0);
}

const claimText =
  (served: string) =>
  ({ queues, items, bodies }: OutboxTables): string => `
WITH mine AS MATERIALIZED (
  SELECT q.destination, q.ordering_key, w.turn
  FROM ${queues} q JOIN unnest($2::text[], $3::text[], $4::bigint[], $5::integer[]) AS w (destination, ordering_key, claims, turn)
    ON q.destination = w.destination AND q.ordering_key = w.ordering_key AND q.claims = w.claims
  WHERE q.bucket = $1 ORDER BY q.destination, q.ordering_key FOR UPDATE OF q SKIP LOCKED
), turned AS (
  UPDATE ${queues} q SET claims = q.claims + 1, served = ${served} + m.turn * 1e-5
  FROM mine m WHERE q.bucket = $1 AND q.destination = m.destination AND q.ordering_key = m.ordering_key
), claimed AS (
  UPDATE ${items} o SET attempt = o.attempt + 1, held_until = $9, claimed = true
  FROM unnest($6::text[], $7::text[], $8::bigint[]) AS w (destination, ordering_key, seq) JOIN mine m USING (destination, ordering_key)
  WHERE o.bucket = $1 AND o.destination = w.destination AND o.ordering_key = w.ordering_key AND o.seq = w.seq AND o.held_until <= $10
  RETURNING o.*
) SELECT c.id, destination, topic, ordering_key, attributes, ${bodies ? 'coalesce(b.data, c.data) AS data' : 'data'}, attempt, failures
FROM claimed c${bodies ? ` LEFT JOIN ${bodies} b ON b.bucket = $1 AND b.id = c.body_id` : ''} ORDER BY destination, ordering_key, seq`;

const claim = forTables('claim items', claimText('extract(epoch FROM clock_timestamp())'));
const claimOnShard = forTables('claim items on shard', claimText('$11::float8'));

/** Claims the items of one owner. */
type OwnersClaim = Statement & { readonly owner: string };

/** A statement for each owner; what another relay was faster with is left to it. */
function claimFrom(
  { isSpread }: Database,
  tables: OutboxTables,
  turns: readonly Turn[],
  now: number,
  until: number,
): OwnersClaim[] {
  const owners = grouped(
    turns.map((turn, index) => ({ ...turn, index })),
    ({ bucket }) => bucket,
  );
  return [...owners].map(([owner, own]) => {
    const claimed = own.flatMap(({ destination, key, seqs }) =>
      seqs.map((seq) => ({ destination, key, seq })),
    );
    const values = [
      owner,
      own.map(({ destination }) => destination),
      own.map(({ key }) => key),
      own.map(({ claims }) => claims),
      own.map(({ index }) => index),
      claimed.map(({ destination }) => destination),
      claimed.map(({ key }) => key),
      claimed.map(({ seq }) => seq),
      until,
      now,
    ];
    return { owner, ...(isSpread ? claimOnShard(tables, [...values, turnTime()]) : claim(tables, values)) };
  });
}

/** Claims at some destinations, in some tables after the others. Of a destination a failing queue comes first every other time. */
export function createClaim<Item extends OutboxItem>(
  database: Database,
  clock: Clock,
  runAll: (claims: readonly OwnersClaim[]) => Promise<readonly Claim<Item>[]>,
): Outbox<Item>['claim'] {
  const failingFirst = new Set<string>();
  return async (capacities, leaseMs) => {
    const claimed: Claim<Item>[] = [];
    const wanted = capacities.filter(({ limit }) => limit > 0);
    for (const { destination } of wanted)
      if (!failingFirst.delete(destination)) failingFirst.add(destination);
    for (const [tables, own] of byTables(wanted)) {
      const now = clock();
      const turns = await nextTurns(database, tables, { capacities: own, now, failingFirst });
      claimed.push(...(await runAll(claimFrom(database, tables, turns, now, now + leaseMs))));
    }
    return claimed;
  };
}

export const claimOf = <Item extends OutboxItem>({
  id,
  destination,
  topic,
  ordering_key: orderingKey,
  attributes,
  data,
  attempt,
  failures,
}: Row): Claim<Item> => {
  const item = {
    id,
    ...(topic !== null && { topic }),
    orderingKey,
    attributes: JSON.parse(attributes as string) as unknown,
    data,
  } as Item;
  return deepFreeze({
    item,
    destination: destination as string,
    attempt: attempt as number,
    failures: failures as number,
  });
};
