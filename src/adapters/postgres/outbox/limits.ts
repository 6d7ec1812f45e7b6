import pg from 'pg';
import type { OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { queryEverywhere } from '../everywhere.ts';

/** Bytes by `sumKey`. */
type Sums = Map<string, number>;
export type Bytes = ReadonlyMap<string, number>;
type RoomOf = OutboxRules['roomOf'];

/** The key of what waits for a destination; of all owners where none is named. */
export const sumKey = (destination: string, owner?: string): string => JSON.stringify([destination, owner]);

/**
 * The bytes that wait for destinations, over all owners and of each. Counters in the database would be rows that all changes wait for.
 * Each gateway sums up once a second, while there are changes, and counts what it does itself; so several gateways exceed a limit by
 * no more than they add within a second.
 */
export interface WaitingBytes {
  /** Counts what was stored since; or, with less than 0, was forgotten. */
  added(destination: string, owner: string, bytes: number): void;
  /** Makes a change that adds to the outbox, and counts what it adds from its decision on. */
  change<T>(roomOf: RoomOf, make: (addition: Addition) => Promise<T>): Promise<T>;
}

export interface Addition {
  /** The bytes that still fit. */
  readonly free: (destination: string, owner: string) => number;
  /** Counts what is about to be stored; a second decision takes the place of the first. */
  readonly keep: (bytes: Bytes) => void;
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
    // What is known counts on where it cannot be read.
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
          keep(bytes) {
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

const add = (sums: Sums, key: string, bytes: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + bytes);

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
