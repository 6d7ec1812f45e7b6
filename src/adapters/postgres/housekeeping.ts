import type { Clock } from '../../core/runtime/clock.ts';
import type { Database } from './database.ts';
import { trimPublished } from './notifications/message-log.ts';
import { recountBytes } from './notifications/outbox-bytes.ts';
import { trimRequests } from './request-records.ts';

const everyMs = 60_000;

/** Deletes what has had its time and counts what waits anew, now and then, until it is stopped. Gateways on one database do it in turns. */
export function startHousekeeping(database: Database, clock: Clock): () => void {
  const clean = (): Promise<unknown> => database.use(async ({ run }) => {
    const now = clock();
    const [lock] = await run([{ text: 'BEGIN' }, { text: "SELECT pg_try_advisory_xact_lock(hashtext('resource-gateway housekeeping')) AS mine" }]);
    await run([
      ...(lock?.mine ? [...trimRequests(now), ...trimPublished(now), recountBytes] : []),
      { text: 'COMMIT' },
    ]);
  });
  // What fails is tried again the next time.
  const timer = setInterval(() => void clean().catch(() => undefined), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
