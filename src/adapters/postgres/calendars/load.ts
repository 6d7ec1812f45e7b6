import { setTimeout as pause } from 'node:timers/promises';
import type {
  CalendarChangeState,
  CalendarTarget,
  CalendarDecision,
  CalendarRecord,
} from '../../../calendar/calendar.store.ts';
import { groupByKey } from '../../../core/json.ts';
import { addressKey } from '../../../core/text/email.ts';
import { type Read, sql, type Statement, type Row } from '../database.ts';
import { countAllDayEntries } from '../events/all-day-entries.ts';
import { accessStatement, calendarByIdStatement, calendarStatement } from '../find-calendars.ts';
import { parseCalendar } from '../stored-json.ts';
import { toEarlierRequest, findRequest } from '../request-records.ts';
import { findCreationCount } from '../quota-counts.ts';
import { lookupKey } from '../statements.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedCalendar {
  readonly state: CalendarChangeState;
  /** JSON text of the record as loaded: a write fails if the stored one differs. */
  readonly body: string | undefined;
  /** Number of the last change of a deleted calendar with the same id. */
  readonly earlierChanges: number | undefined;
}

const removedChangesStatement = (id: string): Statement =>
  sql`/* changes of removed calendar */ SELECT 'removed' AS kind, changes FROM removed_calendars WHERE id = ${lookupKey(id)}`;

/** Loads the state of a change target, each row from its shard. */
export async function loadCalendar(
  read: Read,
  { calendar: ref, quotaKey, allDayCountRequest, request }: CalendarTarget,
  now: number,
): Promise<LoadedCalendar> {
  const identity = quotaKey ? lookupKey(quotaKey.identity) : '';
  const [[targetRow] = [], ...otherResults] = await read([
    calendarStatement(ref),
    ...('id' in ref ? [removedChangesStatement(ref.id)] : []),
    ...(quotaKey ? [findCreationCount('calendar', quotaKey), accessStatement(identity)] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rowsByKind = groupByKey(otherResults.flat(), ({ kind }) => kind as string);
  // `made` is the table that counts creations.
  const [removed, creationCount, requestRow] = ['removed', 'made', 'request'].map(
    (kind) => rowsByKind.get(kind)?.[0],
  );
  // The query by owner returns no body for a primary calendar of another shard.
  const otherShardId = targetRow?.body === null ? (targetRow.id as string) : undefined;
  const accessibleIds = (rowsByKind.get('access') ?? []).map(({ calendar_id: id }) => id as string);
  const otherIds = new Set([...(otherShardId === undefined ? [] : [otherShardId]), ...accessibleIds]);
  const otherRows = (await read([...otherIds].map(calendarByIdStatement))).flat();
  const calendar = otherShardId === undefined ? targetRow : otherRows.find(({ id }) => id === otherShardId);
  const record = calendar && parseCalendar(calendar.body);
  const needsAllDayCount = allDayCountRequest && record && record.timeZone !== allDayCountRequest.zone;
  return {
    state: {
      calendar: record,
      wasRemoved: removed !== undefined,
      createdToday: (creationCount?.count ?? 0) as number,
      ownedCount: otherRows.filter(({ body }) => addressKey(parseCalendar(body).owner) === identity).length,
      allDayEventCount: needsAllDayCount
        ? await countAllDayEntries(read, record.id, allDayCountRequest.limit)
        : 0,
      earlierRequest: requestRow && toEarlierRequest(requestRow),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.changes as number | undefined,
  };
}

/** Rows of other shards that a change of owners needs, locked in its transaction. */
export interface OtherShardState {
  /** Ids of the owners' primary calendars; undefined for an owner without one. */
  readonly primaries: ReadonlyMap<string, string | undefined>;
  /** Calendars that the owners may use, by id, including those of other owners. `addedAtUs`: epoch microseconds. */
  readonly calendars: ReadonlyMap<string, { readonly calendar: CalendarRecord; readonly addedAtUs: number }>;
  /** Calendars with keys of events that a deleted calendar of the same id left there. */
  readonly oldEntries: readonly Row[];
}

/** State of other shards for a change that needs nothing from them. */
export const noOtherShards: OtherShardState = { primaries: new Map(), calendars: new Map(), oldEntries: [] };

/** The calendar after a change; undefined if it is removed or was never created. */
export const calendarAfter = <T>(
  { next, removes }: CalendarDecision<T>,
  { calendar }: CalendarChangeState,
): CalendarRecord | undefined => (removes ? undefined : (next ?? calendar));

/** Owners before and after a change that creates, removes or hands over a calendar. */
export function changedOwners<T>(change: CalendarDecision<T>, state: CalendarChangeState): string[] {
  const owners = new Set(
    [state.calendar, calendarAfter(change, state)].map((calendar) => calendar && addressKey(calendar.owner)),
  );
  return owners.size > 1 ? [...owners].flatMap((owner) => owner ?? []) : [];
}

/** Locks the row of an owner's primary calendar. */
const lockPrimary = (owner: string): Statement =>
  sql`/* lock primary */ SELECT calendar_id FROM primaries WHERE owner_key = ${owner} FOR UPDATE`;
const lockCalendar = (id: string, lock: 'SHARE' | 'UPDATE'): Statement => ({
  name: `calendar for ${lock}`,
  text: `SELECT id, body, added FROM calendars WHERE id = $1 FOR ${lock}`,
  values: [id],
});

/**
 * Finds calendars with entries (`c`) of a deleted calendar's events (`e`). The copies of a series (`s`) count
 * for its exceptions too: an exception is on every calendar of its series.
 */
const oldEntriesStatement = (
  id: string,
) => sql`/* entries elsewhere */ SELECT c.calendar_id, array_agg(e.key) AS keys
    FROM events e LEFT JOIN events s ON s.home_id = ${id} AND s.key = e.series_key,
      jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id)
    WHERE e.home_id = $1 GROUP BY c.calendar_id`;

/** Retry schedule for calendars created or deleted concurrently on other shards. */
const maxAttempts = 10;
const retryDelayMs = 20;

/** Loads the rows inside of a transaction. Locks the candidates for owners' primary calendars in the order of their ids. */
export async function loadOtherShards<T>(
  read: Read,
  owners: readonly string[],
  { next }: CalendarDecision<T>,
  { state: { calendar }, earlierChanges }: LoadedCalendar,
): Promise<OtherShardState> {
  const calendarId = (next ?? calendar)?.id ?? '';
  const needsOldEntries = next && !calendar && earlierChanges !== undefined;
  const sortedOwners = [...owners].sort();
  const lockedPrimaries = await read(sortedOwners.map(lockPrimary));
  const primaryIds = lockedPrimaries.map(([row]) => row?.calendar_id as string | undefined);
  return {
    primaries: new Map(sortedOwners.map((owner, index) => [owner, primaryIds[index]])),
    calendars: await lockCandidates(read, owners, calendarId),
    oldEntries: needsOldEntries ? (await read([oldEntriesStatement(calendarId)])).flat() : [],
  };
}

/** Locks the changed calendar and those that the owners may use. Retries while one is not visible yet. */
async function lockCandidates(
  read: Read,
  owners: readonly string[],
  changedId: string,
): Promise<OtherShardState['calendars']> {
  for (let attempt = 1; ; attempt += 1) {
    const accessRows = (await read(owners.map(accessStatement))).flat();
    const ids = [...new Set([changedId, ...accessRows.map(({ calendar_id: id }) => id as string)])].sort();
    const rows = await read(ids.map((id) => lockCalendar(id, id === changedId ? 'UPDATE' : 'SHARE')));
    const calendars = new Map(
      rows
        .flat()
        .map(({ id, body, added }) => [
          id as string,
          { calendar: parseCalendar(body), addedAtUs: added as number },
        ]),
    );
    if (attempt === maxAttempts || accessRows.every(({ calendar_id: id }) => calendars.has(id as string)))
      return calendars;
    await pause(retryDelayMs);
  }
}
