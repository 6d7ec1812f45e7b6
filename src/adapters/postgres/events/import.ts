import { deepFreeze } from '../../../core/patch.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type { PendingChange, ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import { instanceOf, type EventRecord } from '../../../event/model/record.ts';
import type { Announcer } from '../listen.ts';
import { type Database, sql } from '../database.ts';
import { indexKey, lookupKey, queryByKeys, storeAlone } from '../transaction.ts';
import { calendarFrom, findCalendars } from '../find-calendars.ts';
import { additionOf } from './write.ts';

/** What changes that only add events are decided on. */
interface Known {
  readonly calendars: ReadonlyMap<string, CalendarRecord>;
  /** The calendars of guests, by owner. */
  readonly guests: ReadonlyMap<string, string>;
  /** The ids of events that stand on one of these calendars, as `indexKey` writes them. */
  readonly taken: Set<string>;
}

/** A target on a calendar that is named by its id. */
type PlainTarget = ChangeTarget & { readonly calendar: { readonly id: string } };
type PlainChange<T> = PendingChange<T> & { readonly target: PlainTarget };

async function load(database: Database, targets: readonly ChangeTarget[]): Promise<Known> {
  const owners = new Set(targets.flatMap((target) => target.guests.map(lookupKey)));
  const guests = await queryByKeys(
    database,
    [...owners],
    (owner) =>
      sql`/* guests for import */ SELECT owner_key, calendar_id FROM primaries WHERE owner_key = ${owner}`,
  );
  const ids = new Set([
    ...targets.flatMap(({ calendar }) => ('id' in calendar ? [lookupKey(calendar.id)] : [])),
    ...guests.map((row) => row.calendar_id as string),
  ]);
  const eventIds = targets.map(({ eventId }) => indexKey(eventId));
  const rows = await queryByKeys(
    database,
    [...ids],
    (id) => sql`/* load for import */ SELECT 'calendar' AS kind, id AS a, body FROM calendars WHERE id = ${id}
      UNION ALL SELECT 'taken', event_id, NULL FROM places WHERE calendar_id = $1 AND event_id = ANY (${eventIds}::text[])`,
  );
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    calendars: new Map(of('calendar').map(({ a, body }) => [a as string, calendarFrom(body)])),
    guests: new Map(guests.map((row) => [row.owner_key as string, row.calendar_id as string])),
    taken: new Set(of('taken').map(({ a }) => a as string)),
  };
}

/** The state to decide on where nothing is stored that the target names. */
function emptyFound({ calendar, guests }: PlainTarget, known: Known): ChangeState {
  const calendars = guests.flatMap((guest): [string, GuestCalendar][] => {
    const calendarId = known.guests.get(guest);
    return calendarId === undefined ? [] : [[guest, { calendarId, holder: undefined, seriesKey: undefined }]];
  });
  return {
    calendar: known.calendars.get(calendar.id),
    event: undefined,
    series: undefined,
    exceptions: 0,
    ofSeries: [],
    sameUid: [],
    guests: new Map(calendars),
    ownerOf: (id) => known.calendars.get(id)?.owner,
    zoneOf: (id) => known.calendars.get(id)?.timeZone,
    mailRoom: undefined,
    earlier: undefined,
  };
}

const isPlain = <T>(change: PendingChange<T>, { taken }: Known): change is PlainChange<T> => {
  const { calendar, eventId, seriesId, iCalUID, request, mailsBy } = change.target;
  return (
    'id' in calendar &&
    [seriesId, iCalUID, request, mailsBy].every((one) => one === undefined) &&
    !taken.has(indexKey(eventId)) &&
    !instanceOf(eventId)
  );
};

interface ImportParts {
  readonly database: Database;
  readonly announce: Announcer['announce'];
}

/**
 * Carries out changes in their order: those that only add an event together, in one transaction for as many as come in a
 * row, all others by `change`.
 */
export async function importInRuns<T>(
  { database, announce }: ImportParts,
  changes: readonly PendingChange<T>[],
  change: (one: PendingChange<T>) => Promise<T>,
): Promise<T[]> {
  const known = await load(
    database,
    changes.map(({ target }) => target),
  );
  const results: T[] = [];
  let run: PlainChange<T>[] = [];
  const store = async (): Promise<void> => {
    const added = run.length === 0 ? undefined : await addAll(database, run, known);
    if (added) announce(added.changed);
    if (added) results.push(...added.results);
    else for (const one of run) results.push(await change(one));
    run = [];
  };
  for (const one of changes) {
    if (isPlain(one, known)) {
      known.taken.add(indexKey(one.target.eventId));
      run.push(one);
    } else {
      await store();
      results.push(await change(one));
    }
  }
  await store();
  return results;
}

/** Undefined, and nothing stored, where it is more than adding events that nobody else has added meanwhile. */
async function addAll<T>(
  database: Database,
  run: readonly PlainChange<T>[],
  known: Known,
): Promise<{ readonly results: T[]; readonly changed: readonly string[] } | undefined> {
  const decided = run.map(({ target, decide }) => decide(emptyFound(target, known)));
  // A record by itself is an addition without exceptions.
  const added = decided.flatMap((one) => [
    ...(one.next ? [{ record: one.next, exceptions: [] }] : []),
    ...(one.added ? [one.added] : []),
  ]);
  if (added.some(({ record }) => record.instance)) return undefined;
  const records = deepFreeze(added).flatMap(({ record, exceptions }) => [record, ...exceptions]);
  const zones = await zonesOf(database, records, known);
  if (!zones) return undefined;
  const { statements, changed } = additionOf(added, zones);
  const isStored = statements.length === 0 || (await storeAlone(database)({ statements }));
  return isStored ? { results: decided.map(({ result }) => result), changed } : undefined;
}

/** The time zones of all calendars on which records stand; undefined where one of these is not there. */
async function zonesOf(
  database: Database,
  records: readonly EventRecord[],
  { calendars }: Known,
): Promise<ReadonlyMap<string, string> | undefined> {
  const zones = new Map([...calendars].map(([id, { timeZone }]) => [id, timeZone]));
  const others = [
    ...new Set(records.flatMap(({ homeId, copies }) => [homeId, ...Object.keys(copies)])),
  ].filter((id) => !zones.has(id));
  for (const found of await findCalendars(
    database,
    others.map((id) => ({ id })),
  ))
    if (found) zones.set(found.record.id, found.record.timeZone);
  return others.every((id) => zones.has(id)) ? zones : undefined;
}
