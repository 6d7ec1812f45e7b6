import pg from 'pg';
import { type Database, type Row, sql } from '../database.ts';
import type { CalendarJob, CalendarStore, JobFilter, StartedJob } from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { queryShardRows } from '../query-shards.ts';

/** Background jobs of changed calendars, shared by all gateways. */
export function createCalendarJobs(
  database: Database,
  clock: Clock,
): Pick<CalendarStore, 'claimJob' | 'continueJob' | 'endJob'> {
  return {
    async claimJob(leaseMs, filter = {}) {
      for (;;) {
        const now = clock();
        const dueJobs = await findDueJobs(database, now, filter);
        for (const job of dueJobs) {
          const [claimedRow] = await database.query(claimStatement(job, now + leaseMs));
          if (claimedRow) return toStartedJob(claimedRow);
        }
        // Retries while other gateways claimed all jobs that were found.
        if (dueJobs.length === 0) return undefined;
      }
    },

    async continueJob({ calendarId, kind }, progress, delayMs) {
      await database.query(sql`/* continue job */ UPDATE calendar_jobs SET progress = ${progress ?? null}, due = ${clock() + delayMs}
    WHERE calendar_id = ${calendarId} AND kind = ${kind}`);
    },

    async endJob({ calendarId, kind }) {
      await database.query(
        sql`/* end job */ DELETE FROM calendar_jobs WHERE calendar_id = ${calendarId} AND kind = ${kind}`,
      );
    },
  };
}

/** Jobs that a query returns: enough that several gateways find one each. */
const maxJobsPerQuery = 10;

/**
 * Finds due jobs of a calendar, or on all shards, longest due first. A job that nobody has begun is left to the gateway that
 * created it (`left_at`) for `headStartMs`.
 */
async function findDueJobs(
  database: Database,
  now: number,
  { calendarId, headStartMs = 0 }: JobFilter,
): Promise<readonly Row[]> {
  const condition =
    calendarId === undefined
      ? `(progress IS NOT NULL OR due > left_at OR left_at <= ${now - headStartMs})`
      : `calendar_id = ${pg.escapeLiteral(calendarId)}`;
  const rows = await queryShardRows(database, ['calendar_jobs'], (table) => ({
    title: 'due jobs',
    text: `SELECT calendar_id, kind, due FROM ${table('calendar_jobs')} j WHERE due <= ${now} AND ${condition} ORDER BY due LIMIT ${maxJobsPerQuery}`,
  }));
  return rows.toSorted((a, b) => (a.due as number) - (b.due as number));
}

/** Claims a job by postponing it, unless another gateway did so since it was read. */
const claimStatement = (
  { calendar_id: calendarId, kind, due: previousDue }: Row,
  leaseEnd: number,
) => sql`/* claim job */ UPDATE calendar_jobs SET due = ${leaseEnd} WHERE calendar_id = ${calendarId} AND kind = ${kind} AND due = ${previousDue}
    RETURNING calendar_id, kind, owner, send_updates, left_at, progress`;

function toStartedJob(row: Row): StartedJob {
  const { calendar_id: calendarId, kind, owner, left_at: createdAt, progress } = row;
  const job = {
    kind,
    calendarId,
    owner,
    ...(kind === 'remove' && { sendUpdates: row.send_updates }),
  } as CalendarJob;
  return { job, createdAt: createdAt as number, ...(progress !== null && { progress: progress as string }) };
}
