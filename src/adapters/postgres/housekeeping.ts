import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { type Database, sql, type Statement } from './database.ts';
import { trimMade, trimRequests } from './request-records.ts';
import { trimMailed } from './mailed.ts';
import { trimPublished } from './notifications/store.ts';
import { dropUnusedBodies } from './outbox/store.ts';

/**
 * Deletes what has had its time, now and then, until it is stopped. Each statement is by itself: one that
 * fails, as while a node of a cluster is away, holds up no other.
 */
export function startHousekeeping(
  database: Database,
  clock: Clock,
  log: Pick<Log, 'error'>,
  everyMs = 60_000,
): () => void {
  let stopped = false;
  async function clean(): Promise<void> {
    const now = clock();
    const failures: unknown[] = [];
    for (const statement of [
      ...trimRequests(now),
      ...trimPublished(now),
      trimMade(now),
      trimMailed(now),
      dropUnusedBodies,
    ]) {
      if (!stopped) await inTurns(database, statement).catch((error: unknown) => void failures.push(error));
    }
    if (failures.length > 0)
      log.error(
        { err: failures[0], failures: failures.length },
        'housekeeping of the database failed; it is tried again',
      );
  }
  let cleaning: Promise<void> | undefined;
  const timer = setInterval(
    () =>
      void (cleaning ??= clean().finally(() => {
        cleaning = undefined;
      })),
    everyMs,
  );
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

/** Gateways on one database do it in turns: what one is at is left alone by the others. A lock of the session, as of no table that is spread. */
const inTurns = (database: Database, statement: Statement): Promise<void> =>
  database.use(async ({ run }) => {
    const key = `resource-gateway housekeeping ${statement.name ?? statement.title}`;
    const [lock] = await run([
      sql`/* lock housekeeping */ SELECT pg_try_advisory_lock(hashtext(${key})) AS mine`,
    ]);
    if (lock?.mine)
      await run([statement, sql`/* unlock housekeeping */ SELECT pg_advisory_unlock(hashtext(${key}))`]);
  });
