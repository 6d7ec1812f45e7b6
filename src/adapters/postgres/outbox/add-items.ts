import { type Database, sql, type Statement } from '../database.ts';
import pg from 'pg';
import { queryShardRows } from '../query-shards.ts';
import { insertRows } from '../transaction.ts';
import { groupByKey } from '../../../core/json-values.ts';
import {
  groupByDestination,
  countDropped,
  type DroppedItems,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
  computeItemBytes,
} from '../../../outbox/outbox.store.ts';

/** A row of `deliveries`: an item that waits for a destination. The column `bucket` is the owner. */
interface ItemRow {
  readonly destination: string;
  readonly id: string;
  readonly topic: string | undefined;
  readonly ordering_key: string;
  readonly attributes: OutboxItem['attributes'];
  readonly data: string;
  readonly bytes: number;
  /** Id of the shared body; absent if the row has its own. */
  readonly body_id?: string;
}

/** Limits and time of a change that adds items. */
interface OutboxContext {
  readonly freeBytes: Reservation['freeBytes'];
  readonly rules: OutboxRules;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Statements that add items to the outbox, with what they add and what they leave out. */
interface OutboxAddition {
  readonly statements: readonly Statement[];
  /** Items over the limits of their destination. */
  readonly dropped: readonly DroppedItems[];
  /** Bytes to add, by the keys of `sumKey`. */
  readonly bytes: ByteSums;
}

/** Builds statements that store items within their owner's change. Throws OutboxFullError if a full destination refuses. */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { freeBytes, rules: { capacityOf, destinationsOf }, now }: OutboxContext,
): OutboxAddition {
  const dropped: DroppedItems[] = [];
  const addedSums = new Map<string, number>();
  const rows = [...groupByDestination(items, destinationsOf)].flatMap(
    ([destination, destinationItems]): ItemRow[] => {
      const sizes = computeItemBytes(destinationItems);
      const totalBytes = sizes.reduce((total, size) => total + size, 0);
      if (totalBytes > freeBytes(destination, owner)) {
        if (capacityOf(destination).whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
        dropped.push(...countDropped(destinationItems.map((item) => [destination, item])));
        return [];
      }
      for (const key of [sumKey(destination), sumKey(destination, owner)]) addedSums.set(key, totalBytes);
      return destinationItems.map(({ id, topic, orderingKey, attributes, data }, index) => ({
        destination,
        id,
        topic,
        ordering_key: orderingKey,
        attributes,
        data,
        bytes: sizes[index] as number,
      }));
    },
  );
  return {
    statements: rows.length === 0 ? [] : insertItems(owner, withSharedBodies(rows), now),
    dropped,
    bytes: addedSums,
  };
}

/** Sets `body_id` of rows whose body another row of the change has too. */
function withSharedBodies(rows: readonly ItemRow[]): ItemRow[] {
  const rowsByBody = groupByKey(rows, ({ data }) => data);
  return rows.map((row) => {
    const [firstRow, ...otherRows] = rowsByBody.get(row.data) as [ItemRow, ...ItemRow[]];
    return otherRows.length === 0 || row.data === '' ? row : { ...row, body_id: firstRow.id };
  });
}

/** Inserts items. Queues are locked in key order and number their items in order of storage. */
function insertItems(owner: string, rows: readonly ItemRow[], now: number): Statement[] {
  const queues = [
    ...groupByKey(rows, ({ destination, ordering_key: key }) => JSON.stringify([destination, key])).values(),
  ].sort(
    ([a], [b]) => compareBytes(a.destination, b.destination) || compareBytes(a.ordering_key, b.ordering_key),
  );
  const bodies = new Map(rows.flatMap(({ body_id: id, data }) => (id === undefined ? [] : [[id, data]])));
  return [
    insertRows(
      'add to queues',
      'delivery_queues AS q (bucket, destination, ordering_key, last)',
      queues,
      (queue, parameter) => [
        parameter(owner, 'text'),
        parameter(queue[0].destination, 'text'),
        parameter(queue[0].ordering_key, 'text'),
        parameter(queue.length, 'bigint'),
      ],
      'ON CONFLICT (bucket, destination, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1',
    ),
    ...(bodies.size > 0
      ? [
          insertRows('add bodies', 'delivery_bodies (bucket, id, data)', [...bodies], (body, parameter) =>
            [owner, ...body].map((value) => parameter(value, 'text')),
          ),
        ]
      : []),
    ...[...groupByKey(queues, ([{ destination }]) => destination)].map(([destination, ownQueues]) =>
      insertIntoQueues(owner, destination, ownQueues, now),
    ),
  ];
}

/**
 * Inserts the items of one destination. The queues (`q`) are also named by an array and one destination, so that a plan made without
 * statistics does not read all queues of the owner. `back`: number of items behind this one in its queue.
 */
function insertIntoQueues(
  owner: string,
  destination: string,
  queues: readonly (readonly [ItemRow, ...ItemRow[]])[],
  now: number,
): Statement {
  const numberedRows = queues.flatMap((queue) =>
    queue.map((row, index) => ({
      ...row,
      data: row.body_id === undefined ? row.data : '',
      back: queue.length - 1 - index,
    })),
  );
  return sql`/* add items */
  INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, topic, attributes, body_id, data, bytes, stored_at)
  SELECT q.bucket, q.destination, q.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, i.body_id, i.data, i.bytes, ${now}::float8
  FROM delivery_queues q JOIN jsonb_to_recordset(${JSON.stringify(numberedRows)}) AS i (id text, topic text, ordering_key text, attributes jsonb, data text, body_id text, bytes integer, back integer)
    ON q.ordering_key = i.ordering_key
  WHERE q.bucket = ${owner} AND q.destination = ${destination} AND q.ordering_key = ANY(${queues.map(([{ ordering_key: key }]) => key)})`;
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Deletes bodies whose items are all gone; items and body are inserted in one transaction. */
export const dropUnusedBodies: Statement = sql`/* delete unused bodies */ DELETE FROM delivery_bodies b WHERE NOT EXISTS (SELECT
  FROM deliveries o WHERE o.bucket = b.bucket AND o.body_id = b.id)`;

type MutableSums = Map<string, number>;
type ByteSums = ReadonlyMap<string, number>;
type CapacityOf = OutboxRules['capacityOf'];

/** Key of the bytes waiting for a destination, of one owner or of all. */
export const sumKey = (destination: string, owner?: string): string => JSON.stringify([destination, owner]);

/**
 * Bytes waiting for destinations, in total and by owner. Counter rows in the database would serialize all changes. So each
 * gateway reads the sums once a second while there are changes, and counts its own additions: several gateways exceed a
 * limit by no more than they add within a second.
 */
interface WaitingBytes {
  /** Counts stored bytes, or with a negative number deleted ones. */
  addBytes(destination: string, owner: string, bytes: number): void;
  /** Runs a change. Bytes that it reserves count at once, and no longer if it fails. */
  runChange<T>(capacityOf: CapacityOf, change: (reservation: Reservation) => Promise<T>): Promise<T>;
}

/** Decides within the limits: free bytes, and the means to count a decision's own. */
export interface Reservation {
  readonly freeBytes: (destination: string, owner: string) => number;
  /** Counts bytes about to be stored; a repeated decision replaces the earlier reservation. */
  readonly reserve: (bytes: ByteSums) => void;
}

/** Minimum milliseconds between two reads of the sums. */
const readIntervalMs = 1000;
/** Minimum pause after a slow read, as a multiple of its duration. */
const minRestFactor = 20;
/** Share of a limit above which a change waits for a due read. */
const nearLimitRatio = 0.9;
/** Share of the limit below which the sums of owners are not read, as there may be many. */
const smallOwnerRatio = 1 / 16;

const waitingBytesByDatabase = new WeakMap<Database, WaitingBytes>();

/** Returns the sums of a database, which all its stores share. */
export function waitingBytesOf(database: Database): WaitingBytes {
  const waitingBytes =
    waitingBytesByDatabase.get(database) ??
    createWaitingBytes((capacityOf) => readSums(database, capacityOf));
  waitingBytesByDatabase.set(database, waitingBytes);
  return waitingBytes;
}

export function createWaitingBytes(
  readCurrentSums: (capacityOf: CapacityOf) => Promise<ByteSums>,
): WaitingBytes {
  const knownSums: MutableSums = new Map();
  /** Bytes added by this gateway that the running read, or the next one, may miss. */
  let unreadSums: MutableSums = new Map();
  /** Reservations of running changes. */
  const reservations = new Set<{ bytes: ByteSums }>();
  let nextReadAt = -Infinity;
  let currentRead: { readonly done: Promise<void>; readonly isAwaited: boolean } | undefined;

  function addToSums(bytes: ByteSums, sign: 1 | -1 = 1): void {
    for (const [key, sum] of bytes) for (const sums of [knownSums, unreadSums]) addSum(sums, key, sign * sum);
  }

  async function readSumsNow(capacityOf: CapacityOf): Promise<void> {
    unreadSums = new Map();
    for (const { bytes } of reservations) for (const [key, sum] of bytes) addSum(unreadSums, key, sum);
    const startedAt = performance.now();
    // After a failed read, the known sums stay in use.
    const sums = await readCurrentSums(capacityOf).catch(() => undefined);
    const now = performance.now();
    nextReadAt = now + Math.max(readIntervalMs, minRestFactor * (now - startedAt));
    currentRead = undefined;
    if (!sums) return;
    knownSums.clear();
    for (const source of [sums, unreadSums]) for (const [key, sum] of source) addSum(knownSums, key, sum);
  }

  const isNearLimit = (capacityOf: CapacityOf): boolean =>
    [...knownSums].some(([key, bytes]) => {
      const [destination, owner] = JSON.parse(key) as [string, string | null];
      const capacity = capacityOf(destination);
      return bytes > nearLimitRatio * (owner === null ? capacity.maxBytes : capacity.maxBytesPerOwner);
    });

  /** Reads the sums when due; waits for the read only near a limit. */
  async function refresh(capacityOf: CapacityOf): Promise<void> {
    if (!currentRead && performance.now() > nextReadAt) {
      const isAwaited = nextReadAt === -Infinity || isNearLimit(capacityOf);
      currentRead = { done: readSumsNow(capacityOf), isAwaited };
    }
    if (currentRead?.isAwaited) await currentRead.done;
  }

  return {
    addBytes: (destination, owner, bytes) =>
      addToSums(new Map([sumKey(destination), sumKey(destination, owner)].map((key) => [key, bytes]))),
    async runChange(capacityOf, change) {
      await refresh(capacityOf);
      const reservation = { bytes: new Map() as ByteSums };
      reservations.add(reservation);
      try {
        return await change({
          freeBytes(destination, owner) {
            const { maxBytes, maxBytesPerOwner } = capacityOf(destination);
            const freeBytes = Math.min(
              maxBytes - (knownSums.get(sumKey(destination)) ?? 0),
              maxBytesPerOwner - (knownSums.get(sumKey(destination, owner)) ?? 0),
            );
            return Math.max(0, freeBytes);
          },
          reserve(bytes) {
            addToSums(reservation.bytes, -1);
            reservation.bytes = bytes;
            addToSums(bytes);
          },
        });
      } catch (error) {
        addToSums(reservation.bytes, -1);
        throw error;
      } finally {
        reservations.delete(reservation);
      }
    },
  };
}

function addSum(sums: MutableSums, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

async function readSums(database: Database, capacityOf: CapacityOf): Promise<ByteSums> {
  const sums: MutableSums = new Map();
  const totals = await queryShardRows(database, ['deliveries'], (table) => ({
    name: 'bytes that wait',
    text: `SELECT destination, sum(bytes) AS bytes FROM ${table('deliveries')} d GROUP BY destination`,
  }));
  for (const { destination, bytes } of totals) addSum(sums, sumKey(destination as string), bytes as number);
  await Promise.all(
    [...new Set(totals.map(({ destination }) => destination as string))].map(async (destination) => {
      const minBytes = smallOwnerRatio * capacityOf(destination).maxBytesPerOwner;
      if ((sums.get(sumKey(destination)) as number) <= minBytes) return;
      const owners = await queryShardRows(database, ['deliveries'], (table) => ({
        title: 'bytes that wait by owner',
        text: `SELECT bucket, sum(bytes) AS bytes FROM ${table('deliveries')} d WHERE destination = ${pg.escapeLiteral(destination)} GROUP BY bucket HAVING sum(bytes) > ${minBytes}`,
      }));
      for (const { bucket, bytes } of owners)
        addSum(sums, sumKey(destination, bucket as string), bytes as number);
    }),
  );
  return sums;
}
