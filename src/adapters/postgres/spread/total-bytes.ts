import { defaultOutboxRules, type OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { allTables, brokerTables, otherTables } from '../outbox/outbox-tables.ts';
import { queryEverywhere } from '../everywhere.ts';

/** By destination. */
export type Bytes = ReadonlyMap<string, number>;

/**
 * What waits over all owners, where the tables are spread: a counter of all in the database would be a row that all changes wait for,
 * on a node that all need. Each gateway sums the counters up now and then, and counts what it adds itself.
 */
export interface TotalBytes {
  /** The bytes that wait, by destination: a map that goes on to change. Near the limit of a destination they are read anew. */
  waiting(roomOf?: OutboxRules['roomOf']): Promise<Bytes>;
  /** Counts what was stored since; or, with less than 0, was forgotten. */
  added(destination: string, bytes: number): void;
  /** Counts what a change adds from its decision on; a second decision takes the place of the first. To be ended. */
  hold(): Hold;
}

export interface Hold {
  readonly keep: (bytes: Bytes) => void;
  /** Whether the change was stored. */
  readonly end: (isStored: boolean) => void;
}

const everyMs = 1000;
/** From this part of a limit on, it counts what others have added in the last second. */
const nearPart = 0.9;

const all = new WeakMap<Database, TotalBytes>();

export function totalBytesOf(database: Database): TotalBytes {
  const known = all.get(database) ?? createTotalBytes(() => readTotals(database));
  all.set(database, known);
  return known;
}

export function createTotalBytes(read: () => Promise<Bytes>): TotalBytes {
  const known = new Map<string, number>();
  /** Of changes that are being stored. */
  const held = new Map<string, number>();
  /** What was added since the reading began that is under way. */
  let since = new Map<string, number>();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function readNow(): Promise<void> {
    since = new Map();
    // What is known counts on where it cannot be read.
    const sums = await read().catch(() => undefined);
    readAt = performance.now();
    reading = undefined;
    if (!sums) return;
    known.clear();
    for (const part of [sums, held, since])
      for (const [destination, bytes] of part) add(known, destination, bytes);
  }

  const start = (): Promise<void> => (reading ??= readNow());
  /** A reading that begins from now on: one for all who ask while another is under way. */
  const anew = (): Promise<void> =>
    reading ? (next ??= reading.then(() => ((next = undefined), start()))) : start();

  function added(destination: string, bytes: number): void {
    add(known, destination, bytes);
    add(since, destination, bytes);
  }

  return {
    async waiting(roomOf = defaultOutboxRules.roomOf) {
      if (readAt === -Infinity) await start();
      else if ([...known].some(([destination, bytes]) => bytes > nearPart * roomOf(destination).bytes))
        await anew();
      else if (performance.now() - readAt > everyMs) void start();
      return known;
    },
    added,
    hold() {
      let own: Bytes = new Map();
      const release = (): void => {
        for (const [destination, bytes] of own)
          for (const sums of [known, held]) add(sums, destination, -bytes);
      };
      return {
        keep(bytes) {
          release();
          own = bytes;
          for (const [destination, more] of own)
            for (const sums of [known, held]) add(sums, destination, more);
        },
        end(isStored) {
          release();
          if (isStored) for (const [destination, bytes] of own) added(destination, bytes);
        },
      };
    },
  };
}

const add = (sums: Map<string, number>, destination: string, bytes: number): void =>
  void sums.set(destination, (sums.get(destination) ?? 0) + bytes);

async function readTotals(database: Database): Promise<Bytes> {
  const rows = await queryEverywhere(database, [brokerTables.bytes, otherTables.bytes], (table) => ({
    name: 'bytes of all',
    text: `SELECT destination, sum(bytes) AS bytes FROM (${allTables.map(({ bytes }) => `SELECT bucket, destination, bytes FROM ${table(bytes)}`).join(' UNION ALL ')}) AS b WHERE bucket <> '' GROUP BY destination`,
  }));
  const sums = new Map<string, number>();
  for (const { destination, bytes } of rows) add(sums, destination as string, bytes as number);
  return sums;
}

/**
 * Makes a change that adds to the outbox. It is given what waits over all owners, where the tables are spread, and tells what it is
 * about to add each time that it has decided.
 */
export async function countingAdded<T>(
  database: Database,
  roomOf: OutboxRules['roomOf'] | undefined,
  change: (all: Bytes | undefined, keep: Hold['keep']) => Promise<T>,
): Promise<T> {
  if (!database.isSpread) return change(undefined, () => undefined);
  const totals = totalBytesOf(database);
  const waiting = await totals.waiting(roomOf);
  const hold = totals.hold();
  try {
    const result = await change(waiting, hold.keep);
    hold.end(true);
    return result;
  } catch (error) {
    hold.end(false);
    throw error;
  }
}
