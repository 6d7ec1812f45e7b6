import { type Database, type Row, sql, type Statement } from '../database.ts';
import type { CalendarJob, CalendarStore, StartedJob } from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { queryEverywhere } from '../everywhere.ts';

/** Jobs that changes of calendars left, for whichever gateway has time. */
export function createCalendarJobs(
  database: Database,
  clock: Clock,
): Pick<CalendarStore, 'claimJob' | 'continueJob' | 'endJob'> {
  return {
    async claimJob(leaseMs, { calendarId, headStartMs = 0 } = {}) {
      for (;;) {
        const now = clock();
        const due = await (calendarId === undefined
          ? dueJobs(database, now, now - headStartMs)
          : database.query(dueOf(calendarId, now)));
        for (const job of due) {
          const [claimed] = await database.query(claim(job, now + leaseMs));
          if (claimed) return startedFrom(claimed);
        }
        // Others have got all that were seen.
        if (due.length === 0) return undefined;
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

/** So many are looked at that several gateways find one each. */
const jobsAtOnce = 10;

const due = (where: string): string =>
  `SELECT calendar_id, kind, due FROM calendar_jobs WHERE ${where} ORDER BY due LIMIT ${jobsAtOnce}`;

const dueOf = (calendarId: string, now: number): Statement => ({
  name: 'due jobs of calendar',
  text: due('calendar_id = $1 AND due <= $2'),
  values: [calendarId, now],
});

async function dueJobs(database: Database, now: number, leftBy: number): Promise<readonly Row[]> {
  const rows = await queryEverywhere(database, ['calendar_jobs'], (table) => ({
    title: 'due jobs',
    text: due(`due <= ${now} AND (progress IS NOT NULL OR due > left_at OR left_at <= ${leftBy})`).replace(
      'calendar_jobs',
      table('calendar_jobs'),
    ),
  }));
  return [...rows].sort((a, b) => (a.due as number) - (b.due as number));
}

/** Puts a job off, unless somebody else has done so since it was seen. */
const claim = (
  { calendar_id: calendarId, kind, due: seen }: Row,
  until: number,
) => sql`/* claim job */ UPDATE calendar_jobs SET due = ${until} WHERE calendar_id = ${calendarId} AND kind = ${kind} AND due = ${seen}
    RETURNING calendar_id, kind, owner, send_updates, left_at, progress`;

function startedFrom({
  calendar_id: calendarId,
  kind,
  owner,
  send_updates: sendUpdates,
  left_at: leftAt,
  progress,
}: Row): StartedJob {
  const job = (
    kind === 'remove' ? { kind, calendarId, owner, sendUpdates } : { kind, calendarId, owner }
  ) as CalendarJob;
  return { job, leftAt: leftAt as number, ...(progress !== null && { progress: progress as string }) };
}
