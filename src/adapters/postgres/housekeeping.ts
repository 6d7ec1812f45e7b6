import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import type { Database } from './database.ts';
import { trimMade } from './made.ts';
import { trimMailed } from './mailed.ts';
import { trimPublished } from './notifications/message-log.ts';
import { dropUnusedBodies } from './outbox/outbox-bodies.ts';
import { recountBytes } from './outbox/outbox-bytes.ts';
import { trimRequests } from './request-records.ts';
import { begin, commit } from './transaction.ts';

/** Deletes what has had its time and counts what waits anew, now and then, until it is stopped. Gateways on one database do it in turns. */
export function startHousekeeping(database: Database, clock: Clock, log: Pick<Log, 'error'>, everyMs = 60_000): () => void {
  const clean = (): Promise<unknown> => database.use(async ({ run, discard }) => {
    const now = clock();
    try {
      const [lock] = await run([begin, { name: 'lock housekeeping', text: "SELECT pg_try_advisory_xact_lock(hashtext('resource-gateway housekeeping')) AS mine" }]);
      await run([...(lock?.mine ? [...trimRequests(now), ...trimPublished(now), trimMade(now), trimMailed(now), dropUnusedBodies, ...recountBytes] : []), commit]);
    } catch (error) {
      // The transaction may still be open.
      discard();
      throw error;
    }
  });
  const failed = (err: unknown): void => log.error({ err }, 'housekeeping of the database failed; it is tried again');
  const timer = setInterval(() => void clean().catch(failed), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
