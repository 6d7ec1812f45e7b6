import { groupByKey } from '../../../core/json.ts';
import type { HourCounts } from '../../../core/quota.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import { hasOwnChanges, type EventRecord, findImportedEvents } from '../../../event/model/record.ts';
import type { Read, Statement } from '../database.ts';
import {
  addRows,
  createEmptyRows,
  type LoadedRows,
  type LoadRequest,
  type OtherCalendar,
  toLoadRequest,
  type CalendarEntries,
  type EntryRef,
  type CalendarRole,
  type HomeLookup,
  importedStatement,
  calendarLookupStatement,
  homeLookupStatement,
} from './load-rows.ts';
import { primaryIdStatement } from '../find-calendars.ts';
import { findRequest } from '../request-records.ts';
import { findMailCounts } from '../quota-counts.ts';
import { indexKey } from '../statements.ts';

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

/**
 * Loads the state of a change target, step by step, as rows of one shard lead to others. The usual change by an organizer takes one step.
 * `extraCalendarIds`: calendars that an earlier decision needed.
 */
export async function loadChange(
  read: Read,
  target: ChangeTarget,
  now: number,
  extraCalendarIds: ReadonlySet<string>,
): Promise<LoadedChange> {
  const request = toLoadRequest(target);
  for (let attempt = 1; ; attempt += 1) {
    const rows = createEmptyRows(request);
    for (
      let queries = buildFirstQueries(request, now, extraCalendarIds);
      ;
      queries = buildNextQueries(rows)
    ) {
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

type LoadedCalendars = ReturnType<typeof findLoadedCalendars>;
type LoadedGuest = LoadedCalendars['guests'][number];

/** Entries of a calendar without the target's event. */
const noEntries: CalendarEntries = { byId: new Map(), entriesWithUid: [] };

/** Finds the target's calendar and its guests' ones among the loaded rows. */
function findLoadedCalendars({
  request: { target, calendarId, guests },
  entries,
  primaries,
  calendars,
  removedCalendars,
}: LoadedRows) {
  const id = 'primaryOf' in target.calendar ? primaries.get(calendarId) : calendarId;
  const calendar = ('removedId' in target.calendar ? removedCalendars : calendars).get(id ?? '');
  return {
    calendar,
    entries: (calendar && entries.get(calendar.id)) ?? noEntries,
    guests: guests.flatMap((guest) => {
      const primaryId = primaries.get(guest);
      return primaryId === undefined
        ? []
        : [{ guest, calendarId: primaryId, entries: entries.get(primaryId) ?? noEntries }];
    }),
  };
}

/** Finds the entry of the target's id on a calendar, which may be an exception found by its series. */
function findEventEntry(
  { byId }: CalendarEntries,
  { request: { ids }, originals }: LoadedRows,
): EntryRef | undefined {
  const series = ids.parent === undefined ? undefined : byId.get(ids.parent);
  return byId.get(ids.event) ?? (series && originals.get(series.key));
}

/** Keys of all records to load, and of their series. */
function findRecordKeys(rows: LoadedRows): Set<string> {
  const { entries, guests } = findLoadedCalendars(rows);
  const eventEntries = [entries, ...guests.map((guest) => guest.entries)]
    .map((calendarEntries) => findEventEntry(calendarEntries, rows))
    .filter((entry) => entry !== undefined);
  return new Set([
    ...[...entries.byId.values(), ...entries.entriesWithUid, ...eventEntries].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
    ...[...rows.importedKeys.values()].flat(),
  ]);
}

/** A statement, and the calendar or owner whose shard it goes to. */
interface ShardQuery {
  readonly shard: string;
  readonly statement: Statement;
  /** Identifies a query that may be requested again. */
  readonly id?: string;
}

/** Lookup of a calendar. Each calendar is looked up once. */
const calendarQuery = (request: LoadRequest, calendarId: string, role: CalendarRole): ShardQuery => ({
  shard: calendarId,
  statement: calendarLookupStatement(request, calendarId, role),
  id: `calendar ${calendarId}`,
});

/** Query for owner and time zone of a calendar alone. */
const ownerAndZoneQuery = (calendarId: string): ShardQuery => ({
  shard: calendarId,
  statement: homeLookupStatement(calendarId, []),
  id: `record of calendar ${calendarId}`,
});

/** Queries that follow from the target alone. */
function buildFirstQueries(
  request: LoadRequest,
  now: number,
  extraCalendarIds: Iterable<string>,
): ShardQuery[] {
  const { target, guests, calendarId } = request;
  const { destinationId, request: requestRecord, mailSender } = target;
  return [
    calendarQuery(request, calendarId, 'target'),
    ...(destinationId === undefined || destinationId === calendarId
      ? []
      : [calendarQuery(request, destinationId, 'destination')]),
    ...guests.map((guest) => ({ shard: guest, statement: primaryIdStatement(guest) })),
    ...Array.from(extraCalendarIds, ownerAndZoneQuery),
    ...(requestRecord ? [{ shard: '', statement: findRequest(requestRecord, now) }] : []),
    ...(mailSender === undefined ? [] : [{ shard: '', statement: findMailCounts(mailSender) }]),
  ];
}

/** Queries to which the loaded rows lead, including sent ones. */
function buildNextQueries(rows: LoadedRows): ShardQuery[] {
  const { request, events, exceptions } = rows;
  const { target, calendarId } = request;
  const calendars = findLoadedCalendars(rows);
  const primary = 'primaryOf' in target.calendar ? rows.primaries.get(calendarId) : undefined;
  const calendarQueries = [
    ...(primary !== undefined && primary !== calendarId ? [calendarQuery(request, primary, 'target')] : []),
    ...calendars.guests
      .filter((guest) => guest.calendarId !== primary)
      .map((guest) => calendarQuery(request, guest.calendarId, 'guest')),
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
