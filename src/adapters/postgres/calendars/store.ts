import { type Database, sql, type Statement } from '../database.ts';
import type {
  CalendarDecision,
  CalendarChangeState,
  CalendarStore,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { createSerialQueue } from '../../../core/runtime/event-loop.ts';
import type { Announcer } from '../listen.ts';
import { begin, changeInTransaction, commit, runWithRollback } from '../transaction.ts';
import { lookupKey } from '../statements.ts';
import { createCalendarJobs } from './jobs.ts';
import {
  loadCalendar,
  type LoadedCalendar,
  hasRequestedRows,
  loadOtherShards,
  emptyOtherShards,
  createOtherShardsRequest,
  type OtherShardsRequest,
} from './load.ts';
import { parseCalendar } from '../stored-json.ts';
import { findCalendars, findCalendarsOf } from '../find-calendars.ts';
import { writeCalendar } from './write.ts';
import { moveAllDayEntries } from '../events/all-day-entries.ts';

interface CalendarStoreDependencies {
  readonly database: Database;
  /** Tells all gateways which calendars have changed. */
  readonly announce: Announcer['announce'];
  readonly clock: Clock;
}

type Decide<T> = (state: CalendarChangeState) => CalendarDecision<T>;

const lockCalendar = (id: string): Statement =>
  sql`/* lock calendar */ SELECT FROM calendars WHERE id = ${id} FOR UPDATE`;

/** The calendar store in PostgreSQL. */
export function createPostgresCalendarStore({
  database,
  announce,
  clock,
}: CalendarStoreDependencies): CalendarStore {
  /** Serializes zone changes, as each holds a connection for a while. */
  const zoneQueue = createSerialQueue();

  /** Whether a change gives an existing calendar another time zone. */
  const hasNewZone = <T>({ next }: CalendarDecision<T>, { state: { calendar } }: LoadedCalendar): boolean =>
    next !== undefined && calendar !== undefined && next.timeZone !== calendar.timeZone;

  /** Decides again with the calendar locked, and moves its all-day entries to the new zone. */
  const changeZone = <T>(
    id: string,
    target: CalendarTarget,
    decide: Decide<T>,
  ): Promise<CalendarDecision<T>> =>
    zoneQueue(() =>
      runWithRollback(database, async ({ run, runAll }) => {
        await run([begin, lockCalendar(id)]);
        const loadedCalendar = await loadCalendar(runAll, target, clock());
        const change = decide(loadedCalendar.state);
        if (change.next && hasNewZone(change, loadedCalendar))
          await moveAllDayEntries(runAll, id, change.next.timeZone);
        const otherShards = await loadOtherShards(runAll, createOtherShardsRequest(change, loadedCalendar));
        await run([...writeCalendar(database, target, change, loadedCalendar, otherShards, clock()), commit]);
        return change;
      }),
    );

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
      // Found by `decide`: a calendar for `changeZone`, or the rows that the next attempt loads.
      let idWithNewZone: string | undefined;
      let shardsRequest: OtherShardsRequest | undefined;
      let otherShards = emptyOtherShards;
      const firstChange = await changeInTransaction<LoadedCalendar, CalendarDecision<T>>(database, {
        async load(read) {
          if (shardsRequest) otherShards = await loadOtherShards(read, shardsRequest);
          return loadCalendar(read, target, now);
        },
        contentionKey: ({ state: { calendar } }) => calendar?.id,
        // `loadOtherShards` locks the calendar in order with others.
        lock: ({ state: { calendar } }) =>
          calendar && !shardsRequest?.owners.length ? [lockCalendar(calendar.id)] : [],
        decide(loadedCalendar) {
          const change = decide(loadedCalendar.state);
          idWithNewZone = hasNewZone(change, loadedCalendar) ? loadedCalendar.state.calendar?.id : undefined;
          if (idWithNewZone !== undefined) return { statements: [], result: change };
          shardsRequest = createOtherShardsRequest(change, loadedCalendar);
          // Without these rows, the change is loaded and decided again.
          if (!hasRequestedRows(shardsRequest, otherShards)) return undefined;
          const statements = writeCalendar(database, target, change, loadedCalendar, otherShards, now);
          return { statements, result: change };
        },
      });
      const change =
        idWithNewZone === undefined ? firstChange : await changeZone(idWithNewZone, target, decide);
      if (change.next) announce([change.next.id]);
      else if (change.removes && change.job) announce([change.job.calendarId]);
      return change.result;
    },
  };
}
