import { type Read, type Row, sql, type Statement } from '../database.ts';
import { withRowCountCheck } from '../transaction.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type { CalendarDecision, CalendarChangeState } from '../../../calendar/calendar.store.ts';
import { accessStatement, parseCalendar } from '../find-calendars.ts';
import type { LoadedCalendar } from './load.ts';

/** A calendar that may become its owner's primary one. `addedAtUs`: epoch microseconds. */
interface PrimaryCandidate {
  readonly calendar: CalendarRecord;
  readonly addedAtUs: number;
}

/** Rows of other shards that a change of a calendar needs, locked in its transaction. */
export interface OtherShardState {
  /** Ids of the owners' primary calendars; undefined for an owner without one. */
  readonly primaries: ReadonlyMap<string, string | undefined>;
  /** Calendars that the owners may use, by id, including those of other owners. */
  readonly calendars: ReadonlyMap<string, PrimaryCandidate>;
  /** Calendars with keys of events that a deleted calendar left there; undefined unless loaded. */
  readonly entries: readonly Row[] | undefined;
}

/** State of another shard for changes that need none. */
export const emptyOtherShards: OtherShardState = {
  primaries: new Map(),
  calendars: new Map(),
  entries: undefined,
};

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

/** Rows of other shards that a change needs, once a decision has shown which owners it affects. */
export type OtherShardsRequest = ReturnType<typeof createOtherShardsRequest>;

export const createOtherShardsRequest = <T>(
  change: CalendarDecision<T>,
  { state, earlierChanges }: LoadedCalendar,
) => ({
  calendarId: (change.next ?? state.calendar)?.id ?? '',
  owners: changedOwners(change, state),
  /** The change adds a calendar whose id a deleted one had, with entries to be removed. */
  needsOldEntries: change.next !== undefined && !state.calendar && earlierChanges !== undefined,
});

/** Whether all requested rows of other shards are loaded. */
export const hasRequestedRows = (
  { owners, needsOldEntries }: OtherShardsRequest,
  { primaries, entries }: OtherShardState,
): boolean => owners.every((owner) => primaries.has(owner)) && (entries !== undefined || !needsOldEntries);

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
export async function loadOtherShards(
  read: Read,
  { calendarId, owners, needsOldEntries }: OtherShardsRequest,
): Promise<OtherShardState> {
  if (owners.length === 0) return emptyOtherShards;
  const sortedOwners = [...owners].sort();
  const lockedPrimaries = await read(sortedOwners.map(lockPrimary));
  const calendars = await lockCandidates(read, owners, calendarId);
  return {
    primaries: new Map(
      sortedOwners.map((owner, index) => [
        owner,
        lockedPrimaries[index]?.[0]?.calendar_id as string | undefined,
      ]),
    ),
    calendars,
    entries: needsOldEntries ? (await read([oldEntriesStatement(calendarId)]))[0] : undefined,
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
    const calendars = new Map(rows.flat().map((row) => [row.id as string, toCandidate(row)]));
    if (attempt === maxAttempts || accessRows.every(({ calendar_id: id }) => calendars.has(id as string)))
      return calendars;
    await pause(retryDelayMs);
  }
}

const toCandidate = ({ body, added }: Row): PrimaryCandidate => ({
  calendar: parseCalendar(body),
  addedAtUs: added as number,
});

/**
 * Makes a calendar primary after a change of `changedCalendarId` to `next`: the one named by the owner's
 * address, else the current one, else the oldest eligible one.
 */
export function updatePrimary(
  owner: string,
  { primaries, calendars }: OtherShardState,
  changedCalendarId: string,
  next: CalendarRecord | undefined,
): Statement[] {
  const currentPrimaryId = primaries.get(owner);
  const otherCalendars = [...calendars.values()].filter(({ calendar }) => calendar.id !== changedCalendarId);
  const candidates = [
    ...otherCalendars,
    ...(next ? [{ calendar: next, addedAtUs: calendars.get(changedCalendarId)?.addedAtUs ?? Infinity }] : []),
  ];
  const ownedCalendars = candidates
    .filter(({ calendar }) => addressKey(calendar.owner) === owner)
    .sort((a, b) => a.addedAtUs - b.addedAtUs)
    .map(({ calendar }) => calendar);
  const newPrimary =
    ownedCalendars.find((calendar) => addressKey(calendar.id) === owner) ??
    ownedCalendars.find((calendar) => calendar.id === currentPrimaryId) ??
    ownedCalendars.find(({ neverPrimary }) => !neverPrimary);
  return replacePrimary(owner, currentPrimaryId, newPrimary?.id);
}

/** Statements that fail unless the primary calendar is still `oldId`. */
function replacePrimary(owner: string, oldId: string | undefined, newId: string | undefined): Statement[] {
  if (oldId === newId) return [];
  if (oldId === undefined)
    return [
      sql`/* add primary */ INSERT INTO primaries (owner_key, calendar_id) VALUES (${owner}, ${newId})`,
    ];
  const replacement =
    newId === undefined
      ? sql`/* remove primary */ DELETE FROM primaries WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`
      : sql`/* replace primary */ UPDATE primaries SET calendar_id = ${newId}
        WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`;
  return [withRowCountCheck(replacement)];
}
