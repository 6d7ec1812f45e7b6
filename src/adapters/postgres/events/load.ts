import { groupByKey } from '../../../core/json-values.ts';
import type { HourCounts } from '../../../core/quota.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import {
  hasOwnChanges,
  type EventRecord,
  findImportedEvents,
  parseInstanceId,
} from '../../../event/model/record.ts';
import type { Read, Statement } from '../database.ts';
import {
  addRows,
  createEmptyRows,
  findLoadedCalendars,
  findEventEntry,
  findRecordKeys,
  type LoadedRows,
  type LoadRequest,
  noEntries,
  type OtherCalendar,
  instanceKeys,
  type CalendarEntries,
  type EntryRef,
  type LoadedCalendars,
  type LoadedGuest,
  type CalendarLookup,
  type HomeLookup,
  importedStatement,
  calendarLookupStatement,
  homeLookupStatement,
} from './load-rows.ts';
import { primaryIdStatement } from '../find-calendars.ts';
import { findMailCounts, findRequest } from '../request-records.ts';
import { indexKey, lookupKey } from '../transaction.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedChange {
  readonly state: ChangeState;
  /** Numbers of changes of a series' exceptions, by its key. */
  readonly exceptionRevisions: ReadonlyMap<string, number>;
  /** Exceptions by the key of their series: the event, and events of the same id on guests' calendars. */
  readonly exceptions: ReadonlyMap<string, readonly EventRecord[]>;
  /** Keys of the events with the target's iCalUID, on its calendar or its destination. */
  readonly uidKeys: readonly string[];
  /** Keys of events with the same iCalUID that are stored on the calendars of guests who have no copy yet, by calendar. */
  readonly importedKeys: ReadonlyMap<string, readonly string[]>;
  readonly mailCounts: HourCounts | undefined;
}

/** Attempts to load all records, as an import may move one meanwhile. */
const maxAttempts = 3;

/** Loads the state of a change target, step by step, as rows of one shard lead to others. The usual change by an organizer takes one step. */
export async function loadChange(read: Read, target: ChangeTarget, input: LoadInput): Promise<LoadedChange> {
  const request = toLoadRequest(target);
  for (let attempt = 1; ; attempt += 1) {
    const rows = createEmptyRows(request);
    for (let queries = buildFirstQueries(request, input); ; queries = buildNextQueries(rows)) {
      const newQueries = queries.filter(({ id }) => id === undefined || addOnce(rows.sentQueries, id));
      if (newQueries.length === 0) break;
      const results = await read(newQueries.map(({ statement }) => statement));
      for (const [index, { shard }] of newQueries.entries()) addRows(rows, shard, results[index] ?? []);
    }
    // A missing record means that an import moved the event to another home between two steps.
    if (attempt === maxAttempts || [...findRecordKeys(rows)].every((key) => rows.events.has(key)))
      return toLoadedChange(rows);
  }
}

/** Resolves the ids of a target to lookup keys. */
export function toLoadRequest(target: ChangeTarget): LoadRequest {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [parent, original] = parseInstanceId(eventId) ? instanceKeys(eventId) : [];
  const ids = {
    event: indexKey(eventId),
    series: seriesId === undefined ? undefined : indexKey(seriesId),
    parent,
    original,
  };
  const calendarId =
    'removedId' in ref
      ? lookupKey(ref.removedId)
      : lookupKey('id' in ref ? ref.id : addressKey(ref.primaryOf));
  return { target, ids, guests: guests.map(lookupKey), calendarId };
}

/** The calendar that stores the event, or will store it. */
export const homeIdOf = ({ event, series, calendar, destination }: ChangeState): string | undefined =>
  destination?.calendar.id ?? (event ?? series)?.homeId ?? calendar?.id;

/** Composes loaded rows to the state that a decision sees, and the values that storing it needs. */
export function toLoadedChange(rows: LoadedRows): LoadedChange {
  const { request, calendars, events, exceptions, exceptionRevisions, exceptionCounts, importedKeys } = rows;
  const { target, ids } = request;
  const { calendar, entries, guests } = findLoadedCalendars(rows);
  const recordOf = (key: string | null | undefined): EventRecord | undefined => events.get(key ?? '');
  const eventEntry = findEventEntry(entries, rows);
  const event = recordOf(eventEntry?.key);
  const seriesEntry = ids.series === undefined ? undefined : entries.byId.get(ids.series);
  const series = recordOf(eventEntry?.seriesKey ?? seriesEntry?.key);
  /** Series whose exceptions may change: the event itself, or the series to divide. */
  const changedSeriesKey =
    eventEntry?.seriesKey === null ? eventEntry.key : target.dividesSeries ? series?.key : undefined;
  const calendarById = (id: string): OtherCalendar | undefined =>
    calendars.get(id) ?? rows.otherCalendars.get(id);
  const destination = calendars.get(target.destinationId ?? '');
  const destinationEntries = rows.entries.get(target.destinationId ?? '') ?? noEntries;
  return {
    state: {
      calendar,
      event,
      series,
      seriesExceptions: exceptions.get(changedSeriesKey ?? '') ?? [],
      exceptionCount:
        (seriesEntry && !(event && hasOwnChanges(event)) && exceptionCounts.get(seriesEntry.key)) || 0,
      eventsWithUid: entries.entriesWithUid.flatMap(({ key }) => recordOf(key) ?? []),
      guests: new Map(
        guests.map(({ guest, calendarId: id, entries: guestEntries }): [string, GuestCalendar] => [
          guest,
          {
            calendarId: id,
            holder: recordOf(findEventEntry(guestEntries, rows)?.key),
            seriesKey: ids.series === undefined ? undefined : guestEntries.byId.get(ids.series)?.key,
            ...findImportedEvents(
              id,
              (importedKeys.get(id) ?? []).flatMap((key) => recordOf(key) ?? []),
              ({ key }) => exceptions.get(key) ?? [],
            ),
          },
        ]),
      ),
      ownerOf: (id) => (id === calendar?.id ? calendar : calendarById(id))?.owner,
      // A deleted calendar has no zone, so no entries are written on it.
      zoneOf: (id) => calendarById(id)?.timeZone,
      // Set by the store, as it depends on the outbox.
      mailQuota: undefined,
      earlierRequest: rows.earlierRequest,
      destination: destination && {
        calendar: destination,
        holderKey: destinationEntries.byId.get(ids.event)?.key,
        uidKeys: destinationEntries.entriesWithUid.map(({ key }) => key),
      },
    },
    exceptionRevisions,
    exceptions,
    uidKeys: (target.destinationId === undefined ? entries : destinationEntries).entriesWithUid.map(
      ({ key }) => key,
    ),
    importedKeys: new Map(
      (target.iCalUID ?? event?.core.iCalUID) === undefined
        ? []
        : guestsWithoutCopy(guests, event).map(({ calendarId: id }) => [id, importedKeys.get(id) ?? []]),
    ),
    mailCounts: rows.mailCounts,
  };
}

/** A statement, and the calendar or owner whose shard it goes to. */
interface ShardQuery {
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
interface LoadInput {
  readonly now: number;
  readonly extraCalendarIds: readonly string[];
}

/** Queries that follow from the target alone. */
function buildFirstQueries(request: LoadRequest, { now, extraCalendarIds }: LoadInput): ShardQuery[] {
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
function buildNextQueries(rows: LoadedRows): ShardQuery[] {
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
const guestsWithoutCopy = (guests: readonly LoadedGuest[], event: EventRecord | undefined): LoadedGuest[] =>
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
function addOnce(members: Set<string>, member: string): boolean {
  const isNew = !members.has(member);
  members.add(member);
  return isNew;
}
