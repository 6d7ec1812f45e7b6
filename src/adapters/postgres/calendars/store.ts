import pg from 'pg';
import { createKeyedLimit, type Database, type Row, sql, type Statement } from '../database.ts';
import { queryShardRows } from '../query-shards.ts';
import type {
  CalendarChangeState,
  CalendarDecision,
  CalendarJob,
  CalendarStore,
  CalendarTarget,
  JobFilter,
  StartedJob,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Announcer } from '../listen.ts';
import { changeInTransaction } from '../transaction.ts';
import { lookupKey } from '../statements.ts';
import { changedOwners, loadCalendar, type LoadedCalendar, loadOtherShards, noOtherShards } from './load.ts';
import { parseCalendar } from '../stored-json.ts';
import { findCalendars, findCalendarsOf } from '../find-calendars.ts';
import { writeCalendar } from './write.ts';
import { moveAllDayEntries } from '../events/all-day-entries.ts';

type Decide<T> = (state: CalendarChangeState) => CalendarDecision<T>;

const lockCalendar = (id: string): Statement =>
  sql`/* lock calendar */ SELECT FROM calendars WHERE id = ${id} FOR UPDATE`;

/** The calendar store in PostgreSQL. `announce` tells all gateways which calendars have changed. */
export function createPostgresCalendarStore(
  database: Database,
  announce: Announcer['announce'],
  clock: Clock,
): CalendarStore {
  // Changes of time zones wait in line, as each moves up to thousands of entries and holds a connection meanwhile.
  const limitZoneChanges = createKeyedLimit(1, 30_000);
  return {
    ...createCalendarJobs(database, clock),

    calendars: async (refs) => (await findCalendars(database, refs)).map((snapshot) => snapshot?.record),

    calendarsOf: (identity) => findCalendarsOf(database, identity),

    async calendarsAfter(id, limit) {
      const rows = await database.query(
        sql`/* calendars behind */ SELECT body FROM calendars
          WHERE id COLLATE "C" > ${lookupKey(id)} ORDER BY id COLLATE "C" LIMIT ${limit}`,
      );
      return rows.map(({ body }) => parseCalendar(body));
    },

    async changeCalendar<T>(target: CalendarTarget, decide: Decide<T>) {
      const now = clock();
      // State of the latest attempt, set by `decide`: owners whose shards it needs, and whether the zone changes.
      let owners: readonly string[] = [];
      let hasNewZone = false;
      const databaseOfAttempt: Database = {
        ...database,
        use: (work, contentionKey) =>
          hasNewZone
            ? limitZoneChanges('time zones', () => database.use(work))
            : database.use(work, contentionKey),
      };
      const change = await changeInTransaction<LoadedCalendar, CalendarDecision<T>>(databaseOfAttempt, {
        load: (read) => loadCalendar(read, target, now),
        contentionKey: ({ state: { calendar } }) => calendar?.id,
        // `loadOtherShards` locks the calendar in order with others.
        lock: ({ state: { calendar } }) =>
          calendar && owners.length === 0 ? [lockCalendar(calendar.id)] : [],
        async decide(loadedCalendar, readLocked) {
          const { calendar } = loadedCalendar.state;
          const change = decide(loadedCalendar.state);
          owners = changedOwners(change, loadedCalendar.state);
          hasNewZone = Boolean(calendar && change.next && change.next.timeZone !== calendar.timeZone);
          if (!readLocked && (hasNewZone || owners.length > 0)) return undefined;
          const otherShards =
            readLocked && owners.length > 0
              ? await loadOtherShards(readLocked, owners, change, loadedCalendar)
              : noOtherShards;
          if (readLocked && hasNewZone && change.next)
            await moveAllDayEntries(readLocked, change.next.id, change.next.timeZone);
          const statements = writeCalendar(target, change, loadedCalendar, otherShards, now);
          return { statements, result: change };
        },
      });
      if (change.next) announce([change.next.id]);
      else if (change.removes && change.job) announce([change.job.calendarId]);
      return change.result;
    },
  };
}

/** Background jobs of changed calendars, shared by all gateways. */
function createCalendarJobs(
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
