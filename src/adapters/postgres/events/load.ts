import type { Read, Row, Statement } from '../database.ts';
import { findMailCounts } from '../mailed.ts';
import {
  type EventIds,
  lookUpHome,
  instanceKeys,
  type CalendarLookup,
  lookUpCalendar,
  primaryStatement,
  type HomeLookup,
  zoneStatement,
} from './load-statements.ts';
import { parseCalendar } from '../find-calendars.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import { parseEvent } from '../stored-json.ts';
import { toEarlierRequest, findRequest } from '../request-records.ts';
import { groupByKey } from '../../../core/patch.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import { hasOwnChanges, type EventRecord, parseInstanceId } from '../../../event/model/record.ts';

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
      const newQueries = queries.filter(
        ({ shard, statement, id = statement.name }) =>
          rows.sentQueries.size < rows.sentQueries.add(`${id} ${shard}`).size,
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

const calendarLookup = (lookup: CalendarLookup): ShardQuery => ({
  shard: lookup.calendarId,
  statement: lookUpCalendar(lookup),
  id: 'look',
});
const zoneQuery = (calendarId: string): ShardQuery => ({
  shard: calendarId,
  statement: zoneStatement(calendarId),
});

function targetLookup(
  { target: { calendar, dividesSeries, iCalUID }, ids }: LoadRequest,
  calendarId: string,
  isOwner = false,
): ShardQuery {
  const record = 'removedId' in calendar ? 'removed_calendars' : 'calendars';
  return calendarLookup({
    calendarId,
    calendarTable: record,
    isOwner,
    ids,
    divides: dividesSeries,
    countsExceptions: true,
    iCalUID: iCalUID === undefined ? undefined : indexKey(iCalUID),
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
  ].filter(({ shard }) => !rows.sentQueries.has(`look ${shard}`));
  const homeLookups = findHomeLookups(request, rows, calendars);
  const knownIds = new Set([
    ...rows.zones.keys(),
    calendars.calendarId,
    ...[...lookups, ...homeLookups].map(({ shard }) => shard),
  ]);
  const copyIds = [...findKeys(request, rows)].flatMap((key) =>
    [rows.events.get(key), ...(rows.exceptions.get(key) ?? [])].flatMap((row) =>
      row ? Object.keys(parseEvent(row.body).copies) : [],
    ),
  );
  const neededIds = new Set([...copyIds, ...calendars.guests.map((guest) => guest.calendarId)]);
  return [...lookups, ...homeLookups, ...[...neededIds].filter((id) => !knownIds.has(id)).map(zoneQuery)];
}

/** The calendar that stores the event, or will store it. */
export const homeIdOf = ({ event, series, calendar }: ChangeState): string | undefined =>
  (event ?? series)?.homeId ?? calendar?.id;

function toLoadedChange(request: LoadRequest, rows: LoadedRows): LoadedChange {
  const { target, ids } = request;
  const { calendarId, entries, guests } = findCalendars(request, rows);
  const keys = findKeys(request, rows);
  const records = new Map(
    [...keys].flatMap((key) => {
      const row = rows.events.get(key);
      return row
        ? [[key, { record: parseEvent(row.body), exceptionRevision: row.n as number }] as const]
        : [];
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
  const holder = findHolder(entries, ids, rows);
  const event = recordOf(holder?.key);
  const targetSeries = ids.series === undefined ? undefined : entries.byId.get(ids.series);
  const series = recordOf(holder?.seriesKey ?? targetSeries?.key);
  const rootKey =
    holder && holder.seriesKey === null ? holder.key : target.dividesSeries ? series?.key : undefined;
  const earlier = rows.otherRows.find(({ kind }) => kind === 'request');
  const zones = new Map([...rows.zones].map(([id, { b }]) => [id, b as string]));
  // A deleted calendar gets no zone, so no entries are written on it.
  if (calendar && !('removedId' in target.calendar)) zones.set(calendar.a as string, calendar.b as string);
  return {
    state: {
      calendar: calendar && parseCalendar(calendar.body),
      event,
      series,
      seriesExceptions: exceptions.get(rootKey ?? '') ?? [],
      exceptionCount:
        (targetSeries && !(event && hasOwnChanges(event)) && rows.counts.get(targetSeries.key)) || 0,
      eventsWithUid: entries.uids.flatMap(({ key }) => recordOf(key) ?? []),
      guests: new Map(
        guests.map(({ guest, calendarId: id, entries: guestEntries }): [string, GuestCalendar] => [
          guest,
          {
            calendarId: id,
            holder: recordOf(findHolder(guestEntries, ids, rows)?.key),
            seriesKey: ids.series === undefined ? undefined : guestEntries.byId.get(ids.series)?.key,
          },
        ]),
      ),
      ownerOf: (id) =>
        id === calendar?.a
          ? parseCalendar(calendar.body).owner
          : (rows.zones.get(id)?.c as string | undefined),
      zoneOf: (id) => zones.get(id),
      mailQuota: undefined,
      earlierRequest: earlier && toEarlierRequest(earlier.a, earlier.body),
    },
    exceptionRevisions: new Map([...records].map(([key, { exceptionRevision }]) => [key, exceptionRevision])),
    exceptions,
    zones,
    uidKeys: entries.uids.map(({ key }) => key),
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
      const lookupId = `${kind} ${home} ${key}`;
      if (key !== null && rows.sentQueries.size < rows.sentQueries.add(lookupId).size)
        homeLookups.push({ kind, home, key });
    }
  };
  const addEvent = ({ home, key, seriesKey }: EntryRef): void => {
    for (const eventKey of [key, seriesKey])
      if (!rows.events.has(eventKey ?? '')) addLookups(home, eventKey, 'record');
  };
  /** Loads a known event again with its exceptions, since both must be of one moment. */
  const addRoot = (calendarWithEntry: string, { home, key }: EntryRef): void => {
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
    for (const root of [event, target.dividesSeries ? series : undefined])
      if (root) addRoot(calendarId, root);
    addOriginal(calendarId, entries);
    if (series && series.home !== calendarId) addLookups(series.home, series.key, 'count');
  }
  for (const guest of guests) {
    const holder = guest.entries.byId.get(ids.event);
    if (holder && holder.home !== guest.calendarId) addEvent(holder);
    if (holder) addRoot(guest.calendarId, holder);
    addOriginal(guest.calendarId, guest.entries);
  }
  return [...groupByKey(homeLookups, ({ home }) => home)].map(([home, lookups]) => ({
    shard: home,
    statement: lookUpHome(home, lookups, ids.original),
    id: `fetch ${rows.sentQueries.size}`,
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
  readonly calendars: Map<string, Row>;
  readonly zones: Map<string, Row>;
  readonly primaries: Map<string, string>;
  readonly events: Map<string, Row>;
  readonly exceptions: Map<string, Row[]>;
  /** Exception at the target's original start, by the key of the series. */
  readonly originals: Map<string, EntryRef>;
  readonly counts: Map<string, number>;
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
  counts: new Map(),
  otherRows: [],
});

const toEntryRef = ({ b, c, d }: Row): EntryRef => ({
  home: b as string,
  key: c as string,
  seriesKey: (d ?? null) as string | null,
});

/** Handlers of rows by kind. `shard`: the calendar or owner whose shard returned the row. */
const rowHandlers: Readonly<Record<string, (rows: LoadedRows, shard: string, row: Row) => void>> = {
  calendar: ({ calendars }, shard, row) => calendars.set(shard, row),
  zone: ({ zones }, _shard, row) => zones.set(row.a as string, row),
  primary: ({ primaries }, shard, { a }) => primaries.set(shard, a as string),
  place: (rows, shard, row) => calendarEntries(rows, shard).byId.set(row.a as string, toEntryRef(row)),
  uid: (rows, shard, row) => calendarEntries(rows, shard).uids.push(toEntryRef(row)),
  event: ({ events }, _shard, row) => events.set(row.a as string, row),
  exception({ exceptions }, _shard, row) {
    const series = row.a as string;
    const previous = exceptions.get(series) ?? [];
    exceptions.set(series, [...previous.filter(({ b }) => b !== row.b), row]);
  },
  original({ events, originals }, shard, row) {
    originals.set(row.b as string, { home: shard, key: row.a as string, seriesKey: row.b as string });
    events.set(row.a as string, row);
  },
  exceptions: ({ counts }, _shard, { a, n }) => counts.set(a as string, n as number),
};

function calendarEntries({ entries }: LoadedRows, calendarId: string): CalendarEntries {
  const existing = entries.get(calendarId) ?? { byId: new Map(), uids: [] };
  entries.set(calendarId, existing);
  return existing;
}

/** Adds the rows of a statement for a calendar or an owner (`shard`). */
function addRows(loaded: LoadedRows, shard: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const addRow = rowHandlers[row.kind as string];
    if (addRow) addRow(loaded, shard, row);
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

/** Finds the event with the target's id on a calendar, which may be an exception found by its series. */
function findHolder(
  { byId }: CalendarEntries,
  { event, parent }: EventIds,
  { originals }: LoadedRows,
): EntryRef | undefined {
  const series = parent === undefined ? undefined : byId.get(parent);
  return byId.get(event) ?? (series && originals.get(series.key));
}

function findKeys(request: LoadRequest, rows: LoadedRows): Set<string> {
  const { entries, guests } = findCalendars(request, rows);
  const holders = [entries, ...guests.map((guest) => guest.entries)]
    .map((calendar) => findHolder(calendar, request.ids, rows))
    .filter((holder) => holder !== undefined);
  return new Set(
    [...entries.byId.values(), ...entries.uids, ...holders].flatMap(({ key, seriesKey }) =>
      seriesKey === null ? [key] : [key, seriesKey],
    ),
  );
}
