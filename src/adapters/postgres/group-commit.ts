import type { Database, Statement } from './database.ts';
import { isOutcomeUnknown, isStatementTimeout } from './failures.ts';
import { commit, compareKeys, storeSeparately, type StoreWrites, type Writes } from './transaction.ts';

/**
 * Limits of shared transactions: few changes in each, as each change holds its locks until all are stored; and two at a time, of
 * which one is sent while the other waits for the disk.
 */
const [maxChangesPerTransaction, maxOpenTransactions] = [16, 2];

/** Timeouts of a shared transaction: for a lock, and for a cluster node, which locks on its own. */
const [maxLockMs, maxStatementMs] = [100, 1000];
/** Milliseconds without shared transactions after a statement timeout, since a slow node delays all their changes. */
const sharedPauseMs = 10_000;

const beginShared: Statement = {
  title: 'begin shared',
  text: `BEGIN; SET LOCAL lock_timeout = ${maxLockMs}; SET LOCAL statement_timeout = ${maxStatementMs}`,
};
/** Restores the usual timeout for COMMIT, which may wait for a synchronous standby. */
const resetTimeout: Statement = { title: 'take time', text: 'SET LOCAL statement_timeout TO DEFAULT' };

/** Sorts statements in the lock order of all transactions: records, then calendars, each by key. */
function sortByLockOrder(changes: readonly Writes[]): Statement[] {
  const splitChanges = changes.flatMap((change) => change.splitWrites ?? []);
  return [
    ...splitChanges.toSorted((a, b) => compareKeys(a.recordKey, b.recordKey)).map(({ record }) => record),
    ...splitChanges
      .toSorted((a, b) => compareKeys(a.calendarId, b.calendarId))
      .flatMap(({ entries }) => entries),
  ];
}

/** Stores concurrent changes in one transaction, or separately if it fails or has to wait. A change without concurrent ones is stored at once. */
export function createGroupCommit(database: Database): StoreWrites {
  const storeNow = storeSeparately(database);
  let sharedPausedUntil = 0;
  const pendingChanges: QueuedChange[] = [];
  let isScheduled = false;
  let openTransactions = 0;
  let activeChanges = 0;

  /** Stores changes in one transaction; false if that failed, so that each must be stored separately. */
  async function storeBatch(changes: readonly Writes[]): Promise<boolean> {
    if (changes.length < 2) return false;
    return database.use(async ({ run }) => {
      try {
        await run([beginShared, ...sortByLockOrder(changes), resetTimeout, commit]);
        return true;
      } catch (error) {
        if (isOutcomeUnknown(error)) throw error;
        if (isStatementTimeout(error)) sharedPausedUntil = Date.now() + sharedPauseMs;
        return false;
      }
    });
  }

  async function storeNextBatch(): Promise<void> {
    const batch = pendingChanges.splice(0, maxChangesPerTransaction);
    openTransactions += 1;
    try {
      const isBatchStored = await storeBatch(batch.map(({ change: [writes] }) => writes));
      for (const { change, resolve } of batch) resolve(isBatchStored || storeNow(...change));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    openTransactions -= 1;
    startBatches();
  }

  function startBatches(): void {
    isScheduled = false;
    while (pendingChanges.length > 0 && openTransactions < maxOpenTransactions) void storeNextBatch();
  }

  /** Collects the changes of one event loop iteration, and those that arrive while all transactions are busy. */
  const storeShared = (...change: Parameters<StoreWrites>): Promise<boolean> =>
    new Promise((resolve, reject) => {
      pendingChanges.push({ change, resolve, reject });
      if (isScheduled || openTransactions >= maxOpenTransactions) return;
      isScheduled = true;
      setImmediate(startBatches);
    });

  return async (writes, contentionKey) => {
    const isOnlyChange = activeChanges === 0;
    activeChanges += 1;
    try {
      const isShared = writes.splitWrites && !isOnlyChange && Date.now() >= sharedPausedUntil;
      return await (isShared ? storeShared : storeNow)(writes, contentionKey);
    } finally {
      activeChanges -= 1;
    }
  };
}

/** A change that waits for a shared transaction, with the arguments of `StoreWrites`. */
interface QueuedChange {
  readonly change: Parameters<StoreWrites>;
  readonly resolve: (isStored: boolean | Promise<boolean>) => void;
  readonly reject: (error: unknown) => void;
}
