import type { Database, Row, Statement } from '../database.ts';
import { grouped } from '../grouped.ts';

/** A queue whose turn it is, with those of its messages that may be handed out, oldest first. */
interface Turn {
  readonly bucket: string;
  readonly key: string;
  /** Counts what happened to its claims: who was slower finds another number. */
  readonly claims: number;
  readonly seqs: readonly number[];
}

interface Asked {
  readonly limit: number;
  readonly now: number;
  /** Whether a queue that fails comes before one that does not. */
  readonly failingFirst: boolean;
}

// Reading takes no locks: what is found here is claimed bucket by bucket, if it is still the same then.
const ready = (failing: boolean): string => `(
  SELECT q.bucket, q.ordering_key, q.claims, q.failing, waiting.seqs, waiting.held FROM queues q
  CROSS JOIN LATERAL (
    SELECT array_agg(o.seq) AS seqs, array_agg(o.held_until > $1) AS held FROM (
      SELECT seq, held_until FROM outbox WHERE bucket = q.bucket AND ordering_key = q.ordering_key ORDER BY seq LIMIT $2) AS o
  ) AS waiting
  WHERE q.failing = ${failing} AND NOT waiting.held[1] ORDER BY q.served LIMIT $2)`;

const next: Omit<Statement, 'values'> = { name: 'next turns', text: `${ready(true)} UNION ALL ${ready(false)}` };

/**
 * Which messages are to be claimed: the first of each queue before the second of any. Queues that fail take turns with
 * the others, and among each other those that were served longest ago come first.
 */
export async function nextTurns(database: Database, { limit, now, failingFirst }: Asked): Promise<Turn[]> {
  const rows = await database.query({ ...next, values: [now, limit] });
  const lists = [true, false].map((failing) => rows.filter((row) => row.failing === failing));
  if (!failingFirst) lists.reverse();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list): Row[] => (list[turn] ? [list[turn]] : []))).flat().slice(0, limit);
  return share(turns.map(turnOf), limit);
}

function turnOf({ bucket, ordering_key: key, claims, seqs, held }: Row): Turn {
  const free = (held as readonly boolean[]).indexOf(true);
  const all = (seqs as readonly (number | string)[]).map(Number);
  return { bucket: bucket as string, key: key as string, claims: claims as number, seqs: free === -1 ? all : all.slice(0, free) };
}

/** Divides the limit: one message for each in turn, until it is used up. */
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
  return turns.map((turn, index) => ({ ...turn, seqs: turn.seqs.slice(0, taken[index]) })).filter(({ seqs }) => seqs.length > 0);
}

const text = `
WITH mine AS MATERIALIZED (
  SELECT q.ordering_key, w.turn FROM queues q JOIN unnest($2::text[], $3::bigint[], $4::integer[]) AS w (ordering_key, claims, turn)
    ON q.ordering_key = w.ordering_key AND q.claims = w.claims
  WHERE q.bucket = $1 ORDER BY q.ordering_key FOR UPDATE OF q SKIP LOCKED
), turned AS (
  UPDATE queues q SET claims = q.claims + 1, served = extract(epoch FROM clock_timestamp()) + m.turn * 1e-5
  FROM mine m WHERE q.bucket = $1 AND q.ordering_key = m.ordering_key
), claimed AS (
  UPDATE outbox o SET attempt = o.attempt + 1, held_until = $7
  FROM unnest($5::text[], $6::bigint[]) AS w (ordering_key, seq) JOIN mine m USING (ordering_key)
  WHERE o.bucket = $1 AND o.ordering_key = w.ordering_key AND o.seq = w.seq AND o.held_until <= $8
  RETURNING o.*
) SELECT id, topic, ordering_key, attributes, data, attempt FROM claimed ORDER BY ordering_key, seq`;

/** A statement for each bucket; what another relay was faster with is left to it. */
export function claimFrom(turns: readonly Turn[], now: number, until: number): Statement[] {
  const buckets = grouped(turns.map((turn, index) => ({ ...turn, index })), ({ bucket }) => bucket);
  return [...buckets].map(([bucket, own]) => ({
    name: 'claim messages',
    text,
    values: [
      bucket, own.map(({ key }) => key), own.map(({ claims }) => claims), own.map(({ index }) => index),
      own.flatMap(({ key, seqs }) => seqs.map(() => key)), own.flatMap(({ seqs }) => seqs), until, now,
    ],
  }));
}
