import { type Database, sql, type Statement } from '../database.ts';
import type {
  CalendarChange,
  CalendarState,
  CalendarStore,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { createSerialQueue } from '../../../core/runtime/event-loop.ts';
import type { Announcer } from '../listen.ts';
import { begin, changeInTransaction, commit, lookupKey, rollingBack } from '../transaction.ts';
import { createCalendarJobs } from './jobs.ts';
import { loadCalendar, type LoadedCalendar } from './load.ts';
import { calendarFrom, findCalendars, findCalendarsOf } from '../find-calendars.ts';
import {
  isLoaded,
  loadOtherShards,
  noOtherShards,
  otherShardsFor,
  type OtherShardsRequest,
} from './other-shards.ts';
import { writeCalendar } from './write.ts';
import { moveDays } from '../events/days.ts';

interface CalendarStoreParts {
  readonly database: Database;
  readonly announce: Announcer['announce'];
  readonly clock: Clock;
}

type Decide<T> = (state: CalendarState) => CalendarChange<T>;

const lockCalendar = (id: string): Statement =>
  sql`/* lock calendar */ SELECT FROM calendars WHERE id = ${id} FOR UPDATE`;

/** Calendars in PostgreSQL, shared by all gateways on one database. */
export function createPostgresCalendarStore({
  database,
  announce,
  clock,
}: CalendarStoreParts): CalendarStore {
  /** The days of one calendar after the other: each takes a connection for a while. */
  const movingQueue = createSerialQueue();

  const movesDays = <T>({ next }: CalendarChange<T>, { state: { calendar } }: LoadedCalendar): boolean =>
    next !== undefined && calendar !== undefined && next.timeZone !== calendar.timeZone;

  /** Decides again with the calendar locked, and moves all that depends on its zone. */
  const changeZone = <T>(id: string, target: CalendarTarget, decide: Decide<T>): Promise<CalendarChange<T>> =>
    movingQueue(() =>
      rollingBack(database, async ({ run, runAll }) => {
        await run([begin, lockCalendar(id)]);
        const loaded = await loadCalendar(runAll, target, clock());
        const change = decide(loaded.state);
        if (change.next && movesDays(change, loaded)) await moveDays(runAll, id, change.next.timeZone);
        const others = await loadOtherShards(runAll, otherShardsFor(change, loaded));
        const writing = { database, now: clock(), others };
        await run([...writeCalendar(target, change, loaded, writing), commit]);
        return change;
      }),
    );

  return {
    ...createCalendarJobs(database, clock),

    calendars: async (refs) => (await findCalendars(database, refs)).map((found) => found?.record),

    calendarsOf: (identity) => findCalendarsOf(database, identity),

    async calendarsBehind(id, limit) {
      const rows = await database.query(
        sql`/* calendars behind */ SELECT body FROM calendars
          WHERE id COLLATE "C" > ${lookupKey(id)} ORDER BY id COLLATE "C" LIMIT ${limit}`,
      );
      return rows.map(({ body }) => calendarFrom(body));
    },

    async changeCalendar<T>(target: CalendarTarget, decide: Decide<T>) {
      const now = clock();
      let moves: string | undefined;
      let request: OtherShardsRequest | undefined;
      let others = noOtherShards;
      const first = await changeInTransaction<LoadedCalendar, CalendarChange<T>>(database, {
        async load(read) {
          if (request) others = await loadOtherShards(read, request);
          return loadCalendar(read, target, now);
        },
        waitsFor: ({ state: { calendar } }) => calendar?.id,
        // A calendar whose change loads values of other shards is locked with them, in their order.
        lock: ({ state: { calendar } }) =>
          calendar && !request?.owners.length ? [lockCalendar(calendar.id)] : [],
        decide(loaded) {
          const change = decide(loaded.state);
          moves = movesDays(change, loaded) ? loaded.state.calendar?.id : undefined;
          if (moves !== undefined) return { statements: [], result: change };
          request = otherShardsFor(change, loaded);
          if (!isLoaded(request, others)) return undefined;
          const writing = { database, now, others };
          return { statements: writeCalendar(target, change, loaded, writing), result: change };
        },
      });
      const change = moves === undefined ? first : await changeZone(moves, target, decide);
      if (change.next) announce([change.next.id]);
      else if (change.removes && change.job) announce([change.job.calendarId]);
      return change.result;
    },
  };
}
