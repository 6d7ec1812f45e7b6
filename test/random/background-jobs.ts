import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { StartedJob } from '../../src/calendar/calendar.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { collectLog } from '../log-lines.ts';

/** Background jobs of gateways for calendars. */
export interface BackgroundJobs {
  /** Waits until no jobs are left except final invitation checks; throws if a gateway logs an error. */
  waitUntilSettled(): Promise<void>;
  close(): Promise<void>;
}

/** Warnings and errors that the gateways have logged. */
type Log = Pick<ReturnType<typeof collectLog>, 'lines'>;
/** Much longer than any job, and longer than the time after which gateways take over jobs of others. */
const maxSettleMs = 60_000;
/** Time after the creation of a calendar when its final check for invitations is due. */
const finalInviteCheckMs = 60_000;

async function waitForJobs(
  { lines }: Log,
  loadPendingJobs: () => Promise<readonly unknown[]>,
): Promise<void> {
  for (const deadlineMs = Date.now() + maxSettleMs; ;) {
    const pendingJobs = await loadPendingJobs();
    if (lines.length > 0) throw new Error(`A gateway has logged ${JSON.stringify(lines.splice(0))}`);
    if (pendingJobs.length === 0) return;
    if (Date.now() > deadlineMs)
      throw new Error(`Jobs are still pending after the maximum wait: ${JSON.stringify(pendingJobs)}`);
    await pause(5);
  }
}

/** Creates memory stores that track the jobs a gateway has started. */
export function trackMemoryJobs(clock: Clock, log: Log) {
  const stores = createMemoryStores(clock);
  const { calendars } = stores;
  const runningJobs = new Map<string, StartedJob>();
  const markEnded = ({ calendarId }: StartedJob['job']): void => void runningJobs.delete(calendarId);
  const isFinalCheck = ({ job, createdAt }: StartedJob): boolean =>
    job.kind === 'invite' && clock() >= createdAt + finalInviteCheckMs;
  const trackedCalendars: typeof calendars = {
    ...calendars,
    async claimJob(leaseMs, kinds) {
      const claimedJob = await calendars.claimJob(leaseMs, kinds);
      if (claimedJob) runningJobs.set(claimedJob.job.calendarId, claimedJob);
      return claimedJob;
    },
    continueJob: (job, progress, delayMs) =>
      calendars.continueJob(job, progress, delayMs).finally(() => markEnded(job)),
    endJob: (job) => calendars.endJob(job).finally(() => markEnded(job)),
  };
  const background: BackgroundJobs = {
    waitUntilSettled: () =>
      waitForJobs(log, async () => {
        // A lease of 0 ms leaves the job available to the gateway.
        const dueJob = await calendars.claimJob(0);
        return [...runningJobs.values(), ...(dueJob ? [dueJob] : [])].filter(
          (started) => !isFinalCheck(started),
        );
      }),
    close: async () => undefined,
  };
  return { stores: { ...stores, calendars: trackedCalendars }, background };
}

/** Tracks the jobs of all gateways on one database. */
export function trackPostgresJobs(url: string, log: Log): BackgroundJobs {
  let client: pg.Client | undefined;
  return {
    waitUntilSettled: () =>
      waitForJobs(log, async () => {
        if (!client) {
          client = new pg.Client(url);
          await client.connect();
        }
        const { rows } = await client.query(
          `SELECT * FROM calendar_jobs WHERE kind = 'remove' OR due < left_at + ${finalInviteCheckMs}`,
        );
        return rows as readonly unknown[];
      }),
    close: async () => client?.end(),
  };
}
