import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { type Database, sql, type Statement } from './database.ts';
import { trimRequests } from './request-records.ts';
import { trimCreationCounts, trimMailCounts } from './quota-counts.ts';
import { trimChannels } from './channels/store.ts';
import { trimPublished } from './notifications/store.ts';
import { dropUnusedBodies } from './outbox/add-items.ts';

/** Periodically deletes expired rows until stopped. A statement that fails, as while a cluster node is away, stops no other. */
export function startHousekeeping(
  database: Database,
  clock: Clock,
  log: Pick<Log, 'error'>,
  intervalMs = 60_000,
): () => void {
  let isStopped = false;
  async function deleteExpiredRows(): Promise<void> {
    const now = clock();
    const failures: unknown[] = [];
    for (const statement of [
      ...trimRequests(now),
      ...trimPublished(now),
      trimCreationCounts(now),
      trimMailCounts(now),
      ...trimChannels(now),
      dropUnusedBodies,
    ]) {
      if (!isStopped)
        await runExclusively(database, statement).catch((error: unknown) => void failures.push(error));
    }
    if (failures.length > 0)
      log.error(
        { err: failures[0], failures: failures.length },
        'housekeeping of the database failed; the gateway tries again',
      );
  }
  let currentRun: Promise<void> | undefined;
  const timer = setInterval(() => {
    currentRun ??= deleteExpiredRows().finally(() => (currentRun = undefined));
  }, intervalMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

/** Skips a statement that another gateway is running. A session lock, since it belongs to no distributed table. */
const runExclusively = (database: Database, statement: Statement): Promise<void> =>
  database.use(async ({ run }) => {
    const key = `resource-gateway housekeeping ${statement.name ?? statement.title}`;
    const [[lock] = []] = await run([
      sql`/* lock housekeeping */ SELECT pg_try_advisory_lock(hashtext(${key})) AS mine`,
    ]);
    if (lock?.mine)
      await run([statement, sql`/* unlock housekeeping */ SELECT pg_advisory_unlock(hashtext(${key}))`]);
  });
