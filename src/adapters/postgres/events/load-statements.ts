import type { Statement } from '../database.ts';
import { parseInstanceId } from '../../../event/model/record.ts';
import { indexKey, buildStatement, type Parameter } from '../transaction.ts';

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
export interface EventIds {
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
 * Types of the columns of all rows, so that one UNION returns rows of any kind (`rowHandlers` in `load-rows.ts`). Columns that
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
