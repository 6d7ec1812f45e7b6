import type { CalendarRecord } from '../../../calendar/calendar.store.ts';
import type { HourCounts } from '../../../core/quota.ts';
import type { EarlierRequest } from '../../../core/request-record.ts';
import type { ChangeTarget } from '../../../event/event.store.ts';
import { type EventRecord, parseInstanceId } from '../../../event/model/record.ts';
import type { Row, Statement } from '../database.ts';
import { parseCalendar, parseEvent } from '../stored-json.ts';
import { toEarlierRequest } from '../request-records.ts';
import { parseMailCounts } from '../quota-counts.ts';
import { addressKey } from '../../../core/text/email.ts';
import { buildStatement, indexKey, lookupKey, type Parameter } from '../statements.ts';

/** Target of a change, with the lookup keys of its ids. */
export type LoadRequest = ReturnType<typeof toLoadRequest>;

export function toLoadRequest(target: ChangeTarget) {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [parent, original] = parseInstanceId(eventId) ? instanceKeys(eventId) : [];
  const calendarId = 'removedId' in ref ? ref.removedId : 'id' in ref ? ref.id : addressKey(ref.primaryOf);
  return {
    target,
    /** Keys of the event, of the parent series that the target names, and of the series and original start in the event's id. */
    ids: {
      event: indexKey(eventId),
      series: seriesId === undefined ? undefined : indexKey(seriesId),
      parent,
      original,
    },
    /** Keys of the guests who may get a copy. */
    guests: guests.map(lookupKey),
    /** Key of the calendar; for `primaryOf` the owner's address, which is usually the primary calendar's id. */
    calendarId: lookupKey(calendarId),
  };
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

/** Lookup keys of an instance's series and original start; empty for other ids. */
export function instanceKeys(eventId: string): readonly [seriesId: string, original: string] {
  const { seriesId = '', original = '' } = parseInstanceId(eventId) ?? {};
  return [indexKey(seriesId), original];
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

type Column = keyof typeof columnTypes;

type Columns = Readonly<Partial<Record<Column, string>>>;

/** Writes the start of a SELECT of rows of one kind. `columns`: expressions of the columns that the kind uses. */
function buildRowSelect(kind: string, columns: Columns): string {
  const cells = Object.entries({ ...columnTypes, ...columns }).map(([name, expression]) =>
    name in columns ? `${expression} AS ${name}` : `NULL::${expression} AS ${name}`,
  );
  return `SELECT '${kind}' AS kind, ${cells.join(', ')}`;
}

const plainColumns = (...names: readonly Column[]): Columns =>
  Object.fromEntries(names.map((name) => [name, name]));

/** Creates a function that selects rows of one kind from `events`. The text is built once, as most kinds are part of every change. */
function createEventSelect(kind: string, columns = eventColumns) {
  const rowsSql = buildRowSelect(kind, columns);
  return (home: string, condition: string): string =>
    `${rowsSql} FROM events WHERE home_id = ${home} AND ${condition}`;
}

const eventColumns = plainColumns('key', 'series_key', 'family', 'body');
const selectEvents = createEventSelect('event');
const selectExceptions = createEventSelect('exception');
const selectOriginals = createEventSelect('original');
const selectExceptionCounts = createEventSelect('exceptionCount', {
  series_key: 'series_key',
  exception_count: `count(*) FILTER (WHERE body -> 'instance' -> 'emptied' IS NULL)`,
});
const calendarSql = `${buildRowSelect('calendar', { body: `body || jsonb_build_object('timeZone', time_zone)` })} FROM calendars`;
const otherCalendarSql = `${buildRowSelect('otherCalendar', { body: `jsonb_build_object('owner', body -> 'owner', 'timeZone', time_zone)` })} FROM calendars`;
const removedCalendarSql = `${buildRowSelect('removed', plainColumns('body'))} FROM removed_calendars`;
const primarySql = `${buildRowSelect('primary', plainColumns('calendar_id'))} FROM primaries`;
const placeRowsSql = buildRowSelect('place', plainColumns('event_id', 'home_id', 'key', 'series_key'));
const uidRowsSql = buildRowSelect('uid', plainColumns('home_id', 'key'));
const importedRowsSql = buildRowSelect('imported', plainColumns('key'));

/** Role of a calendar in a change, which decides the rows that are loaded of it. */
export type CalendarRole = 'target' | 'guest' | 'destination';

/** Creates the statement that loads the rows of a calendar which a change needs. */
export const calendarLookupStatement = (
  request: LoadRequest,
  calendarId: string,
  role: CalendarRole,
): Statement =>
  buildStatement('load for change', (parameter) => calendarLookupText(request, calendarId, role, parameter));

/** Builds a UNION of the calendar and, for each entry (`p`), rows (`f`) of the entry, its record, series and exceptions. */
function calendarLookupText(
  { target, ids, calendarId: targetCalendarId }: LoadRequest,
  calendarId: string,
  role: CalendarRole,
  parameter: Parameter,
): string {
  const isTarget = role === 'target';
  const calendarRowsSql = role === 'guest' ? otherCalendarSql : calendarSql;
  /** The id is also an owner's address, whose primary calendar is loaded. */
  const isOwnerAddress = isTarget && 'primaryOf' in target.calendar && calendarId === targetCalendarId;
  const needsUids = role === (target.destinationId === undefined ? 'target' : 'destination');
  // Placeholders (`$n`) of the values.
  const id = parameter(calendarId, 'text');
  const event = parameter(ids.event, 'text');
  const series = ids.series === undefined ? undefined : parameter(ids.series, 'text');
  const placeholderOfParent = (): string | undefined =>
    ids.parent === undefined ? undefined : parameter(ids.parent, 'text');
  const parent = ids.parent === ids.series ? series : placeholderOfParent();
  const eventIds = [...new Set([event, series, parent].filter((eventId) => eventId !== undefined))];
  const idsWithExceptions = isTarget && target.dividesSeries && series ? [event, series] : [event];
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
    ...(isTarget && series
      ? [selectExceptionCounts(id, `series_key = p.key AND p.event_id = ${series} GROUP BY series_key`)]
      : []),
  ];
  return [
    `${isTarget && 'removedId' in target.calendar ? removedCalendarSql : calendarRowsSql} WHERE id = ${id}`,
    `SELECT f.* FROM places p CROSS JOIN LATERAL (${placeSelects.join('\n  UNION ALL ')}) AS f WHERE p.calendar_id = ${id} AND p.event_id IN (${eventIds.join(', ')})`,
    ...(isOwnerAddress ? [`${primarySql} WHERE owner_key = ${id}`] : []),
    ...(!needsUids || target.iCalUID === undefined
      ? []
      : [
          `SELECT f.* FROM places p CROSS JOIN LATERAL (${uidRowsSql}
      UNION ALL ${selectEvents(id, 'key = p.key')}) AS f WHERE p.calendar_id = ${id} AND p.ical_uid = ${parameter(indexKey(target.iCalUID), 'text')}`,
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
