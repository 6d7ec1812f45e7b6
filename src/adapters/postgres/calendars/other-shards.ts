import { type Read, sql } from '../database.ts';
import type { CalendarChange } from '../../../calendar/calendar.store.ts';
import type { LoadedCalendar } from './load.ts';
import { changedOwners } from './write.ts';
import { loadChoices, type OtherShardState } from './primaries.ts';

export interface OtherShardsRequest {
  readonly calendarId: string;
  readonly owners: readonly string[];
  /** The change adds a calendar whose id a deleted one had, with entries to be removed. */
  readonly needsOldEntries: boolean;
}

export const otherShardsRequest = <T>(
  change: CalendarChange<T>,
  { state, earlierChanges }: LoadedCalendar,
): OtherShardsRequest => ({
  calendarId: (change.next ?? state.calendar)?.id ?? '',
  owners: changedOwners(change, state),
  needsOldEntries: change.next !== undefined && !state.calendar && earlierChanges !== undefined,
});

export const emptyOtherShards: OtherShardState = { choices: [], entries: undefined };

/** Loads rows of other shards inside of a transaction, once a decision has shown which owners a change affects. */
export async function loadOtherShards(
  read: Read,
  { calendarId, owners, needsOldEntries }: OtherShardsRequest,
): Promise<OtherShardState> {
  if (owners.length === 0) return emptyOtherShards;
  const choices = await loadChoices(read, owners, calendarId);
  return { choices, entries: needsOldEntries ? (await read([findOldEntries(calendarId)]))[0] : undefined };
}

export const isLoaded = (
  { owners, needsOldEntries }: OtherShardsRequest,
  { choices, entries }: OtherShardState,
): boolean =>
  owners.every((owner) => choices.some((choice) => choice.owner === owner)) &&
  (entries !== undefined || !needsOldEntries);

// An exception is on every calendar of its series.
const findOldEntries = (
  id: string,
) => sql`/* entries elsewhere */ SELECT c.calendar_id, array_agg(e.key) AS keys
    FROM events e LEFT JOIN events s ON s.home_id = ${id} AND s.key = e.series_key,
      jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id)
    WHERE e.home_id = $1 GROUP BY c.calendar_id`;
