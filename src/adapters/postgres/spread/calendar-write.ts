import type { CalendarChange } from '../../../calendar/calendar.store.ts';
import type { LoadedCalendar } from '../calendars/calendar-load.ts';
import { ownersChanged, type WritesElsewhere } from '../calendars/calendar-write.ts';
import type { Connection, Row, Statement } from '../database.ts';
import type { Loading } from '../transaction.ts';
import { choosePrimary, loadChoices, type Choices } from './primaries.ts';

/** What a change of a calendar writes on other shards is decided on. */
interface Elsewhere {
  readonly choices: readonly Choices[];
  /** Entries on other calendars: the calendar, and the keys of the events. */
  readonly entries: readonly Row[];
}

/** What has to be loaded for that. `forgets`: an earlier calendar of the same id has left something. */
interface Wanted {
  readonly calendarId: string;
  readonly owners: readonly string[];
  readonly forgets: boolean;
}

function wantedFor<T>(change: CalendarChange<T>, { state, earlierChanges }: LoadedCalendar): Wanted {
  return {
    calendarId: (change.next ?? state.calendar)?.id ?? '',
    owners: ownersChanged(change, state),
    forgets: !state.calendar && earlierChanges !== undefined,
  };
}

/** Inside of a transaction that ends with the change. */
async function loadElsewhere(
  connection: Connection,
  { calendarId, owners, forgets }: Wanted,
): Promise<Elsewhere> {
  const choices = await loadChoices(connection, owners, calendarId);
  return { choices, entries: forgets ? await connection.run([entriesElsewhere(calendarId)]) : [] };
}

/** What one change writes on other shards; it is loaded once a first decision has shown whose calendars the change concerns. */
export function createElsewhere() {
  let wanted: Wanted = { calendarId: '', owners: [], forgets: false };
  let found: Elsewhere = { choices: [], entries: [] };
  const load = async (connection: Connection): Promise<void> => {
    if (wanted.owners.length > 0) found = await loadElsewhere(connection, wanted);
  };
  const isLoaded = <T>(change: CalendarChange<T>, loaded: LoadedCalendar): boolean => {
    const needed = wantedFor(change, loaded);
    const has =
      needed.owners.every((owner) => found.choices.some((one) => one.owner === owner)) &&
      (wanted.forgets || !needed.forgets);
    wanted = needed;
    return has;
  };
  return {
    /** What else is locked, or nothing where all is locked in its order when it is loaded. */
    lock: (locks: readonly Statement[]): readonly Statement[] => (wanted.owners.length > 0 ? [] : locks),
    /** The same, and before it what a decision wanted. */
    loading:
      (rest: Loading): Loading =>
      async (connection) => {
        await load(connection);
        return rest(connection);
      },
    /** Whether all is loaded that a change needs; else it will be, with what the change is decided on. */
    isLoaded,
    /** Loads it now, inside of a transaction. */
    async loadFor<T>(
      connection: Connection,
      change: CalendarChange<T>,
      loaded: LoadedCalendar,
    ): Promise<void> {
      if (!isLoaded(change, loaded)) await load(connection);
    },
    writes: (): WritesElsewhere => writesElsewhere(found),
  };
}

// An exception stands wherever its series does.
const entriesElsewhere = (id: string): Statement => ({
  name: 'entries elsewhere',
  text: `SELECT c.calendar_id, array_agg(e.key) AS keys FROM events e LEFT JOIN events s ON s.home_id = $1 AND s.key = e.series_key,
      jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id) WHERE e.home_id = $1 GROUP BY c.calendar_id`,
  values: [id],
});

/** Statements for one shard each. */
const writesElsewhere = ({ choices, entries }: Elsewhere): WritesElsewhere => ({
  takeAccess: (identities, id) =>
    identities.map((identity) => ({
      name: 'take access of one',
      text: 'DELETE FROM access WHERE identity = $1 AND calendar_id = $2',
      values: [identity, id],
    })),
  giveAccess: (identities, id) =>
    identities.map((identity) => ({
      name: 'give access to one',
      text: 'INSERT INTO access (identity, calendar_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      values: [identity, id],
    })),
  choosePrimary: (owner, id, next) =>
    choices.filter((one) => one.owner === owner).flatMap((one) => choosePrimary(one, id, next)),
  forgetEntries: () =>
    entries.map(({ calendar_id: calendar, keys }) => ({
      name: 'forget entries of events',
      text: 'DELETE FROM places WHERE calendar_id = $1 AND key = ANY ($2::text[])',
      values: [calendar, keys],
    })),
});
