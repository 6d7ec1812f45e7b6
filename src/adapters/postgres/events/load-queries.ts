import type { Statement } from '../database.ts';
import { primaryIdStatement } from '../find-calendars.ts';
import { findMailCounts } from '../mail-counts.ts';
import { findRequest } from '../request-records.ts';
import { indexKey } from '../transaction.ts';
import { groupByKey } from '../../../core/json-values.ts';
import type { EventRecord } from '../../../event/model/record.ts';
import {
  type CalendarEntries,
  type EntryRef,
  findLoadedCalendars,
  findEventEntry,
  findRecordKeys,
  type LoadedCalendars,
  type LoadedGuest,
  type LoadedRows,
  type LoadRequest,
} from './load-rows.ts';
import {
  type CalendarLookup,
  type HomeLookup,
  importedStatement,
  calendarLookupStatement,
  homeLookupStatement,
} from './load-statements.ts';

/** A statement, and the calendar or owner whose shard it goes to. */
export interface ShardQuery {
  readonly shard: string;
  readonly statement: Statement;
  /** Identifies a query that may be requested again. */
  readonly id?: string;
}

/** Lookup of a calendar. Each calendar is looked up once. */
const calendarQuery = (lookup: CalendarLookup): ShardQuery => ({
  shard: lookup.calendarId,
  statement: calendarLookupStatement(lookup),
  id: `calendar ${lookup.calendarId}`,
});

/** Query for owner and time zone of a calendar alone. */
const ownerAndZoneQuery = (calendarId: string): ShardQuery => ({
  shard: calendarId,
  statement: homeLookupStatement(calendarId, []),
  id: `record of calendar ${calendarId}`,
});

/** Lookup of the calendar to which the event may move. */
const destinationQueries = ({ target: { destinationId, iCalUID }, ids }: LoadRequest): ShardQuery[] =>
  destinationId === undefined
    ? []
    : [calendarQuery({ calendarId: destinationId, ids, iCalUID: iCalUID && indexKey(iCalUID) })];

/** Lookup of the target's calendar with all rows that a decision may need. */
function targetQuery(
  { target: { calendar, dividesSeries, iCalUID, destinationId }, ids }: LoadRequest,
  calendarId: string,
  isOwnerAddress = false,
): ShardQuery {
  return calendarQuery({
    calendarId,
    isDeleted: 'removedId' in calendar,
    isOwnerAddress,
    ids,
    dividesSeries,
    needsExceptionCount: true,
    iCalUID: destinationId === undefined ? iCalUID && indexKey(iCalUID) : undefined,
  });
}

/** Inputs of a load besides its target. `extraCalendarIds`: calendars that an earlier decision needed. */
export interface LoadInput {
  readonly now: number;
  readonly extraCalendarIds: readonly string[];
}

/** Queries that follow from the target alone. */
export function buildFirstQueries(request: LoadRequest, { now, extraCalendarIds }: LoadInput): ShardQuery[] {
  const {
    target: { calendar, request: requestRecord, mailSender },
    guests,
    calendarId,
  } = request;
  return [
    targetQuery(request, calendarId, 'primaryOf' in calendar),
    ...destinationQueries(request).filter(({ shard }) => shard !== calendarId),
    ...guests.map((guest) => ({ shard: guest, statement: primaryIdStatement(guest) })),
    ...extraCalendarIds.map(ownerAndZoneQuery),
    ...(requestRecord ? [{ shard: '', statement: findRequest(requestRecord, now) }] : []),
    ...(mailSender === undefined ? [] : [{ shard: '', statement: findMailCounts(mailSender) }]),
  ];
}

/** Queries to which the loaded rows lead, including sent ones. */
export function buildNextQueries(rows: LoadedRows): ShardQuery[] {
  const { request, events, exceptions } = rows;
  const { target, ids, calendarId } = request;
  const calendars = findLoadedCalendars(rows);
  const primary = 'primaryOf' in target.calendar ? rows.primaries.get(calendarId) : undefined;
  const calendarQueries = [
    ...(primary !== undefined && primary !== calendarId ? [targetQuery(request, primary)] : []),
    ...calendars.guests
      .map((guest) => calendarQuery({ calendarId: guest.calendarId, isGuestCalendar: true, ids }))
      .filter(({ shard }) => shard !== primary),
  ];
  const homeQueries = buildHomeQueries(rows, calendars);
  const knownIds = new Set([
    ...rows.calendars.keys(),
    ...rows.otherCalendars.keys(),
    calendars.calendar?.id,
    target.destinationId,
    ...[...calendarQueries, ...homeQueries].map(({ shard }) => shard),
  ]);
  const copyIds = [...findRecordKeys(rows)].flatMap((key) =>
    [events.get(key), ...(exceptions.get(key) ?? [])].flatMap((record) =>
      record ? Object.keys(record.copies) : [],
    ),
  );
  return [
    ...calendarQueries,
    ...homeQueries,
    ...importedQueries(rows, calendars),
    ...[...new Set(copyIds)].filter((id) => !knownIds.has(id)).map(ownerAndZoneQuery),
  ];
}

/** Lookups of imported events on the calendars of guests who have no copy yet. */
function importedQueries(rows: LoadedRows, { entries, guests }: LoadedCalendars): ShardQuery[] {
  if (guests.length === 0) return [];
  const event = rows.events.get(findEventEntry(entries, rows)?.key ?? '');
  const iCalUID = rows.request.target.iCalUID ?? event?.core.iCalUID;
  if (iCalUID === undefined) return [];
  return guestsWithoutCopy(guests, event).map(({ calendarId }) => ({
    shard: calendarId,
    statement: importedStatement(calendarId, indexKey(iCalUID)),
    id: `imported ${calendarId}`,
  }));
}

/** Guests whose calendars have no copy of the event yet. */
export const guestsWithoutCopy = (
  guests: readonly LoadedGuest[],
  event: EventRecord | undefined,
): LoadedGuest[] =>
  guests.filter(({ calendarId }) => (event?.copies[calendarId]?.state ?? 'uninvited') === 'uninvited');

/** Finds the records that are missing because other calendars store them. */
function buildHomeQueries(rows: LoadedRows, { calendar, entries, guests }: LoadedCalendars): ShardQuery[] {
  const { target, ids } = rows.request;
  const homeLookups: HomeLookup[] = [];
  const addLookups = (home: string, key: string | null, ...kinds: readonly HomeLookup['kind'][]): void => {
    for (const kind of kinds) {
      if (key !== null && addOnce(rows.sentQueries, `${kind} ${home} ${key}`))
        homeLookups.push({ kind, home, key });
    }
  };
  const addEventLookups = ({ home, key, seriesKey }: EntryRef): void => {
    for (const eventKey of [key, seriesKey])
      if (!rows.events.has(eventKey ?? '')) addLookups(home, eventKey, 'record');
  };
  /** Loads an event with its exceptions, even if it is known, since both must be of one moment. */
  const addExceptionLookups = (calendarWithEntry: string, { home, key }: EntryRef): void => {
    if (home !== calendarWithEntry && rows.entries.get(home)?.byId.get(ids.event)?.key !== key)
      addLookups(home, key, 'record', 'exceptions');
  };
  /** Loads the exception at the target's original start if the calendar has only the series. */
  const addOriginalLookups = (calendarWithEntry: string, { byId }: CalendarEntries): void => {
    const series = ids.parent === undefined || byId.has(ids.event) ? undefined : byId.get(ids.parent);
    if (!series || series.home === calendarWithEntry || rows.originals.has(series.key)) return;
    addEventLookups(series);
    addLookups(series.home, series.key, 'original');
  };
  const [event, series] = [ids.event, ids.series].map((id) =>
    id === undefined ? undefined : entries.byId.get(id),
  );
  if (calendar) {
    for (const entry of [...entries.byId.values(), ...entries.entriesWithUid])
      if (entry.home !== calendar.id) addEventLookups(entry);
    for (const entry of [event, target.dividesSeries ? series : undefined])
      if (entry) addExceptionLookups(calendar.id, entry);
    addOriginalLookups(calendar.id, entries);
    if (series && series.home !== calendar.id) addLookups(series.home, series.key, 'count');
  }
  for (const guest of guests) {
    const entry = guest.entries.byId.get(ids.event);
    if (entry && entry.home !== guest.calendarId) addEventLookups(entry);
    if (entry) addExceptionLookups(guest.calendarId, entry);
    addOriginalLookups(guest.calendarId, guest.entries);
  }
  return [...groupByKey(homeLookups, ({ home }) => home)].map(([home, lookups]) => ({
    shard: home,
    statement: homeLookupStatement(home, lookups, ids.original),
  }));
}

/** Adds a member to a set. False if the set has it already. */
export function addOnce(members: Set<string>, member: string): boolean {
  const isNew = !members.has(member);
  members.add(member);
  return isNew;
}
