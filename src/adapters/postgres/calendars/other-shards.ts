import type { CalendarChange } from '../../../calendar/calendar.store.ts';
import type { Read, Statement } from '../database.ts';
import type { LoadedCalendar } from './load.ts';
import { ownersChanged } from './write.ts';
import { loadChoices, type OtherShardState } from './primaries.ts';

/** State that has to be loaded for a change. `forgets`: an earlier calendar of the same id has left something. */
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

/** State of other shards for one change; it is loaded, in the change's transaction, once a first decision has shown whose calendars the change concerns. */
export function createOtherShards() {
  let wanted: Wanted = { calendarId: '', owners: [], forgets: false };
  let state: OtherShardState = { choices: [], entries: [] };

  async function load(read: Read): Promise<void> {
    const { calendarId, owners, forgets } = wanted;
    if (owners.length === 0) return;
    const choices = await loadChoices(read, owners, calendarId);
    const [entries = []] = forgets ? await read([entriesElsewhere(calendarId)]) : [];
    state = { choices, entries };
  }

  const isLoaded = <T>(change: CalendarChange<T>, loaded: LoadedCalendar): boolean => {
    const needed = wantedFor(change, loaded);
    const has =
      needed.owners.every((owner) => state.choices.some((one) => one.owner === owner)) &&
      (wanted.forgets || !needed.forgets);
    wanted = needed;
    return has;
  };

  return {
    /** Locks beside those that are taken, in their order, when the state is loaded: none then. */
    lock: (locks: readonly Statement[]): readonly Statement[] => (wanted.owners.length > 0 ? [] : locks),
    /** Loads what a decision wanted. */
    load,
    /** Whether all is loaded that a change needs; else it is wanted from then on. */
    isLoaded,
    /** Loads it now, inside of a transaction. */
    async loadFor<T>(read: Read, change: CalendarChange<T>, loaded: LoadedCalendar): Promise<void> {
      if (!isLoaded(change, loaded)) await load(read);
    },
    state: () => state,
  };
}

// An exception stands wherever its series does.
const entriesElsewhere = (id: string): Statement => ({
  name: 'entries elsewhere',
  text: `SELECT c.calendar_id, array_agg(e.key) AS keys FROM events e LEFT JOIN events s ON s.home_id = $1 AND s.key = e.series_key,
      jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id) WHERE e.home_id = $1 GROUP BY c.calendar_id`,
  values: [id],
});
