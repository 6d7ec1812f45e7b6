import { type Read, sql } from '../database.ts';
import type { CalendarChange } from '../../../calendar/calendar.store.ts';
import type { LoadedCalendar } from './load.ts';
import { ownersChanged } from './write.ts';
import { loadChoices, type OtherShardState } from './primaries.ts';

/** A request for the values on other shards that a change needs. */
export interface OtherShardsRequest {
  readonly calendarId: string;
  readonly owners: readonly string[];
  /** The change adds a calendar, and an earlier one of the same id has left something. */
  readonly forgets: boolean;
}

export const otherShardsFor = <T>(
  change: CalendarChange<T>,
  { state, earlierChanges }: LoadedCalendar,
): OtherShardsRequest => ({
  calendarId: (change.next ?? state.calendar)?.id ?? '',
  owners: ownersChanged(change, state),
  forgets: change.next !== undefined && !state.calendar && earlierChanges !== undefined,
});

export const noOtherShards: OtherShardState = { choices: [], entries: undefined };

/** Loads it inside of a transaction, once a decision has shown whose calendars the change concerns. */
export async function loadOtherShards(
  read: Read,
  { calendarId, owners, forgets }: OtherShardsRequest,
): Promise<OtherShardState> {
  if (owners.length === 0) return noOtherShards;
  const choices = await loadChoices(read, owners, calendarId);
  return { choices, entries: forgets ? (await read([entriesElsewhere(calendarId)]))[0] : undefined };
}

/** Whether all is loaded that a change needs. */
export const isLoaded = (
  { owners, forgets }: OtherShardsRequest,
  { choices, entries }: OtherShardState,
): boolean =>
  owners.every((owner) => choices.some((one) => one.owner === owner)) && (entries !== undefined || !forgets);

// An exception stands wherever its series does.
const entriesElsewhere = (
  id: string,
) => sql`/* entries elsewhere */ SELECT c.calendar_id, array_agg(e.key) AS keys
    FROM events e LEFT JOIN events s ON s.home_id = ${id} AND s.key = e.series_key,
      jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id)
    WHERE e.home_id = $1 GROUP BY c.calendar_id`;
