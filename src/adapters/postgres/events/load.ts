import type { Read, Row, Statement } from '../database.ts';
import { findMailCounts } from '../mailed.ts';
import {
  type EventIds,
  lookUpHome,
  instanceKeys,
  type CalendarLookup,
  lookUpCalendar,
  type LoadRow,
  primaryStatement,
  type HomeLookup,
  importedStatement,
  zoneStatement,
} from './load-statements.ts';
import { parseCalendar } from '../find-calendars.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import { parseEvent } from '../stored-json.ts';
import { toEarlierRequest, findRequest } from '../request-records.ts';
import { groupByKey } from '../../../core/patch.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import { hasOwnChanges, type EventRecord, importedOn, parseInstanceId } from '../../../event/model/record.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedChange {
  readonly state: ChangeState;
  /** Numbers of changes of a series' exceptions, by its key. */
  readonly exceptionRevisions: ReadonlyMap<string, number>;
  /** Exceptions by the key of their series: the event, and events of the same id on guests' calendars. */
  readonly exceptions: ReadonlyMap<string, readonly EventRecord[]>;
  /** Time zones of all calendars that have copies of the loaded records, and of the guests' calendars. */
  readonly zones: ReadonlyMap<string, string>;
  readonly uidKeys: readonly string[];
  /** Keys of events with the same iCalUID that are stored on the calendars of guests who have no copy yet, by calendar. */
  readonly importedKeys: ReadonlyMap<string, readonly string[]>;
  readonly mailRows: readonly Row[];
}

const maxAttempts = 3;

interface LoadInput {
  readonly now: number;
  readonly calendarIds: readonly string[];
}

/** Loads the state of a change target, step by step, as rows of one shard lead to others. The usual change by an organizer takes one step. */
export async function loadChange(read: Read, target: ChangeTarget, input: LoadInput): Promise<LoadedChange> {
  const request = toLoadRequest(target);
  for (let attempt = 1; ; attempt += 1) {
    const rows = emptyRows();
    for (let queries = firstQueries(request, input); ; queries = nextQueries(request, rows)) {
      const newQueries = queries.filter(({ shard, statement, id = statement.name }) =>
        addOnce(rows.sentQueries, `${id} ${shard}`),
      );
      if (newQueries.length === 0) break;
      const answers = await read(newQueries.map(({ statement }) => statement));
      for (const [index, { shard }] of newQueries.entries())
        addRows(rows, shard, answers[index] as readonly Row[]);
    }
    // An import may move an event to another home between two steps.
    if (attempt === maxAttempts || [...findKeys(request, rows)].every((key) => rows.events.has(key)))
      return toLoadedChange(request, rows);
  }
}

/** Adds a member to a set. False if the set has it already. */
function addOnce(members: Set<string>, member: string): boolean {
  const isNew = !members.has(member);
  members.add(member);
  return isNew;
}

function toLoadRequest(target: ChangeTarget): LoadRequest {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [parent, original] = parseInstanceId(eventId) ? instanceKeys(eventId) : [];
  const ids: EventIds = {
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

/** Id of all lookups on a calendar, so that each calendar is looked up once. */
const calendarLookupId = 'calendar';

const calendarLookup = (lookup: CalendarLookup): ShardQuery => ({
  shard: lookup.calendarId,
  statement: lookUpCalendar(lookup),
  id: calendarLookupId,
});
const zoneQuery = (calendarId: string): ShardQuery => ({
  shard: calendarId,
  statement: zoneStatement(calendarId),
});

/** Lookup of the calendar to which the event may move. */
const destinationLookups = ({ target: { destinationId, iCalUID }, ids }: LoadRequest): ShardQuery[] =>
  destinationId === undefined
    ? []
    : [
        calendarLookup({
          calendarId: destinationId,
          calendarTable: 'calendars',
          ids,
          iCalUID: iCalUID === undefined ? undefined : indexKey(iCalUID),
        }),
      ];

function targetLookup(
  { target: { calendar, dividesSeries, iCalUID, destinationId }, ids }: LoadRequest,
  calendarId: string,
  isOwner = false,
): ShardQuery {
  return calendarLookup({
    calendarId,
    calendarTable: 'removedId' in calendar ? 'removed_calendars' : 'calendars',
    isOwner,
    ids,
    divides: dividesSeries,
    countsExceptions: true,
    iCalUID: iCalUID === undefined || destinationId !== undefined ? undefined : indexKey(iCalUID),
  });
}

function firstQueries(request: LoadRequest, { now, calendarIds }: LoadInput): ShardQuery[] {
  const {
    target: { calendar, request: earlier, mailSender },
    guests,
    calendarId,
  } = request;
  const mailStatements = mailSender === undefined ? [] : [findMailCounts(mailSender)];
  return [
    targetLookup(request, calendarId, 'primaryOf' in calendar),
    ...destinationLookups(request).filter(({ shard }) => shard !== calendarId),
    ...guests.map((guest) => ({ shard: guest, statement: primaryStatement(guest) })),
    ...calendarIds.map(zoneQuery),
    ...(earlier ? [{ shard: '', statement: findRequest(earlier, now) }] : []),
    ...mailStatements.map((statement) => ({ shard: '', statement })),
  ];
}

function nextQueries(request: LoadRequest, rows: LoadedRows): ShardQuery[] {
  const { target, ids, calendarId } = request;
  const calendars = findCalendars(request, rows);
  const primary = 'primaryOf' in target.calendar ? rows.primaries.get(calendarId) : undefined;
  const lookups = [
    ...(primary !== undefined && primary !== calendarId ? [targetLookup(request, primary)] : []),
    ...calendars.guests
      .map((guest) => calendarLookup({ calendarId: guest.calendarId, ids }))
      .filter(({ shard }) => shard !== primary),
  ].filter(({ shard }) => !rows.sentQueries.has(`${calendarLookupId} ${shard}`));
  const homeLookups = findHomeLookups(request, rows, calendars);
  const importedLookups = importedQueries(request, rows, calendars);
  const knownIds = new Set([
    ...rows.zones.keys(),
    calendars.calendarId,
    target.destinationId,
    ...[...lookups, ...homeLookups].map(({ shard }) => shard),
  ]);
  const copyIds = [...findKeys(request, rows)].flatMap((key) =>
    [rows.events.get(key), ...(rows.exceptions.get(key) ?? [])].flatMap((row) =>
      row ? Object.keys(parseEvent(row.body).copies) : [],
    ),
  );
  const neededIds = new Set([...copyIds, ...calendars.guests.map((guest) => guest.calendarId)]);
  return [
    ...lookups,
    ...homeLookups,
    ...importedLookups,
    ...[...neededIds].filter((id) => !knownIds.has(id)).map(zoneQuery),
  ];
}

/** Lookups of imported events on the calendars of guests who have no copy yet. */
function importedQueries(
  { target, ids }: LoadRequest,
  rows: LoadedRows,
  { entries, guests }: LoadedCalendars,
): ShardQuery[] {
  if (guests.length === 0) return [];
  const row = rows.events.get(findEventEntry(entries, ids, rows)?.key ?? '');
  const event = row && parseEvent(row.body);
  const iCalUID = target.iCalUID ?? event?.core.iCalUID;
  if (iCalUID === undefined) return [];
  return guestsWithoutCopy(guests, event).map(({ calendarId }) => ({
    shard: calendarId,
    statement: importedStatement(calendarId, indexKey(iCalUID)),
  }));
}

const guestsWithoutCopy = (guests: readonly LoadedGuest[], event: EventRecord | undefined): LoadedGuest[] =>
  guests.filter(({ calendarId }) => (event?.copies[calendarId]?.state ?? 'uninvited') === 'uninvited');

/** The calendar that stores the event, or will store it. */
export const homeIdOf = ({ event, series, calendar, destination }: ChangeState): string | undefined =>
  destination?.calendar.id ?? (event ?? series)?.homeId ?? calendar?.id;

function toLoadedChange(request: LoadRequest, rows: LoadedRows): LoadedChange {
  const { target, ids } = request;
  const { calendarId, entries, guests } = findCalendars(request, rows);
  const keys = findKeys(request, rows);
  const records = new Map(
    [...keys].flatMap((key) => {
      const row = rows.events.get(key);
      return row ? [[key, { record: parseEvent(row.body), exceptionRevision: row.family }] as const] : [];
    }),
  );
  const recordOf = (entry: string | null | undefined): EventRecord | undefined =>
    records.get(entry ?? '')?.record;
  const exceptions = new Map(
    [...keys].flatMap((key) => {
      const rowsOfSeries = rows.exceptions.get(key);
      return rowsOfSeries ? [[key, rowsOfSeries.map(({ body }) => parseEvent(body))] as const] : [];
    }),
  );
  const calendar = calendarId === undefined ? undefined : rows.calendars.get(calendarId);
  const eventEntry = findEventEntry(entries, ids, rows);
  const event = recordOf(eventEntry?.key);
  const seriesEntry = ids.series === undefined ? undefined : entries.byId.get(ids.series);
  const series = recordOf(eventEntry?.seriesKey ?? seriesEntry?.key);
  /** Series whose exceptions may change: the event itself, or the series to divide. */
  const changedSeriesKey =
    eventEntry?.seriesKey === null ? eventEntry.key : target.dividesSeries ? series?.key : undefined;
  const earlier = rows.otherRows.find(({ kind }) => kind === 'request');
  const zones = new Map([...rows.zones].map(([id, row]) => [id, row.time_zone]));
  const destination =
    target.destinationId === undefined ? undefined : rows.calendars.get(target.destinationId);
  const destinationEntries = rows.entries.get(target.destinationId ?? '') ?? noEntries;
  if (destination) zones.set(destination.calendar_id, destination.time_zone);
  // A deleted calendar gets no zone, so no entries are written on it.
  if (calendar && !('removedId' in target.calendar)) zones.set(calendar.calendar_id, calendar.time_zone);
  return {
    state: {
      calendar: calendar && parseCalendar(calendar.body),
      event,
      series,
      seriesExceptions: exceptions.get(changedSeriesKey ?? '') ?? [],
      exceptionCount:
        (seriesEntry && !(event && hasOwnChanges(event)) && rows.exceptionCounts.get(seriesEntry.key)) || 0,
      eventsWithUid: entries.uids.flatMap(({ key }) => recordOf(key) ?? []),
      guests: new Map(
        guests.map(({ guest, calendarId: id, entries: guestEntries }): [string, GuestCalendar] => [
          guest,
          {
            calendarId: id,
            holder: recordOf(findEventEntry(guestEntries, ids, rows)?.key),
            seriesKey: ids.series === undefined ? undefined : guestEntries.byId.get(ids.series)?.key,
            ...importedOn(
              id,
              (rows.imported.get(id) ?? []).flatMap((key) => recordOf(key) ?? []),
              ({ key }) => exceptions.get(key) ?? [],
            ),
          },
        ]),
      ),
      ownerOf: (id) =>
        [calendar, destination].flatMap((row) =>
          row?.calendar_id === id ? parseCalendar(row.body).owner : [],
        )[0] ?? rows.zones.get(id)?.owner,
      zoneOf: (id) => zones.get(id),
      mailQuota: undefined,
      earlierRequest: earlier && toEarlierRequest(earlier),
      destination: destination && {
        calendar: parseCalendar(destination.body),
        holderKey: destinationEntries.byId.get(ids.event)?.key,
        uidKeys: destinationEntries.uids.map(({ key }) => key),
      },
    },
    exceptionRevisions: new Map([...records].map(([key, { exceptionRevision }]) => [key, exceptionRevision])),
    exceptions,
    zones,
    uidKeys: (target.destinationId === undefined ? entries : destinationEntries).uids.map(({ key }) => key),
    importedKeys: new Map(
      (target.iCalUID ?? event?.core.iCalUID) === undefined
        ? []
        : guestsWithoutCopy(guests, event).map(({ calendarId: id }) => [id, rows.imported.get(id) ?? []]),
    ),
    mailRows: rows.otherRows,
  };
}

/** Finds the records that are missing because other calendars store them. */
function findHomeLookups(
  { target, ids }: LoadRequest,
  rows: LoadedRows,
  { calendarId, entries, guests }: LoadedCalendars,
): ShardQuery[] {
  const homeLookups: HomeLookup[] = [];
  const addLookups = (home: string, key: string | null, ...kinds: readonly HomeLookup['kind'][]): void => {
    for (const kind of kinds) {
      if (key !== null && addOnce(rows.sentQueries, `${kind} ${home} ${key}`))
        homeLookups.push({ kind, home, key });
    }
  };
  const addEvent = ({ home, key, seriesKey }: EntryRef): void => {
    for (const eventKey of [key, seriesKey])
      if (!rows.events.has(eventKey ?? '')) addLookups(home, eventKey, 'record');
  };
  /** Loads an event with its exceptions, even if it is known, since both must be of one moment. */
  const addEventWithExceptions = (calendarWithEntry: string, { home, key }: EntryRef): void => {
    if (home !== calendarWithEntry && rows.entries.get(home)?.byId.get(ids.event)?.key !== key)
      addLookups(home, key, 'record', 'exceptions');
  };
  const addOriginal = (calendarWithEntry: string, { byId }: CalendarEntries): void => {
    const series = ids.parent === undefined || byId.has(ids.event) ? undefined : byId.get(ids.parent);
    if (!series || series.home === calendarWithEntry || rows.originals.has(series.key)) return;
    addEvent(series);
    addLookups(series.home, series.key, 'original');
  };
  const [event, series] = [ids.event, ids.series].map((id) =>
    id === undefined ? undefined : entries.byId.get(id),
  );
  if (calendarId !== undefined) {
    for (const entry of [...entries.byId.values(), ...entries.uids])
      if (entry.home !== calendarId) addEvent(entry);
    for (const entry of [event, target.dividesSeries ? series : undefined])
      if (entry) addEventWithExceptions(calendarId, entry);
    addOriginal(calendarId, entries);
    if (series && series.home !== calendarId) addLookups(series.home, series.key, 'count');
  }
  for (const guest of guests) {
    const entry = guest.entries.byId.get(ids.event);
    if (entry && entry.home !== guest.calendarId) addEvent(entry);
    if (entry) addEventWithExceptions(guest.calendarId, entry);
    addOriginal(guest.calendarId, guest.entries);
  }
  return [...groupByKey(homeLookups, ({ home }) => home)].map(([home, lookups]) => ({
    shard: home,
    statement: lookUpHome(home, lookups, ids.original),
    // Each is sent: `addLookups` has dropped the repeated ones.
    id: `home ${rows.sentQueries.size}`,
  }));
}

interface LoadRequest {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  readonly guests: readonly string[];
  /** Lookup key of the calendar; for `primaryOf` the owner's address, which is usually the primary calendar's id. */
  readonly calendarId: string;
}

/** A statement, and the calendar or owner whose shard it goes to. */
interface ShardQuery {
  readonly shard: string;
  readonly statement: Statement;
  /** Identifies the query on its shard; by default the name of the statement. */
  readonly id?: string;
}

interface EntryRef {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

interface CalendarEntries {
  readonly byId: Map<string, EntryRef>;
  readonly uids: EntryRef[];
}

interface LoadedRows {
  /** Ids of sent queries, as none is sent twice. */
  readonly sentQueries: Set<string>;
  readonly entries: Map<string, CalendarEntries>;
  readonly calendars: Map<string, LoadRow>;
  readonly zones: Map<string, LoadRow>;
  readonly primaries: Map<string, string>;
  readonly events: Map<string, LoadRow>;
  readonly exceptions: Map<string, LoadRow[]>;
  /** Exception at the target's original start, by the key of the series. */
  readonly originals: Map<string, EntryRef>;
  readonly exceptionCounts: Map<string, number>;
  /** Keys of imported events that an invitation may replace, by calendar. */
  readonly imported: Map<string, string[]>;
  readonly otherRows: Row[];
}

const emptyRows = (): LoadedRows => ({
  sentQueries: new Set(),
  entries: new Map(),
  calendars: new Map(),
  zones: new Map(),
  primaries: new Map(),
  events: new Map(),
  exceptions: new Map(),
  originals: new Map(),
  exceptionCounts: new Map(),
  imported: new Map(),
  otherRows: [],
});

const toEntryRef = ({ home_id, key, series_key }: LoadRow): EntryRef => ({
  home: home_id,
  key,
  seriesKey: series_key,
});

/** Handlers of rows by kind. `shard`: the calendar or owner whose shard returned the row. */
const rowHandlers: Readonly<Record<string, (rows: LoadedRows, shard: string, row: LoadRow) => void>> = {
  calendar: ({ calendars }, shard, row) => calendars.set(shard, row),
  zone: ({ zones }, _shard, row) => zones.set(row.calendar_id, row),
  primary: ({ primaries }, shard, { calendar_id }) => primaries.set(shard, calendar_id),
  place: (rows, shard, row) => entriesOn(rows, shard).byId.set(row.event_id, toEntryRef(row)),
  uid: (rows, shard, row) => entriesOn(rows, shard).uids.push(toEntryRef(row)),
  event: ({ events }, _shard, row) => events.set(row.key, row),
  exception({ exceptions }, _shard, row) {
    const seriesKey = row.series_key as string;
    const otherRows = (exceptions.get(seriesKey) ?? []).filter(({ key }) => key !== row.key);
    exceptions.set(seriesKey, [...otherRows, row]);
  },
  original({ events, originals }, shard, row) {
    originals.set(row.series_key as string, { home: shard, key: row.key, seriesKey: row.series_key });
    events.set(row.key, row);
  },
  imported({ imported }, shard, { key }) {
    imported.set(shard, [...(imported.get(shard) ?? []), key]);
  },
  exceptionCount: ({ exceptionCounts }, _shard, { series_key, exception_count }) =>
    exceptionCounts.set(series_key as string, exception_count),
};

function entriesOn({ entries }: LoadedRows, calendarId: string): CalendarEntries {
  const existing = entries.get(calendarId) ?? { byId: new Map(), uids: [] };
  entries.set(calendarId, existing);
  return existing;
}

/** Adds the rows of a statement for a calendar or an owner (`shard`). */
function addRows(loaded: LoadedRows, shard: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const addRow = rowHandlers[row.kind as string];
    // Rows of these kinds have all columns of LoadRow, by `selectRows`.
    if (addRow) addRow(loaded, shard, row as unknown as LoadRow);
    else loaded.otherRows.push(row);
  }
}

interface LoadedCalendars {
  readonly calendarId: string | undefined;
  readonly entries: CalendarEntries;
  readonly guests: readonly LoadedGuest[];
}

interface LoadedGuest {
  readonly guest: string;
  readonly calendarId: string;
  readonly entries: CalendarEntries;
}

const noEntries: CalendarEntries = { byId: new Map(), uids: [] };

function findCalendars(
  { target, calendarId, guests }: LoadRequest,
  { entries, primaries, calendars }: LoadedRows,
): LoadedCalendars {
  const id = 'primaryOf' in target.calendar ? primaries.get(calendarId) : calendarId;
  const foundId = id !== undefined && calendars.has(id) ? id : undefined;
  return {
    calendarId: foundId,
    entries: (foundId !== undefined && entries.get(foundId)) || noEntries,
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
  { event, parent }: EventIds,
  { originals }: LoadedRows,
): EntryRef | undefined {
  const series = parent === undefined ? undefined : byId.get(parent);
  return byId.get(event) ?? (series && originals.get(series.key));
}

/** Keys of all records to load, and of their series. */
function findKeys(request: LoadRequest, rows: LoadedRows): Set<string> {
  const { entries, guests } = findCalendars(request, rows);
  const eventEntries = [entries, ...guests.map((guest) => guest.entries)]
    .map((calendarEntries) => findEventEntry(calendarEntries, request.ids, rows))
    .filter((entry) => entry !== undefined);
  const importedKeys = [...rows.imported.values()].flat();
  return new Set([
    ...[...entries.byId.values(), ...entries.uids, ...eventEntries].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
    ...importedKeys,
  ]);
}
