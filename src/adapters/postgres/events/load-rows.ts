import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type { HourCounts } from '../../../core/quota.ts';
import type { EarlierRequest } from '../../../core/request-record.ts';
import type { ChangeTarget } from '../../../event/event.store.ts';
import { type EventRecord, parseInstanceId } from '../../../event/model/record.ts';
import type { Row, Statement } from '../database.ts';
import { parseCalendar, parseEvent } from '../stored-json.ts';
import { parseMailCounts, toEarlierRequest } from '../request-records.ts';
import { indexKey, buildStatement, type Parameter } from '../transaction.ts';

/** Target of a change, with the lookup keys of its ids. */
export interface LoadRequest {
  readonly target: ChangeTarget;
  readonly ids: EventIds;
  /** Lookup keys of the guests who may get a copy. */
  readonly guests: readonly string[];
  /** Lookup key of the calendar; for `primaryOf` the owner's address, which is usually the primary calendar's id. */
  readonly calendarId: string;
}

/** An entry of the table `places`: where its record is stored, and under which keys. */
export interface EntryRef {
  readonly home: string;
  readonly key: string;
  readonly seriesKey: string | null;
}

/** Entries found on one calendar: those with the target's ids, and those with its iCalUID. */
export interface CalendarEntries {
  readonly byId: Map<string, EntryRef>;
  readonly entriesWithUid: EntryRef[];
}

/** Calendar known by owner and zone alone. */
export type OtherCalendar = Pick<CalendarRecord, 'owner' | 'timeZone'>;

/** Rows loaded so far for a request. */
export type LoadedRows = ReturnType<typeof createEmptyRows>;

export const createEmptyRows = (request: LoadRequest) => ({
  request,
  /** Ids of sent queries, as none is sent twice. */
  sentQueries: new Set<string>(),
  /** Entries by calendar. */
  entries: new Map<string, CalendarEntries>(),
  /** Records of the target's calendar and of its destination. */
  calendars: new Map<string, CalendarRecord>(),
  /** Calendars of guests and homes, without their access lists, which may be long. */
  otherCalendars: new Map<string, OtherCalendar>(),
  removedCalendars: new Map<string, CalendarRecord>(),
  /** Ids of primary calendars by their owners' lookup keys. */
  primaries: new Map<string, string>(),
  /** Records by key. */
  events: new Map<string, EventRecord>(),
  /** Numbers of changes of a series' exceptions, by its key. */
  exceptionRevisions: new Map<string, number>(),
  /** Exceptions by the key of their series. */
  exceptions: new Map<string, EventRecord[]>(),
  /** Exception at the target's original start, by the key of the series. */
  originals: new Map<string, EntryRef>(),
  /** Numbers of exceptions with own changes, by the key of the series. */
  exceptionCounts: new Map<string, number>(),
  /** Keys of imported events that an invitation may replace, by calendar. */
  importedKeys: new Map<string, string[]>(),
  earlierRequest: undefined as EarlierRequest | undefined,
  mailCounts: undefined as HourCounts | undefined,
});

const toEntryRef = (row: Row): EntryRef => ({
  home: row.home_id as string,
  key: row.key as string,
  seriesKey: row.series_key as string | null,
});

function addEvent({ events, exceptionRevisions }: LoadedRows, { key, body, family }: Row): void {
  events.set(key as string, parseEvent(body));
  exceptionRevisions.set(key as string, family as number);
}

/** Handlers of rows by kind. `shard`: the calendar or owner whose shard returned the row. */
const rowHandlers: Readonly<Record<string, (rows: LoadedRows, row: Row, shard: string) => void>> = {
  calendar: ({ calendars }, { body }, shard) => calendars.set(shard, parseCalendar(body)),
  otherCalendar: ({ otherCalendars }, { body }, shard) => otherCalendars.set(shard, parseCalendar(body)),
  removed: ({ removedCalendars }, { body }, shard) => removedCalendars.set(shard, parseCalendar(body)),
  primary: ({ primaries }, { calendar_id: id }, shard) => primaries.set(shard, id as string),
  place: (rows, row, shard) =>
    getOrCreateEntries(rows, shard).byId.set(row.event_id as string, toEntryRef(row)),
  uid: (rows, row, shard) => getOrCreateEntries(rows, shard).entriesWithUid.push(toEntryRef(row)),
  event: addEvent,
  exception({ exceptions }, { key, series_key, body }) {
    const seriesKey = series_key as string;
    const otherExceptions = (exceptions.get(seriesKey) ?? []).filter((exception) => exception.key !== key);
    exceptions.set(seriesKey, [...otherExceptions, parseEvent(body)]);
  },
  original(rows, row, shard) {
    rows.originals.set(row.series_key as string, { ...toEntryRef(row), home: shard });
    addEvent(rows, row);
  },
  imported({ importedKeys }, { key }, shard) {
    importedKeys.set(shard, [...(importedKeys.get(shard) ?? []), key as string]);
  },
  exceptionCount: ({ exceptionCounts }, row) =>
    exceptionCounts.set(row.series_key as string, row.exception_count as number),
  request: (rows, row) => (rows.earlierRequest = toEarlierRequest(row)),
  mailed: (rows, row) => (rows.mailCounts = parseMailCounts(row)),
};

function getOrCreateEntries({ entries }: LoadedRows, calendarId: string): CalendarEntries {
  const entriesOfCalendar = entries.get(calendarId) ?? { byId: new Map(), entriesWithUid: [] };
  entries.set(calendarId, entriesOfCalendar);
  return entriesOfCalendar;
}

/** Adds the rows of a statement for a calendar or an owner (`shard`). */
export function addRows(loadedRows: LoadedRows, shard: string, rows: readonly Row[]): void {
  for (const row of rows) rowHandlers[row.kind as string]?.(loadedRows, row, shard);
}

export type LoadedCalendars = ReturnType<typeof findLoadedCalendars>;
export type LoadedGuest = LoadedCalendars['guests'][number];

/** Entries of a calendar without the target's event. */
export const noEntries: CalendarEntries = { byId: new Map(), entriesWithUid: [] };

/** Finds the target's calendar and its guests' ones among the loaded rows. */
export function findLoadedCalendars({
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
export function findEventEntry(
  { byId }: CalendarEntries,
  { request: { ids }, originals }: LoadedRows,
): EntryRef | undefined {
  const series = ids.parent === undefined ? undefined : byId.get(ids.parent);
  return byId.get(ids.event) ?? (series && originals.get(series.key));
}

/** Keys of all records to load, and of their series. */
export function findRecordKeys(rows: LoadedRows): Set<string> {
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

/** Subquery for the exception of an entry's series at an original start. OFFSET 0 keeps the planner from using the start alone. */
export const exceptionSubquery = (entry: string, original: string, home: string): string =>
  `(SELECT * FROM events WHERE home_id = ${home} AND series_key = ${entry}.key AND original = ${original} OFFSET 0)`;

/** Lookup keys of an instance's series and original start; empty for other ids. */
export function instanceKeys(eventId: string): readonly [seriesId: string, original: string] {
  const { seriesId = '', original = '' } = parseInstanceId(eventId) ?? {};
  return [indexKey(seriesId), original];
}

/** Rows to load from the shard of one calendar. */
export interface CalendarLookup {
  readonly calendarId: string;
  /** The calendar was deleted. */
  readonly isDeleted?: boolean;
  /** The calendar of a guest, of which only owner and zone are loaded. */
  readonly isGuestCalendar?: boolean;
  /** The id is also an owner's address, whose primary calendar is loaded. */
  readonly isOwnerAddress?: boolean;
  readonly ids: EventIds;
  /** Also loads the exceptions of the target's series. */
  readonly dividesSeries?: boolean | undefined;
  readonly needsExceptionCount?: boolean;
  readonly iCalUID?: string | undefined;
}

/** Lookup keys of the target's ids, the same on each calendar. */
interface EventIds {
  /** Id of the event. */
  readonly event: string;
  /** Id of the parent series that the target names (`seriesId`). */
  readonly series?: string | undefined;
  /** Series and original start in the event's id. */
  readonly parent?: string | undefined;
  readonly original?: string | undefined;
}

/** Rows to load of an event from its home: the record, or of a series all exceptions, the one at the original start, or their number. */
export interface HomeLookup {
  readonly home: string;
  readonly key: string;
  readonly kind: 'record' | 'exceptions' | 'original' | 'count';
}

/**
 * Types of the columns of all rows, so that one UNION returns rows of any kind (`rowHandlers`). Columns that
 * a kind does not use are null.
 */
const columnTypes = {
  calendar_id: 'text',
  /** Lookup key of the event's id on the calendar. */
  event_id: 'text',
  home_id: 'text',
  key: 'text',
  series_key: 'text',
  /** Number of changes of a series' exceptions. */
  family: 'integer',
  /** Number of exceptions that change anything. */
  exception_count: 'bigint',
  body: 'jsonb',
};

/** Writes the start of a SELECT of rows of one kind. `columns`: expressions of the columns that the kind uses. */
function buildRowSelect(
  kind: string,
  columns: Readonly<Partial<Record<keyof typeof columnTypes, string>>>,
): string {
  const cells = Object.entries({ ...columnTypes, ...columns }).map(([name, expression]) =>
    name in columns ? `${expression} AS ${name}` : `NULL::${expression} AS ${name}`,
  );
  return `SELECT '${kind}' AS kind, ${cells.join(', ')}`;
}

/** Creates a function that selects rows of one kind from `events`. The text is built once, as most kinds are part of every change. */
function createEventSelect(kind: string, columns = eventColumns) {
  const rowsSql = buildRowSelect(kind, columns);
  return (home: string, condition: string): string =>
    `${rowsSql} FROM events WHERE home_id = ${home} AND ${condition}`;
}

const eventColumns: Parameters<typeof buildRowSelect>[1] = {
  key: 'key',
  series_key: 'series_key',
  family: 'family',
  body: 'body',
};
const selectEvents = createEventSelect('event');
const selectExceptions = createEventSelect('exception');
const selectOriginals = createEventSelect('original');
const selectExceptionCounts = createEventSelect('exceptionCount', {
  series_key: 'series_key',
  exception_count: `count(*) FILTER (WHERE body -> 'instance' -> 'emptied' IS NULL)`,
});
const calendarSql = `${buildRowSelect('calendar', { body: `body || jsonb_build_object('timeZone', time_zone)` })} FROM calendars`;
const otherCalendarSql = `${buildRowSelect('otherCalendar', { body: `jsonb_build_object('owner', body -> 'owner', 'timeZone', time_zone)` })} FROM calendars`;
const removedCalendarSql = `${buildRowSelect('removed', { body: 'body' })} FROM removed_calendars`;
const primarySql = `${buildRowSelect('primary', { calendar_id: 'calendar_id' })} FROM primaries`;
const placeRowsSql = buildRowSelect('place', {
  event_id: 'p.event_id',
  home_id: 'p.home_id',
  key: 'p.key',
  series_key: 'p.series_key',
});
const uidRowsSql = buildRowSelect('uid', { home_id: 'p.home_id', key: 'p.key' });
const importedRowsSql = buildRowSelect('imported', { key: 'p.key' });

/** Creates the statement that loads the rows of a calendar which a change needs. */
export const calendarLookupStatement = (lookup: CalendarLookup): Statement =>
  buildStatement('load for change', (parameter) => calendarLookupText(lookup, parameter));

/** Builds a UNION of the calendar and, for each entry (`p`), rows (`f`) of the entry, its record, series and exceptions. */
function calendarLookupText(
  {
    calendarId,
    isDeleted,
    isGuestCalendar,
    isOwnerAddress,
    ids,
    dividesSeries,
    needsExceptionCount,
    iCalUID,
  }: CalendarLookup,
  parameter: Parameter,
): string {
  // Placeholders (`$n`) of the values.
  const id = parameter(calendarId, 'text');
  const event = parameter(ids.event, 'text');
  const series = ids.series === undefined ? undefined : parameter(ids.series, 'text');
  const placeholderOfParent = (): string | undefined =>
    ids.parent === undefined ? undefined : parameter(ids.parent, 'text');
  const parent = ids.parent === ids.series ? series : placeholderOfParent();
  const eventIds = [...new Set([event, series, parent].filter((eventId) => eventId !== undefined))];
  const idsWithExceptions = dividesSeries && series ? [event, series] : [event];
  // Every table in the text adds to planning time, so unneeded ones are left out.
  const placeSelects = [
    placeRowsSql,
    selectEvents(id, 'key IN (p.key, p.series_key)'),
    selectExceptions(
      id,
      `series_key = p.key${idsWithExceptions.length < eventIds.length ? ` AND p.event_id IN (${idsWithExceptions.join(', ')})` : ''}`,
    ),
    ...(parent && ids.original !== undefined
      ? [
          selectOriginals(
            id,
            `original = ${parameter(ids.original, 'text')} AND series_key = p.key AND p.event_id = ${parent}`,
          ),
        ]
      : []),
    ...(needsExceptionCount && series
      ? [selectExceptionCounts(id, `series_key = p.key AND p.event_id = ${series} GROUP BY series_key`)]
      : []),
  ];
  return [
    `${isDeleted ? removedCalendarSql : isGuestCalendar ? otherCalendarSql : calendarSql} WHERE id = ${id}`,
    `SELECT f.* FROM places p CROSS JOIN LATERAL (${placeSelects.join('\n  UNION ALL ')}) AS f WHERE p.calendar_id = ${id} AND p.event_id IN (${eventIds.join(', ')})`,
    ...(isOwnerAddress ? [`${primarySql} WHERE owner_key = ${id}`] : []),
    ...(iCalUID === undefined
      ? []
      : [
          `SELECT f.* FROM places p CROSS JOIN LATERAL (${uidRowsSql}
      UNION ALL ${selectEvents(id, 'key = p.key')}) AS f WHERE p.calendar_id = ${id} AND p.ical_uid = ${parameter(iCalUID, 'text')}`,
        ]),
  ].join('\nUNION ALL ');
}

/** Creates the statement that loads a calendar, and events from their home in one snapshot. */
export const homeLookupStatement = (
  homeId: string,
  lookups: readonly HomeLookup[],
  original = '',
): Statement =>
  buildStatement('load for change at home', (parameter) => {
    const home = parameter(homeId, 'text');
    /** Condition for the events of some kinds of lookups; undefined without lookups. */
    const conditionOf = (column: string, ...kinds: readonly HomeLookup['kind'][]): string | undefined => {
      const keys = new Set(lookups.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key));
      return keys.size === 0 ? undefined : `${column} = ANY (${parameter([...keys], 'text[]')})`;
    };
    const ofRecords = conditionOf('key', 'record', 'exceptions');
    const ofExceptions = conditionOf('series_key', 'exceptions');
    const ofOriginals = conditionOf('series_key', 'original');
    const ofCounts = conditionOf('series_key', 'count');
    return [
      `${otherCalendarSql} WHERE id = ${home}`,
      ofRecords && selectEvents(home, ofRecords),
      ofExceptions && selectExceptions(home, ofExceptions),
      ofOriginals && selectOriginals(home, `original = ${parameter(original, 'text')} AND ${ofOriginals}`),
      ofCounts && selectExceptionCounts(home, `${ofCounts} GROUP BY series_key`),
    ]
      .filter((select) => select !== undefined)
      .join('\nUNION ALL ');
  });

/** Events with an iCalUID whose home is a guest's calendar, with their exceptions: an invitation may replace one. */
export const importedStatement = (calendarId: string, iCalUID: string): Statement => ({
  name: 'imported events',
  text: `SELECT f.* FROM places p CROSS JOIN LATERAL (${importedRowsSql}
    UNION ALL ${selectEvents('$1', 'key = p.key')}
    UNION ALL ${selectExceptions('$1', 'series_key = p.key')}) AS f
    WHERE p.calendar_id = $1 AND p.ical_uid = $2 AND p.home_id = $1 AND p.series_key IS NULL`,
  values: [calendarId, iCalUID],
});
