import { type Database, sql, type Statement } from '../database.ts';
import pg from 'pg';
import { queryEverywhere } from '../everywhere.ts';
import { insertRows } from '../transaction.ts';
import { grouped } from '../../../core/patch.ts';
import {
  byDestination,
  countDropped,
  defaultOutboxRules,
  type Dropped,
  droppedOf,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
  sizesOf,
} from '../../../outbox/outbox.store.ts';

/** An item as it is stored. Rows of `deliveries` are items that wait for a destination; `bucket` names their owner. */
interface ItemRow {
  readonly destination: string;
  readonly id: string;
  readonly topic: string | undefined;
  readonly ordering_key: string;
  readonly attributes: OutboxItem['attributes'];
  readonly data: string;
  readonly bytes: number;
  /** The item that brings the body; absent where the row has it itself. */
  readonly body_id?: string;
}

export interface OutboxRoom {
  readonly free: Reservation['free'];
  readonly rules?: Partial<OutboxRules> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How the items of a change are stored. */
export interface OutboxAddition {
  readonly statements: readonly Statement[];
  /** What finds no room. */
  readonly dropped: readonly Dropped[];
  /** What the stored items take. */
  readonly bytes: Bytes;
}

/**
 * Statements that store the items of a change of an owner for their destinations, as a part of the change's transaction; all of them
 * are about the owner's shard. Throws OutboxFullError where one has no room for them whose rule is to refuse.
 */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { free, rules, now }: OutboxRoom,
): OutboxAddition {
  const { roomOf, destinationsOf } = { ...defaultOutboxRules, ...rules };
  const dropped: Dropped[] = [];
  const bytes = new Map<string, number>();
  const rows = [...byDestination(items, destinationsOf)].flatMap(([destination, own]): ItemRow[] => {
    const sizes = sizesOf(own);
    const sum = sizes.reduce((one, size) => one + size, 0);
    if (sum > free(destination, owner)) {
      if (roomOf(destination).whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(own.map((item) => droppedOf(destination, item))));
      return [];
    }
    for (const key of [sumKey(destination), sumKey(destination, owner)]) bytes.set(key, sum);
    return own.map(({ id, topic, orderingKey, attributes, data }, place) => ({
      destination,
      id,
      topic,
      ordering_key: orderingKey,
      attributes,
      data,
      bytes: sizes[place] as number,
    }));
  });
  return {
    statements: rows.length === 0 ? [] : insertItems(owner, withSharedBodies(rows), now),
    dropped,
    bytes,
  };
}

/** Has the bodies that items of a change share stored once. */
function withSharedBodies(rows: readonly ItemRow[]): ItemRow[] {
  const byBody = grouped(rows, ({ data }) => data);
  return rows.map((row) => {
    const [first, ...others] = byBody.get(row.data) as [ItemRow, ...ItemRow[]];
    return others.length === 0 || row.data === '' ? row : { ...row, body_id: first.id };
  });
}

/** Queues are locked in the order of their keys, and number their items: what is stored first is in front. */
function insertItems(owner: string, rows: readonly ItemRow[], now: number): Statement[] {
  const queues = [
    ...grouped(rows, ({ destination, ordering_key: key }) => JSON.stringify([destination, key])).values(),
  ].sort(([a], [b]) => inBytes(a.destination, b.destination) || inBytes(a.ordering_key, b.ordering_key));
  const numbered = queues.flatMap((queue) =>
    queue.map((row, index) => ({ ...row, back: queue.length - 1 - index })),
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
    sql`/* add items */
  INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, topic, attributes, body_id, data, bytes, stored_at)
  SELECT q.bucket, i.destination, i.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, i.body_id, i.data, i.bytes, ${now}::float8
  FROM delivery_queues q JOIN jsonb_to_recordset(${JSON.stringify(numbered.map((row) => (row.body_id === undefined ? row : { ...row, data: '' })))}) AS i (destination text, id text, topic text, ordering_key text, attributes jsonb, data text, body_id text, bytes integer, back integer)
    ON q.destination = i.destination AND q.ordering_key = i.ordering_key WHERE q.bucket = ${owner}`,
  ];
}

/** The order of `COLLATE "C"`. */
const inBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Items and their body are stored by one transaction: a body without any is one whose items are all gone. */
export const dropUnusedBodies: Statement = sql`/* delete unused bodies */ DELETE FROM delivery_bodies b WHERE NOT EXISTS (SELECT
  FROM deliveries o WHERE o.bucket = b.bucket AND o.body_id = b.id)`;

/** Bytes by `sumKey`. */
type Sums = Map<string, number>;
type Bytes = ReadonlyMap<string, number>;
type RoomOf = OutboxRules['roomOf'];

/** The key of what waits for a destination; of all owners where none is named. */
export const sumKey = (destination: string, owner?: string): string => JSON.stringify([destination, owner]);

/**
 * The bytes that wait for destinations, over all owners and of each. Counters in the database would be rows that all changes wait for.
 * Each gateway sums up once a second, while there are changes, and counts what it does itself; so several gateways exceed a limit by
 * no more than they add within a second.
 */
interface WaitingBytes {
  /** Counts what was stored since; or, with less than 0, was forgotten. */
  added(destination: string, owner: string, bytes: number): void;
  /** Makes a change that adds to the outbox, and counts what it adds from its decision on. */
  change<T>(roomOf: RoomOf, make: (reservation: Reservation) => Promise<T>): Promise<T>;
}

export interface Reservation {
  /** The bytes that still fit. */
  readonly free: (destination: string, owner: string) => number;
  /** Counts what is about to be stored; a second decision takes the place of the first. */
  readonly reserve: (bytes: Bytes) => void;
}

const everyMs = 1000;
/** A reading that took long is not repeated before so many times its duration. */
const restFactor = 20;
/** From this part of a limit on, a change waits for a reading that is due. */
const nearPart = 0.9;
/** Owners with less than this part of their limit are not read one by one: there may be many of them. */
const smallPart = 1 / 16;

const all = new WeakMap<Database, WaitingBytes>();

export function waitingBytesOf(database: Database): WaitingBytes {
  const known = all.get(database) ?? createWaitingBytes((roomOf) => readSums(database, roomOf));
  all.set(database, known);
  return known;
}

/** `read` gives what waits now. */
export function createWaitingBytes(read: (roomOf: RoomOf) => Promise<Bytes>): WaitingBytes {
  const known: Sums = new Map();
  /** Bytes of changes that are being stored. */
  const held: Sums = new Map();
  /** Bytes that were added since the reading began that is under way. */
  let since: Sums = new Map();
  let nextAt = -Infinity;
  let reading: { readonly done: Promise<void>; readonly isAwaited: boolean } | undefined;

  async function readNow(roomOf: RoomOf): Promise<void> {
    since = new Map();
    const begun = performance.now();
    // A failed reading leaves the known sums in use.
    const sums = await read(roomOf).catch(() => undefined);
    const now = performance.now();
    nextAt = now + Math.max(everyMs, restFactor * (now - begun));
    reading = undefined;
    if (!sums) return;
    known.clear();
    for (const part of [sums, held, since]) for (const [key, bytes] of part) add(known, key, bytes);
  }

  const isNear = (roomOf: RoomOf): boolean =>
    [...known].some(([key, bytes]) => {
      const [destination, owner] = JSON.parse(key) as [string, string | null];
      const room = roomOf(destination);
      return bytes > nearPart * (owner === null ? room.bytes : room.bytesPerOwner);
    });

  /** Reads what waits where that is due. It is waited for where a limit is near. */
  async function refresh(roomOf: RoomOf): Promise<void> {
    if (!reading && performance.now() > nextAt) {
      const isAwaited = nextAt === -Infinity || isNear(roomOf);
      reading = { done: readNow(roomOf), isAwaited };
    }
    if (reading?.isAwaited) await reading.done;
  }

  function added(destination: string, owner: string, bytes: number): void {
    for (const key of [sumKey(destination), sumKey(destination, owner)])
      for (const sums of [known, since]) add(sums, key, bytes);
  }

  return {
    added,
    async change(roomOf, make) {
      await refresh(roomOf);
      let own: Bytes = new Map();
      const count = (sign: 1 | -1, sets: readonly Sums[]): void => {
        for (const [key, bytes] of own) for (const sums of sets) add(sums, key, sign * bytes);
      };
      try {
        const result = await make({
          free(destination, owner) {
            const { bytes, bytesPerOwner } = roomOf(destination);
            const waiting = (key: string): number => known.get(key) ?? 0;
            return Math.max(
              0,
              Math.min(
                bytes - waiting(sumKey(destination)),
                bytesPerOwner - waiting(sumKey(destination, owner)),
              ),
            );
          },
          reserve(bytes) {
            count(-1, [known, held]);
            own = bytes;
            count(1, [known, held]);
          },
        });
        count(-1, [held]);
        count(1, [since]);
        return result;
      } catch (error) {
        count(-1, [known, held]);
        throw error;
      }
    },
  };
}

function add(sums: Sums, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

async function readSums(database: Database, roomOf: RoomOf): Promise<Bytes> {
  const sums: Sums = new Map();
  const ofAll = await queryEverywhere(database, ['deliveries'], (table) => ({
    name: 'bytes that wait',
    text: `SELECT destination, sum(bytes) AS bytes FROM ${table('deliveries')} d GROUP BY destination`,
  }));
  for (const { destination, bytes } of ofAll) add(sums, sumKey(destination as string), bytes as number);
  await Promise.all(
    [...new Set(ofAll.map(({ destination }) => destination as string))].map(async (destination) => {
      const least = smallPart * roomOf(destination).bytesPerOwner;
      if ((sums.get(sumKey(destination)) as number) <= least) return;
      const owners = await queryEverywhere(database, ['deliveries'], (table) => ({
        title: 'bytes that wait by owner',
        text: `SELECT bucket, sum(bytes) AS bytes FROM ${table('deliveries')} d WHERE destination = ${pg.escapeLiteral(destination)} GROUP BY bucket HAVING sum(bytes) > ${least}`,
      }));
      for (const { bucket, bytes } of owners)
        add(sums, sumKey(destination, bucket as string), bytes as number);
    }),
  );
  return sums;
}
