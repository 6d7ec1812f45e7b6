import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, Database, Read, Statement } from './database.ts';
import { isConflict, unavailableError, isOutcomeUnknown, isStatementTimeout } from './failures.ts';
import { compareKeys } from './statements.ts';

const tableLock = (lockFunction: string): Statement => ({
  title: 'lock tables',
  text: `SELECT ${lockFunction}(hashtext('resource-gateway in use')) AS mine`,
});

/** Lock that each gateway holds on its listening session; `mine` is false while the tables are rebuilt. */
export const lockInUse = tableLock('pg_try_advisory_lock_shared');

/** Lock of a rebuild; `mine` is false while a gateway uses the database. */
export const lockForRebuild = tableLock('pg_try_advisory_lock');

/** Statements that store a change, all or none. */
export interface Writes {
  readonly statements: readonly Statement[];
  /** Splits the statements for a shared transaction, if they change one record and its entry on one calendar. */
  readonly splitWrites?: SplitWrites | undefined;
}

/** A change for a shared transaction, which writes the records of all its changes before their entries. */
interface SplitWrites {
  readonly recordKey: string;
  readonly record: Statement;
  readonly calendarId: string;
  readonly entries: readonly Statement[];
}

/** Result of a decision; without statements, nothing is stored. */
interface WritePlan<T> extends Writes {
  readonly result: T;
}

/** Stores a change without locking first; false if a check in its statements failed. `contentionKey`: see `Database.use`. */
type StoreWrites = (writes: Writes, contentionKey?: string) => Promise<boolean>;

/** Steps of `changeInTransaction`. */
interface ChangeSteps<S, T> {
  /** Loads the state to decide on. Its reads are not one snapshot, so the plan's statements must check what was read. */
  readonly load: (read: Read) => Promise<S>;
  /** Locks the rows of a conflict, in the lock order of all transactions. */
  readonly lock: (state: S) => readonly Statement[];
  /**
   * Decides; runs again when a check of its plan fails. Its errors are thrown. `readLocked`: reads within the transaction that locked
   * rows; without it, undefined requests such a transaction, and with it, a new attempt.
   */
  readonly decide: (
    state: S,
    readLocked?: Read,
  ) => WritePlan<T> | undefined | Promise<WritePlan<T> | undefined>;
  /** Stores the first attempt; by default in its own transaction. */
  readonly store?: StoreWrites;
  readonly contentionKey: (state: S) => string | undefined;
}

export const begin: Statement = { title: 'begin', text: 'BEGIN' };

export const commit: Statement = { title: 'commit', text: 'COMMIT' };

const rollback: Statement = { title: 'roll back', text: 'ROLLBACK' };

/** Ends a statement with a CTE `done`: a division by zero aborts the transaction unless `done` has `count` rows. */
export const failUnless = (count: string): string =>
  `SELECT 1 / (CASE WHEN count(*) = ${count} THEN 1 ELSE 0 END) AS done FROM done`;

/** SQL that aborts its transaction unless `change` (an INSERT, UPDATE, DELETE or SELECT) has `count` rows. */
export const assertRowCount = (change: string, count = '1'): string =>
  `WITH done AS (${change}) ${failUnless(count)}`;

/** A statement that aborts its transaction unless it has `count` rows, by default one. */
export const withRowCountCheck = ({ name = '', text, values = [] }: Statement, count?: number): Statement =>
  count === undefined
    ? { name, text: assertRowCount(text), values }
    : { name, text: assertRowCount(text, `$${values.length + 1}`), values: [...values, count] };

/** Loads, decides and stores in two round trips. After a conflict, repeats with the rows locked, so that waiting changes take turns. */
export async function changeInTransaction<S, T>(database: Database, steps: ChangeSteps<S, T>): Promise<T> {
  const { load, lock, decide, contentionKey, store = storeSeparately(database) } = steps;
  const deadline = Date.now() + maxConflictMs;
  // Loading and storing may use different connections, as nothing is locked yet.
  let state: S = await load(database.read);
  const plan = await decide(state);
  if (plan && (plan.statements.length === 0 || (await store(plan, contentionKey(state))))) return plan.result;
  for (let attempt = 1; ; attempt += 1) {
    const statementsToLock = [begin, ...lock(state)];
    const lockedPlan = await database.use(
      (connection) =>
        // Locks, load and storage share one transaction.
        rollBackOnError(connection, async ({ run }) => {
          state = await load(withLeadingStatements(statementsToLock, run));
          const newPlan = await decide(state, run);
          await run(newPlan && newPlan.statements.length > 0 ? [...newPlan.statements, commit] : [rollback]);
          return newPlan;
        }).catch(ignoreConflict),
      contentionKey(state),
    );
    if (lockedPlan) return lockedPlan.result;
    if (Date.now() > deadline) throw unavailableError('Other requests keep changing this data.');
    // A random pause (ms) of at most 2, 4, 8 … up to 100, so that changes do not collide again.
    await pause(Math.random() * Math.min(100, 2 ** attempt));
  }
}

/** Milliseconds after which a change that keeps conflicting fails. */
const maxConflictMs = 30_000;

/** Ignores the error of a conflict. To be used within `Database.use`, which converts errors. */
const ignoreConflict = (error: unknown): undefined => {
  if (!isConflict(error)) throw error;
};

/** Stores a change in its own transaction; a single statement needs no BEGIN. */
export const storeSeparately =
  (database: Database): StoreWrites =>
  ({ statements }, contentionKey) =>
    database.use(async ({ run }) => {
      const rows = await run(statements.length === 1 ? statements : [begin, ...statements, commit]).catch(
        ignoreConflict,
      );
      return rows !== undefined;
    }, contentionKey);

/** Prepends statements to the first read, in the same round trip. */
function withLeadingStatements(leadingStatements: readonly Statement[], read: Read): Read {
  let unsentStatements = leadingStatements;
  return async (statements) => {
    const leadingNow = unsentStatements;
    unsentStatements = [];
    return (await read([...leadingNow, ...statements])).slice(leadingNow.length);
  };
}

/** Runs a transaction that sends BEGIN and COMMIT itself; rolls back if it fails. */
export const runWithRollback = <T>(
  database: Database,
  runTransaction: (connection: Connection) => Promise<T>,
): Promise<T> => database.use((connection) => rollBackOnError(connection, runTransaction));

/** Runs a transaction. Rolls back after an error: one before COMMIT or ROLLBACK leaves the transaction open. */
async function rollBackOnError<T>(
  connection: Connection,
  runTransaction: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await runTransaction(connection);
  } catch (error) {
    if (connection.isUsable()) await connection.run([rollback]);
    throw error;
  }
}

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
  const storeBatch = (changes: readonly Writes[]): Promise<boolean> =>
    database.use(async ({ run }) => {
      try {
        await run([beginShared, ...sortByLockOrder(changes), resetTimeout, commit]);
        return true;
      } catch (error) {
        if (isOutcomeUnknown(error)) throw error;
        if (isStatementTimeout(error)) sharedPausedUntil = Date.now() + sharedPauseMs;
        return false;
      }
    });

  async function storeNextBatch(): Promise<void> {
    const batch = pendingChanges.splice(0, maxChangesPerTransaction);
    openTransactions += 1;
    try {
      const isBatchStored =
        batch.length > 1 && (await storeBatch(batch.map(({ change: [writes] }) => writes)));
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
