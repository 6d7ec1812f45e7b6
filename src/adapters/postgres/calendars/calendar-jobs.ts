import type { CalendarJob, CalendarStore, StartedJob } from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Database, Row } from '../database.ts';

/** Jobs that changes of calendars left, for whichever gateway has time. */
export function createCalendarJobs(database: Database, clock: Clock): Pick<CalendarStore, 'claimJob' | 'continueJob' | 'endJob'> {
  return {
    async claimJob(leaseMs, calendarId) {
      const now = clock();
      const [row] = await database.query({
        name: 'claim job',
        text: `UPDATE calendar_jobs j SET due = $1 FROM (
            SELECT calendar_id, kind FROM calendar_jobs WHERE due <= $2 AND calendar_id = coalesce($3, calendar_id) ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED
          ) AS first WHERE j.calendar_id = first.calendar_id AND j.kind = first.kind
          RETURNING j.calendar_id, j.kind, owner, send_updates, left_at, progress`,
        values: [now + leaseMs, now, calendarId ?? null],
      });
      return row && startedFrom(row);
    },

    async continueJob({ calendarId, kind }, progress, delayMs) {
      await database.query({
        name: 'continue job', text: 'UPDATE calendar_jobs SET progress = $3, due = $4 WHERE calendar_id = $1 AND kind = $2', values: [calendarId, kind, progress ?? null, clock() + delayMs],
      });
    },

    async endJob({ calendarId, kind }) {
      await database.query({ name: 'end job', text: 'DELETE FROM calendar_jobs WHERE calendar_id = $1 AND kind = $2', values: [calendarId, kind] });
    },
  };
}

function startedFrom({ calendar_id: calendarId, kind, owner, send_updates: sendUpdates, left_at: leftAt, progress }: Row): StartedJob {
  const job = (kind === 'remove' ? { kind, calendarId, owner, sendUpdates } : { kind, calendarId, owner }) as CalendarJob;
  return { job, leftAt: leftAt as number, ...(progress !== null && { progress: progress as string }) };
}
