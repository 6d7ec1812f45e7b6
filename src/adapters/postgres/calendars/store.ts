import type {
  CalendarChange,
  CalendarState,
  CalendarStore,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { createSerialQueue } from '../../../core/runtime/serial-queue.ts';
import type { Announcer } from '../listen.ts';
import type { Connection, Database, Statement } from '../database.ts';
import { lookupKey } from '../statements.ts';
import { begin, changeInTransaction, commit, rollback } from '../transaction.ts';
import { createCalendarJobs } from './jobs.ts';
import { loadCalendar, type LoadedCalendar } from './load.ts';
import { calendarFrom, findCalendars, findCalendarsOf } from '../find-calendars.ts';
import { createOtherShards } from './other-shards.ts';
import { writeCalendar } from './write.ts';
import { moveDays } from '../events/days.ts';

interface CalendarStoreParts {
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
          await run([begin, lockCalendar(id)]);
          const change = await decideZone(connection, id, target, decide);
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
    target: CalendarTarget,
    decide: Decide<T>,
  ) {
    const loaded = await loadCalendar(connection.runAll, target, clock());
    const decided = decide(loaded.state);
    if (decided.next && movesDays(decided, loaded)) await moveDays(connection, id, decided.next.timeZone);
    const others = createOtherShards();
    await others.loadFor(connection.runAll, decided, loaded);
    return {
      decided,
      statements: writeCalendar(target, decided, loaded, {
        database,
        now: clock(),
        others: others.state(),
      }),
    };
  }

  return {
    ...createCalendarJobs(database, clock),

    calendars: async (refs) => (await findCalendars(database, refs)).map((found) => found?.record),

    calendarsOf: (identity) => findCalendarsOf(database, identity),

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
      const others = createOtherShards();
      const first = await changeInTransaction<LoadedCalendar, CalendarChange<T>>(database, {
        async load(read) {
          await others.load(read);
          return loadCalendar(read, target, now);
        },
        waitsFor: ({ state: { calendar } }) => calendar?.id,
        lock: ({ state: { calendar } }) => others.lock(calendar ? [lockCalendar(calendar.id)] : []),
        decide(loaded) {
          const change = decide(loaded.state);
          moves = movesDays(change, loaded) ? loaded.state.calendar?.id : undefined;
          if (moves !== undefined) return { statements: [], result: change };
          if (!others.isLoaded(change, loaded)) return undefined;
          const writing = { database, now, others: others.state() };
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
