import { type Database, sql, type Statement } from '../database.ts';
import type {
  CalendarDecision,
  CalendarChangeState,
  CalendarStore,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Announcer } from '../listen.ts';
import { changeInTransaction } from '../transaction.ts';
import { lookupKey } from '../statements.ts';
import { createCalendarJobs } from './jobs.ts';
import { changedOwners, loadCalendar, type LoadedCalendar, loadOtherShards, noOtherShards } from './load.ts';
import { parseCalendar } from '../stored-json.ts';
import { findCalendars, findCalendarsOf } from '../find-calendars.ts';
import { writeCalendar } from './write.ts';
import { moveAllDayEntries } from '../events/all-day-entries.ts';

type Decide<T> = (state: CalendarChangeState) => CalendarDecision<T>;

const lockCalendar = (id: string): Statement =>
  sql`/* lock calendar */ SELECT FROM calendars WHERE id = ${id} FOR UPDATE`;

/** Key under which all changes of time zones wait, as each holds a connection for a while. */
const zoneContentionKey = 'time zones';

/** The calendar store in PostgreSQL. `announce` tells all gateways which calendars have changed. */
export function createPostgresCalendarStore(
  database: Database,
  announce: Announcer['announce'],
  clock: Clock,
): CalendarStore {
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
      // Found by the last decision.
      let owners: readonly string[] = [];
      let hasNewZone = false;
      const change = await changeInTransaction<LoadedCalendar, CalendarDecision<T>>(database, {
        load: (read) => loadCalendar(read, target, now),
        contentionKey: ({ state: { calendar } }) => (hasNewZone ? zoneContentionKey : calendar?.id),
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
