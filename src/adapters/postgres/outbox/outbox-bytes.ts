import type { OutboxLimits } from '../../../outbox/outbox.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { counting } from '../transaction.ts';
import { allTables, forTables, type OutboxTables } from './outbox-tables.ts';

// Counters hold the bytes that wait for each destination, by owner and, under the name '', of all owners. A counter is the sum
// of its slots. A writer locks one slot of each counter until the commit, so that writers do not wait for each other; the check
// of a sum does not see what writers in other slots are about to commit. Where the tables are spread there are no counters of all
// (spread/total-bytes.ts), and one slot is enough: it is gone, with its row, when nothing of the owner waits.

/** The bytes that wait for a destination: of all owners, and of the one at hand. */
interface WaitingBytes {
  readonly all: number;
  readonly own: number;
}

/** By destination. */
export type Waiting = ReadonlyMap<string, WaitingBytes>;

const slots = 32;
/** Larger changes share one slot. So the limits are exceeded by 1 MiB and one change at most. */
export const mostBytesAtOnce = 32 * 1024;
export const largeSlot = '0';
const slotOfConnection = `1 + pg_backend_pid() % ${slots - 1}`;

const sums = ({ bytes }: OutboxTables, owner: string): string =>
  `SELECT destination, CASE bucket WHEN '' THEN 'all' ELSE 'own' END AS owner, sum(bytes)::bigint AS bytes FROM ${bytes} WHERE bucket IN ('', ${owner}) GROUP BY bucket, destination`;

const ownSums = ({ bytes }: OutboxTables, owner: string): string =>
  `SELECT destination, 'own' AS owner, sum(bytes)::bigint AS bytes FROM ${bytes} WHERE bucket = ${owner} GROUP BY bucket, destination`;

/** A query for the counters of an owner and of all, as `destination`, `owner` and `bytes`. */
export const waitingBytes = (owner: string): string =>
  allTables.map((tables) => sums(tables, owner)).join(' UNION ALL ');

/** The same of one owner alone, as one shard has them. */
export const ownWaitingBytes = (owner: string): string =>
  allTables.map((tables) => ownSums(tables, owner)).join(' UNION ALL ');

/** Reads the rows of `waitingBytes`, or of `ownWaitingBytes` with what is known of all owners. */
export function readWaiting(rows: readonly Row[], all?: ReadonlyMap<string, number>): Waiting {
  const waiting = new Map<string, WaitingBytes>(
    [...(all ?? [])].map(([name, bytes]) => [name, { all: bytes, own: 0 }]),
  );
  for (const { destination, owner, bytes } of rows) {
    const name = destination as string;
    waiting.set(name, { all: 0, own: 0, ...waiting.get(name), [owner as string]: bytes });
  }
  return waiting;
}

/**
 * Adds to the counters the result of a query for `bucket`, `destination` and `bytes`, after all other locks, and in one order:
 * a writer that has a slot of the first counter has it of the others.
 */
export const countBytes = ({ bytes, key }: OutboxTables, changes: string, slot = slotOfConnection): string =>
  `INSERT INTO ${bytes} AS o (bucket, destination, slot, bytes)
  SELECT bucket, destination, ${slot}, sum(bytes) FROM (${changes}) AS c GROUP BY bucket, destination HAVING sum(bytes) <> 0 ORDER BY bucket, destination
  ON CONFLICT (${key}, slot) DO UPDATE SET bytes = o.bytes + excluded.bytes`;

/** The bytes that may still be added. */
export const roomIn = ({ all, own }: WaitingBytes = { all: 0, own: 0 }, limits: OutboxLimits): number =>
  Math.max(0, Math.min(limits.bytes - all, limits.bytesPerOwner - own));

const checkText = (counters: string): string =>
  counting(
    `SELECT FROM (${counters}) AS w JOIN unnest($2::text[], $3::bigint[], $4::bigint[]) AS l (destination, most, most_own) USING (destination)
   WHERE bytes > CASE owner WHEN 'all' THEN most ELSE most_own END`,
    '0',
  );
const check = forTables('check bytes', (tables) => checkText(sums(tables, '$1')));
const checkOwn = forTables('check own bytes', (tables) => checkText(ownSums(tables, '$1')));

/** Fails where concurrent writers took the room. */
export const checkBytes = (
  tables: OutboxTables,
  owner: string,
  limits: ReadonlyMap<string, OutboxLimits>,
  isSpread = false,
): Statement =>
  (isSpread ? checkOwn : check)(tables, [
    owner,
    [...limits.keys()],
    [...limits.values()].map(({ bytes }) => bytes),
    [...limits.values()].map(({ bytesPerOwner }) => bytesPerOwner),
  ]);

const recount = forTables('recount bytes', (tables) =>
  countBytes(
    tables,
    `SELECT unnest(ARRAY['', bucket]) AS bucket, destination, bytes FROM ${tables.items} UNION ALL SELECT bucket, destination, -bytes FROM ${tables.bytes}`,
    largeSlot,
  ),
);

const recountOwn = forTables('recount own bytes', (tables) =>
  countBytes(
    tables,
    `SELECT bucket, destination, bytes FROM ${tables.items} UNION ALL SELECT bucket, destination, -bytes FROM ${tables.bytes} WHERE bucket <> ''`,
    largeSlot,
  ),
);
const dropUncounted = forTables(
  'delete empty counters',
  ({ bytes }) => `DELETE FROM ${bytes} WHERE bytes = 0 OR bucket = ''`,
);

/** Corrects counters that differ from what waits, as where gateways of a version wrote that does not count. */
export const recountBytes = ({ isSpread }: Pick<Database, 'isSpread'>): Statement[] =>
  allTables.flatMap((tables) =>
    isSpread ? [recountOwn(tables, []), dropUncounted(tables, [])] : [recount(tables, [])],
  );
