import { deepFreeze } from '../../../core/json.ts';
import type { CalendarRecord } from '../../../calendar/calendar.store.ts';
import type { PendingChange, ChangeTarget } from '../../../event/event.store.ts';
import { parseInstanceId, type EventRecord } from '../../../event/model/record.ts';
import type { Announcer } from '../listen.ts';
import { type Database, sql } from '../database.ts';
import { storeSeparately } from '../transaction.ts';
import { indexKey, lookupKey, queryByKeys } from '../statements.ts';
import { parseCalendar } from '../stored-json.ts';
import { findCalendars, primaryIdStatement } from '../find-calendars.ts';
import { toLoadedChange } from './load.ts';
import { toLoadRequest, createEmptyRows } from './load-rows.ts';
import { buildAdditions } from './write.ts';

/** State that is loaded once for all changes of an import. */
interface ImportState {
  readonly calendars: Map<string, CalendarRecord>;
  /** Ids of primary calendars, by the guests' addresses. */
  readonly primaries: Map<string, string>;
  /** Ids (`indexKey`) of events that are on one of these calendars. */
  readonly takenIds: Set<string>;
}

async function loadImportState(database: Database, targets: readonly ChangeTarget[]): Promise<ImportState> {
  const owners = new Set(targets.flatMap((target) => target.guests.map(lookupKey)));
  const guestRows = await queryByKeys(database, [...owners], primaryIdStatement);
  const ids = new Set([
    ...targets.flatMap(({ calendar }) => ('id' in calendar ? [lookupKey(calendar.id)] : [])),
    ...guestRows.map((row) => row.calendar_id as string),
  ]);
  const eventIds = targets.map(({ eventId }) => indexKey(eventId));
  const rows = await queryByKeys(
    database,
    [...ids],
    (id) => sql`/* load for import */ SELECT 'calendar' AS kind, id, body FROM calendars WHERE id = ${id}
      UNION ALL SELECT 'taken', event_id, NULL FROM places WHERE calendar_id = $1 AND event_id = ANY (${eventIds}::text[])`,
  );
  const rowsOfKind = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    calendars: new Map(rowsOfKind('calendar').map(({ id, body }) => [id as string, parseCalendar(body)])),
    primaries: new Map(guestRows.map((row) => [row.owner_key as string, row.calendar_id as string])),
    takenIds: new Set(rowsOfKind('taken').map(({ id }) => id as string)),
  };
}

/** Whether a change can only add an event: its target refers to nothing that may exist. */
const isAddition = ({ target }: PendingChange<unknown>, { takenIds }: ImportState): boolean => {
  const { calendar, eventId, seriesId, iCalUID, request, mailSender, destinationId } = target;
  return (
    'id' in calendar &&
    [seriesId, iCalUID, request, mailSender, destinationId].every((field) => field === undefined) &&
    !takenIds.has(indexKey(eventId)) &&
    !parseInstanceId(eventId)
  );
};

/** Applies changes in order. Consecutive ones that only add events share a transaction. */
export async function importEvents<T>(
  database: Database,
  announce: Announcer['announce'],
  changes: readonly PendingChange<T>[],
  changeEvent: (change: PendingChange<T>) => Promise<T>,
): Promise<T[]> {
  const state = await loadImportState(
    database,
    changes.map(({ target }) => target),
  );
  const results: T[] = [];
  let pendingAdditions: PendingChange<T>[] = [];
  const storePendingAdditions = async (): Promise<void> => {
    const stored = pendingAdditions.length > 0 && (await storeAdditions(database, pendingAdditions, state));
    if (stored) {
      announce(stored.visibleOn);
      results.push(...stored.results);
    } else for (const change of pendingAdditions) results.push(await changeEvent(change));
    pendingAdditions = [];
  };
  for (const change of changes) {
    if (isAddition(change, state)) {
      state.takenIds.add(indexKey(change.target.eventId));
      pendingAdditions.push(change);
    } else {
      await storePendingAdditions();
      results.push(await changeEvent(change));
    }
  }
  await storePendingAdditions();
  return results;
}

/** Stores additions in one transaction; undefined, with nothing stored, if they turn out to need more or conflict. */
async function storeAdditions<T>(
  database: Database,
  additions: readonly PendingChange<T>[],
  { calendars, primaries }: ImportState,
): Promise<{ readonly results: T[]; readonly visibleOn: readonly string[] } | undefined> {
  const decisions = additions.map(({ target, decide }) =>
    decide(toLoadedChange({ ...createEmptyRows(toLoadRequest(target)), calendars, primaries }).state),
  );
  const addedSeries = decisions.flatMap((decision) => [
    ...(decision.next ? [{ record: decision.next, exceptions: [] }] : []),
    ...(decision.added ?? []),
  ]);
  if (addedSeries.some(({ record }) => record.instance)) return undefined;
  const records = deepFreeze(addedSeries).flatMap(({ record, exceptions }) => [record, ...exceptions]);
  const zones = await loadZones(database, records);
  if (!zones) return undefined;
  const { statements, changedCalendars } = buildAdditions(addedSeries, (id) => zones.get(id));
  const isStored = statements.length === 0 || (await storeSeparately(database)({ statements }));
  return isStored
    ? { results: decisions.map(({ result }) => result), visibleOn: changedCalendars }
    : undefined;
}

/** Loads the time zones of all calendars with copies of the records; undefined if a calendar does not exist. */
async function loadZones(
  database: Database,
  records: readonly EventRecord[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const ids = [...new Set(records.flatMap(({ homeId, copies }) => [homeId, ...Object.keys(copies)]))];
  const calendars = await findCalendars(
    database,
    ids.map((id) => ({ id })),
  );
  const zones = new Map(
    calendars.flatMap((calendar) => (calendar ? [[calendar.record.id, calendar.record.timeZone]] : [])),
  );
  return zones.size === ids.length ? zones : undefined;
}
