import pg from 'pg';
import type { OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Database, Row } from '../database.ts';
import { queryShardRows } from '../query-shards.ts';

export type MutableSums = Map<string, number>;

/** Bytes by the keys of `sumKey`. */
type ByteSums = ReadonlyMap<string, number>;

type CapacityOf = OutboxRules['capacityOf'];

/** Key of the bytes waiting for a destination, of one owner or of all. */
export const sumKey = (destination: string, owner?: string): string => JSON.stringify([destination, owner]);

export const sumKeys = (destination: string, owner: string): string[] => [
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

/** Milliseconds after which a due read is overdue: no change may have added items meanwhile, so the sums were not read. */
const maxOverdueMs = 4000;

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

  const areOutdated = (): boolean => performance.now() > nextReadAt + maxOverdueMs;

  /** Reads the sums when due; waits for the read only near a limit, or if the known sums are outdated. */
  async function refresh(capacityOf: CapacityOf): Promise<void> {
    if (performance.now() > nextReadAt) currentRead ??= readSumsNow(capacityOf);
    if (currentRead && (areOutdated() || isNearLimit(capacityOf))) await currentRead;
  }

  return {
    /** Subtracts the bytes of deleted deliveries. */
    subtract(owner: string, deletedRows: readonly Row[]): void {
      // The next change that may add items reads them anew.
      if (areOutdated()) return;
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
