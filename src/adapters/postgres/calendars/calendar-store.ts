import type {
  CalendarChange,
  CalendarState,
  CalendarStore,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { createSerialQueue } from '../../../core/runtime/serial-queue.ts';
import type { Announcer } from '../announce.ts';
import type { Connection, Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { createElsewhere } from '../spread/calendar-write.ts';
import { rowsOfIdentity } from '../spread/find-calendars.ts';
import { loadingCalendar } from '../spread/load-calendar.ts';
import { begin, changeInTransaction, commit, loaded as rowsLoaded, rollback } from '../transaction.ts';
import { createCalendarJobs } from './calendar-jobs.ts';
import {
  calendarFrom,
  findCalendars,
  loadCalendar,
  readCalendar,
  type LoadedCalendar,
} from './calendar-load.ts';
import { writeCalendar } from './calendar-write.ts';
import { moveDays } from './move-days.ts';

export interface CalendarStoreParts {
  readonly database: Database;
  readonly announce: Announcer['announce'];
  readonly clock: Clock;
}

type Decide<T> = (state: CalendarState) => CalendarChange<T>;

const lockCalendar = (id: string): Statement => ({
  name: 'lock calendar',
  text: 'SELECT FROM calendars WHERE id = $1 FOR UPDATE',
  values: [id],
});

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

  /** The same with the calendar locked, and all that depends on its zone. */
  const changeZone = <T>(id: string, target: CalendarTarget, decide: Decide<T>): Promise<CalendarChange<T>> =>
    movingQueue(() =>
      database.use(async (connection) => {
        const { run } = connection;
        try {
          const rows = await rowsLoaded(
            connection,
            database.isSpread ? loadingCalendar(target, clock()) : loadCalendar(target, clock()),
            [begin, lockCalendar(id)],
          );
          const change = await decideZone(connection, id, rows, target, decide);
          await run([...change.statements, commit]);
          return change.decided;
        } catch (error) {
          await run([rollback]);
          throw error;
        }
      }),
    );

  async function decideZone<T>(
    connection: Connection,
    id: string,
    rows: readonly Row[],
    target: CalendarTarget,
    decide: Decide<T>,
  ) {
    const loaded = readCalendar(rows);
    const decided = decide(loaded.state);
    if (decided.next && movesDays(decided, loaded))
      await moveDays(connection, database.isSpread, id, decided.next.timeZone);
    const elsewhere = database.isSpread ? createElsewhere() : undefined;
    await elsewhere?.loadFor(connection, decided, loaded);
    return {
      decided,
      statements: writeCalendar(target, decided, loaded, {
        database,
        now: clock(),
        elsewhere: elsewhere?.writes(),
      }),
    };
  }

  return {
    ...createCalendarJobs(database, clock),

    calendars: async (refs) => (await findCalendars(database, refs)).map((found) => found?.record),

    async calendarsOf(identity) {
      const rows = database.isSpread
        ? await rowsOfIdentity(database, lookupKey(identity))
        : await database.query({
            name: 'calendars of',
            text: `SELECT c.body FROM access a JOIN calendars c ON c.id = a.calendar_id WHERE a.identity = $1 ORDER BY c.added`,
            values: [lookupKey(identity)],
          });
      return rows.map(({ body }) => calendarFrom(body));
    },

    async calendarsBehind(id, limit) {
      const rows = await database.query({
        name: 'calendars behind',
        text: 'SELECT body FROM calendars WHERE id COLLATE "C" > $1 ORDER BY id COLLATE "C" LIMIT $2',
        values: [lookupKey(id), limit],
      });
      return rows.map(({ body }) => calendarFrom(body));
    },

    async changeCalendar<T>(target: CalendarTarget, decide: Decide<T>) {
      const now = clock();
      let moves: string | undefined;
      const elsewhere = database.isSpread ? createElsewhere() : undefined;
      const first = await changeInTransaction<LoadedCalendar, CalendarChange<T>>(database, {
        load: () => (elsewhere ? elsewhere.loading(loadingCalendar(target, now)) : loadCalendar(target, now)),
        read: (rows) => readCalendar(rows),
        waitsFor: ({ state: { calendar } }) => calendar?.id,
        lock: ({ state: { calendar } }) => {
          const locks = calendar ? [lockCalendar(calendar.id)] : [];
          return elsewhere ? elsewhere.lock(locks) : locks;
        },
        decide(loaded) {
          const change = decide(loaded.state);
          moves = movesDays(change, loaded) ? loaded.state.calendar?.id : undefined;
          if (moves !== undefined) return { statements: [], result: change };
          if (elsewhere && !elsewhere.isLoaded(change, loaded)) return undefined;
          return {
            statements: writeCalendar(target, change, loaded, {
              database,
              now,
              elsewhere: elsewhere?.writes(),
            }),
            result: change,
          };
        },
      });
      const change = moves === undefined ? first : await changeZone(moves, target, decide);
      if (change.next) announce([change.next.id]);
      else if (change.removes && change.job) announce([change.job.calendarId]);
      return change.result;
    },
  };
}
