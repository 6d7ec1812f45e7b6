import pg from 'pg';
import { groupByKey } from '../../../core/json.ts';
import {
  computeItemBytes,
  countDropped,
  type DroppedItems,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
} from '../../../outbox/outbox.store.ts';
import { type Database, type Row, sql, type Statement } from '../database.ts';
import { queryShardRows } from '../query-shards.ts';
import { insertRows } from '../transaction.ts';

/** An item that waits for one destination: a row of `deliveries`. */
interface Delivery extends OutboxItem {
  readonly destination: string;
  readonly bytes: number;
}

/** Statements that add items to the outbox, and the items over the limits of their destination. */
interface OutboxAddition {
  readonly statements: readonly Statement[];
  readonly dropped: readonly DroppedItems[];
}

/**
 * Builds statements that store items within their owner's change, and reserves their bytes. Throws OutboxFullError if a full
 * destination refuses. `now`: epoch milliseconds.
 */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { freeBytes, reserve }: Reservation,
  { capacityOf, destinationsOf }: OutboxRules,
  now: number,
): OutboxAddition {
  const dropped: DroppedItems[] = [];
  const addedSums: MutableSums = new Map();
  const deliveries: Delivery[] = [];
  const copies = items.flatMap((item) =>
    [...new Set(destinationsOf(item))].map((destination) => ({ destination, item })),
  );
  for (const [destination, group] of groupByKey(copies, (copy) => copy.destination)) {
    const sizes = computeItemBytes(group.map(({ item }) => item));
    const totalBytes = sizes.reduce((total, size) => total + size, 0);
    if (totalBytes <= freeBytes(destination, owner)) {
      for (const key of sumKeys(destination, owner)) addedSums.set(key, totalBytes);
      for (const [index, { item }] of group.entries())
        deliveries.push({ ...item, destination, bytes: sizes[index] as number });
    } else if (capacityOf(destination).whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
    else dropped.push(...countDropped(group.map(({ item }) => [destination, item])));
  }
  reserve(addedSums);
  return { statements: deliveries.length === 0 ? [] : insertDeliveries(owner, deliveries, now), dropped };
}

/** Inserts deliveries. Queues are locked in key order and number their items in order of storage. */
function insertDeliveries(owner: string, deliveries: readonly Delivery[], now: number): Statement[] {
  const queues = [
    ...groupByKey(deliveries, ({ destination, orderingKey }) =>
      JSON.stringify([destination, orderingKey]),
    ).values(),
  ].sort(
    ([a], [b]) => compareBytes(a.destination, b.destination) || compareBytes(a.orderingKey, b.orderingKey),
  );
  /** Ids of bodies that several deliveries share, by body. */
  const bodyIds = new Map(
    [...groupByKey(deliveries, ({ data }) => data)].flatMap(([data, [{ id }, ...others]]) =>
      data === '' || others.length === 0 ? [] : [[data, id]],
    ),
  );
  return [
    insertRows(
      'add to queues',
      'delivery_queues AS q (bucket, destination, ordering_key, last)',
      queues,
      (queue, parameter) => [
        parameter(owner, 'text'),
        parameter(queue[0].destination, 'text'),
        parameter(queue[0].orderingKey, 'text'),
        parameter(queue.length, 'bigint'),
      ],
      'ON CONFLICT (bucket, destination, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1',
    ),
    ...(bodyIds.size === 0
      ? []
      : [
          insertRows(
            'add bodies',
            'delivery_bodies (bucket, id, data)',
            [...bodyIds],
            ([data, id], parameter) => [owner, id, data].map((value) => parameter(value, 'text')),
          ),
        ]),
    ...[...groupByKey(queues, ([{ destination }]) => destination)].map(([destination, ownQueues]) =>
      insertIntoQueues(owner, destination, ownQueues, bodyIds, now),
    ),
  ];
}

/**
 * Inserts the deliveries to one destination. The queues (`q`) are also named by an array and one destination, so that a plan made without
 * statistics does not read all queues of the owner. `back`: number of items behind this one in its queue.
 */
function insertIntoQueues(
  owner: string,
  destination: string,
  queues: readonly (readonly [Delivery, ...Delivery[]])[],
  bodyIds: ReadonlyMap<string, string>,
  now: number,
): Statement {
  const rows = queues.flatMap((queue) =>
    queue.map(({ data, ...delivery }, index) => ({
      ...delivery,
      bodyId: bodyIds.get(data),
      data: bodyIds.has(data) ? '' : data,
      back: queue.length - 1 - index,
    })),
  );
  return sql`/* add items */
  INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, topic, attributes, body_id, data, bytes, stored_at)
  SELECT q.bucket, q.destination, q.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, i."bodyId", i.data, i.bytes, ${now}::float8
  FROM delivery_queues q JOIN jsonb_to_recordset(${JSON.stringify(rows)}) AS i (id text, topic text, "orderingKey" text, attributes jsonb, data text, "bodyId" text, bytes integer, back integer)
    ON q.ordering_key = i."orderingKey"
  WHERE q.bucket = ${owner} AND q.destination = ${destination} AND q.ordering_key = ANY(${queues.map(([{ orderingKey }]) => orderingKey)})`;
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Deletes bodies whose items are all gone; items and body are inserted in one transaction. */
export const dropUnusedBodies: Statement = sql`/* delete unused bodies */ DELETE FROM delivery_bodies b WHERE NOT EXISTS (SELECT
  FROM deliveries o WHERE o.bucket = b.bucket AND o.body_id = b.id)`;

type MutableSums = Map<string, number>;
/** Bytes by the keys of `sumKey`. */
type ByteSums = ReadonlyMap<string, number>;
type CapacityOf = OutboxRules['capacityOf'];

/** Key of the bytes waiting for a destination, of one owner or of all. */
export const sumKey = (destination: string, owner?: string): string => JSON.stringify([destination, owner]);
const sumKeys = (destination: string, owner: string): string[] => [
  sumKey(destination),
  sumKey(destination, owner),
];

/** Adds bytes to sums, or with the sign -1 subtracts them. */
function addSums(sums: MutableSums, bytes: ByteSums, sign: 1 | -1 = 1): void {
  for (const [key, addedBytes] of bytes) {
    const sum = (sums.get(key) ?? 0) + sign * addedBytes;
    if (sum === 0) sums.delete(key);
    else sums.set(key, sum);
  }
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

const waitingBytesByDatabase = new WeakMap<Database, ReturnType<typeof createWaitingBytes>>();

/** Returns the sums of a database, which all its stores share. */
export function waitingBytesOf(database: Database) {
  const waitingBytes =
    waitingBytesByDatabase.get(database) ??
    createWaitingBytes((capacityOf) => readSums(database, capacityOf));
  waitingBytesByDatabase.set(database, waitingBytes);
  return waitingBytes;
}

/**
 * Bytes waiting for destinations, in total and by owner. Counter rows in the database would serialize all changes. So each
 * gateway reads the sums once a second while there are changes, and counts its own additions: several gateways exceed a
 * limit by no more than they add within a second.
 */
export function createWaitingBytes(readCurrentSums: (capacityOf: CapacityOf) => Promise<ByteSums>) {
  let knownSums: MutableSums = new Map();
  /** Bytes added by this gateway that the running read, or the next one, may miss. */
  let unreadSums: MutableSums = new Map();
  /** Reservations of running changes. */
  const reservations = new Set<{ bytes: ByteSums }>();
  let nextReadAt = -Infinity;
  let currentRead: Promise<void> | undefined;

  function addBytes(bytes: ByteSums, sign: 1 | -1 = 1): void {
    addSums(knownSums, bytes, sign);
    addSums(unreadSums, bytes, sign);
  }

  async function readSumsNow(capacityOf: CapacityOf): Promise<void> {
    unreadSums = new Map();
    for (const { bytes } of reservations) addSums(unreadSums, bytes);
    const startedAt = performance.now();
    // After a failed read, the known sums stay in use.
    const sums = await readCurrentSums(capacityOf).catch(() => undefined);
    const now = performance.now();
    nextReadAt = now + Math.max(readIntervalMs, minRestFactor * (now - startedAt));
    currentRead = undefined;
    if (!sums) return;
    knownSums = new Map(sums);
    addSums(knownSums, unreadSums);
  }

  const isNearLimit = (capacityOf: CapacityOf): boolean =>
    [...knownSums].some(([key, bytes]) => {
      const [destination, owner] = JSON.parse(key) as [string, string | null];
      const { maxBytes, maxBytesPerOwner } = capacityOf(destination);
      return bytes > nearLimitRatio * (owner === null ? maxBytes : maxBytesPerOwner);
    });

  /** Reads the sums when due; waits for the read only near a limit. */
  async function refresh(capacityOf: CapacityOf): Promise<void> {
    const isFirst = nextReadAt === -Infinity;
    if (performance.now() > nextReadAt) currentRead ??= readSumsNow(capacityOf);
    if (currentRead && (isFirst || isNearLimit(capacityOf))) await currentRead;
  }

  return {
    /** Subtracts the bytes of deleted deliveries. */
    subtract(owner: string, deletedRows: readonly Row[]): void {
      for (const { destination, bytes } of deletedRows)
        addBytes(new Map(sumKeys(destination as string, owner).map((key) => [key, bytes as number])), -1);
    },
    /** Runs a change. Bytes that it reserves count at once, and no longer if it fails. `mayAdd`: it needs current sums. */
    async runChange<T>(
      capacityOf: CapacityOf,
      change: (reservation: Reservation) => Promise<T>,
      mayAdd = true,
    ): Promise<T> {
      if (mayAdd) await refresh(capacityOf);
      const reservation = { bytes: new Map() as ByteSums };
      reservations.add(reservation);
      const reserve = (bytes: ByteSums): void => {
        addBytes(reservation.bytes, -1);
        reservation.bytes = bytes;
        addBytes(bytes);
      };
      try {
        return await change({
          reserve,
          freeBytes(destination, owner) {
            const { maxBytes, maxBytesPerOwner } = capacityOf(destination);
            const freeBytes = Math.min(
              maxBytes - (knownSums.get(sumKey(destination)) ?? 0),
              maxBytesPerOwner - (knownSums.get(sumKey(destination, owner)) ?? 0),
            );
            return Math.max(0, freeBytes);
          },
        });
      } catch (error) {
        reserve(new Map());
        throw error;
      } finally {
        reservations.delete(reservation);
      }
    },
  };
}

async function readSums(database: Database, capacityOf: CapacityOf): Promise<ByteSums> {
  const sums: MutableSums = new Map();
  const totals = await queryShardRows(database, ['deliveries'], (table) => ({
    name: 'bytes that wait',
    text: `SELECT destination, sum(bytes) AS bytes FROM ${table('deliveries')} d GROUP BY destination`,
  }));
  const addRow = (destination: string, owner: string | undefined, bytes: unknown): void =>
    addSums(sums, new Map([[sumKey(destination, owner), bytes as number]]));
  for (const { destination, bytes } of totals) addRow(destination as string, undefined, bytes);
  await Promise.all(
    [...new Set(totals.map(({ destination }) => destination as string))].map(async (destination) => {
      const minBytes = smallOwnerRatio * capacityOf(destination).maxBytesPerOwner;
      if ((sums.get(sumKey(destination)) as number) <= minBytes) return;
      const owners = await queryShardRows(database, ['deliveries'], (table) => ({
        title: 'bytes that wait by owner',
        text: `SELECT bucket, sum(bytes) AS bytes FROM ${table('deliveries')} d WHERE destination = ${pg.escapeLiteral(destination)} GROUP BY bucket HAVING sum(bytes) > ${minBytes}`,
      }));
      for (const { bucket, bytes } of owners) addRow(destination, bucket as string, bytes);
    }),
  );
  return sums;
}
