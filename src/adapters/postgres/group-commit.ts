import type { Database, Statement } from './database.ts';
import { isOutcomeUnknown, isOutOfTime } from './failures.ts';
import { commit, compareKeys, storeAlone, type Storing, type Writes } from './transaction.ts';

/** Each change of a transaction holds its locks until all are stored. While one transaction waits for the disk, another one is sent. */
const [maxChanges, maxTransactions] = [16, 2];

/** How long (ms) such a transaction waits for a lock, and for a node of a cluster, which locks by itself. */
const [lockMs, statementMs] = [100, 1000];
/** How long (ms) each change is stored by itself where a node kept others waiting. */
const apartMs = 10_000;

const beginShared: Statement = {
  title: 'begin shared',
  text: `BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = ${statementMs}`,
};
/** A standby that has to confirm may take as long as ever. */
const takeTime: Statement = { title: 'take time', text: 'SET LOCAL statement_timeout TO DEFAULT' };

/** Records first, then calendars, each in the order of their keys: the order in which all transactions lock. */
function inLockOrder(changes: readonly Writes[]): Statement[] {
  const parts = changes.flatMap((change) => change.parts?.() ?? []);
  return [
    ...parts
      .toSorted((one, other) => compareKeys(one.recordKey, other.recordKey))
      .map(({ record }) => record),
    ...parts
      .toSorted((one, other) => compareKeys(one.calendarId, other.calendarId))
      .map(({ entries }) => entries),
  ];
}

/**
 * Stores changes that come together in one transaction: one commit, and one round trip, for all of them. Where that fails for any of
 * them, or has to wait, each is stored by itself. While no other is under way a change does not wait for company.
 */
export function createSharedStoring(database: Database): Storing {
  const alone = storeAlone(database);
  let aloneUntil = 0;
  const waiting: WaitingChange[] = [];
  let isScheduled = false;
  /** Shared transactions that are under way. */
  let transactions = 0;
  /** The number of changes under way, also those that are stored by themselves. */
  let underWay = 0;

  async function storeAll(changes: readonly Writes[]): Promise<boolean> {
    if (changes.length < 2) return false;
    return database.use(async ({ run }) => {
      try {
        await run([beginShared, ...inLockOrder(changes), takeTime, commit]);
        return true;
      } catch (error) {
        if (isOutcomeUnknown(error)) throw error;
        if (isOutOfTime(error)) aloneUntil = Date.now() + apartMs;
        return false;
      }
    });
  }

  async function sendNext(): Promise<void> {
    const batch = waiting.splice(0, maxChanges);
    transactions += 1;
    try {
      const areStored = await storeAll(batch.map(({ change: [writes] }) => writes));
      for (const { change, resolve } of batch) resolve(areStored || alone(...change));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    transactions -= 1;
    sendWaiting();
  }

  function sendWaiting(): void {
    isScheduled = false;
    while (waiting.length > 0 && transactions < maxTransactions) void sendNext();
  }

  /** Collects the changes of one iteration of the event loop, and those that come while all transactions are under way. */
  const share = (...change: Parameters<Storing>): Promise<boolean> =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject });
      if (isScheduled || transactions >= maxTransactions) return;
      isScheduled = true;
      setImmediate(sendWaiting);
    });

  return async (writes, waitsFor) => {
    const isOnly = underWay === 0;
    underWay += 1;
    try {
      const isShared = writes.parts && !isOnly && Date.now() >= aloneUntil;
      return await (isShared ? share : alone)(writes, waitsFor);
    } finally {
      underWay -= 1;
    }
  };
}

/** A change that waits for its transaction. */
interface WaitingChange {
  readonly change: Parameters<Storing>;
  readonly resolve: (isStored: boolean | Promise<boolean>) => void;
  readonly reject: (error: unknown) => void;
}
