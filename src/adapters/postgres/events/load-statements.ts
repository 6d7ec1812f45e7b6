import { sql, type Statement } from '../database.ts';
import { instanceOf } from '../../../event/model/record.ts';
import { indexKey, namedByText, type Parameter } from '../transaction.ts';

/** The exception at an original start of the series of an entry. OFFSET keeps it from being looked for by the start alone. */
export const exceptionOf = (entry: string, original: string, home: string): string =>
  `(SELECT * FROM events WHERE home_id = ${home} AND series_key = ${entry}.key AND original = ${original} OFFSET 0)`;

/** The series and the original start that an id speaks of, if it is that of an instance, to look them up by. */
export function instanceKeys(eventId: string): readonly [seriesId: string, original: string] {
  const { seriesId = '', original = '' } = instanceOf(eventId) ?? {};
  return [indexKey(seriesId), original];
}

/** Rows to load of one calendar. All of them stand on the calendar's shard. */
export interface Look {
  readonly calendarId: string;
  /** The table that has the calendar's record; without one its zone and owner come. */
  readonly record?: 'calendars' | 'removed_calendars' | undefined;
  /** The id is an owner's address too, whose primary calendar is asked for. */
  readonly isOwner?: boolean;
  readonly ids: EventIds;
  /** The exceptions of the event with the series' id, too. */
  readonly divides?: boolean | undefined;
  /** How many exceptions the event with the series' id has. */
  readonly counts?: boolean;
  readonly iCalUID?: string | undefined;
}

/** The ids that a target names on each calendar, as they are looked up. */
export interface EventIds {
  readonly event: string;
  readonly series?: string | undefined;
  /** The series and the original start that the event's id speaks of. */
  readonly named?: string | undefined;
  readonly original?: string | undefined;
}

/** Rows to load of an event that is kept with a calendar: its record; of a series its exceptions, that at the original start, or their number. */
export interface Wanted {
  readonly home: string;
  readonly key: string;
  readonly kind: 'record' | 'exceptions' | 'original' | 'count';
}

// Rows have `kind`, `a` to `d`, `n` and `body`, as `load.ts` reads them.
const zone = (id: string): string =>
  `SELECT 'zone' AS kind, id AS a, time_zone AS b, body ->> 'owner' AS c, NULL AS d, 0 AS n, NULL::jsonb AS body FROM calendars WHERE id = ${id}`;
const record = (table: string, id: string): string =>
  `SELECT 'calendar' AS kind, id AS a, time_zone AS b, NULL AS c, NULL AS d, 0 AS n, body FROM ${table} WHERE id = ${id}`;
const events = (home: string, condition: string): string =>
  `SELECT 'event' AS kind, key AS a, series_key AS b, NULL AS c, NULL AS d, family AS n, body FROM events WHERE home_id = ${home} AND ${condition}`;
const exceptions = (home: string, condition: string): string =>
  `SELECT 'exception', series_key, key, NULL, NULL, 0, body FROM events WHERE home_id = ${home} AND ${condition}`;
const atOriginal = (home: string, original: string, condition: string): string =>
  `SELECT 'original', key, series_key, NULL, NULL, family, body FROM events WHERE home_id = ${home} AND original = ${original} AND ${condition}`;
/** How many exceptions that change anything each series has. */
const counted = (home: string, condition: string): string =>
  `SELECT 'exceptions', series_key, NULL, NULL, NULL, count(*) FILTER (WHERE body -> 'instance' -> 'emptied' IS NULL), NULL FROM events
    WHERE home_id = ${home} AND ${condition} GROUP BY series_key`;

export const lookStatement = (look: Look): Statement =>
  namedByText('load for change', (parameter) => lookText(look, parameter));

function lookText(
  { calendarId, record: table, isOwner, ids, divides, counts, iCalUID }: Look,
  parameter: Parameter,
): string {
  const id = parameter(calendarId, 'text');
  const event = parameter(ids.event, 'text');
  const series = ids.series === undefined ? undefined : parameter(ids.series, 'text');
  const named = ids.named === undefined ? undefined : sameOr(ids.named, ids.series, series, parameter);
  const all = [...new Set([event, series, named].filter((one) => one !== undefined))];
  const roots = divides && series ? [event, series] : [event];
  // Each table that a text names is a part of what planning costs: none is named for what is not asked.
  const ofPlace = [
    `SELECT 'place' AS kind, p.event_id AS a, p.home_id AS b, p.key AS c, p.series_key AS d, 0 AS n, NULL::jsonb AS body`,
    events(id, 'key IN (p.key, p.series_key)'),
    exceptions(
      id,
      `series_key = p.key${roots.length < all.length ? ` AND p.event_id IN (${roots.join(', ')})` : ''}`,
    ),
    ...(named && ids.original !== undefined
      ? [atOriginal(id, parameter(ids.original, 'text'), `series_key = p.key AND p.event_id = ${named}`)]
      : []),
    ...(counts && series ? [counted(id, `series_key = p.key AND p.event_id = ${series}`)] : []),
  ];
  return [
    table ? record(table, id) : zone(id),
    `SELECT f.* FROM places p CROSS JOIN LATERAL (${ofPlace.join('\n  UNION ALL ')}) AS f WHERE p.calendar_id = ${id} AND p.event_id IN (${all.join(', ')})`,
    ...(isOwner
      ? [`SELECT 'primary', calendar_id, NULL, NULL, NULL, 0, NULL FROM primaries WHERE owner_key = ${id}`]
      : []),
    ...(iCalUID === undefined
      ? []
      : [
          `SELECT f.* FROM places p CROSS JOIN LATERAL (SELECT 'uid' AS kind, NULL AS a, p.home_id AS b, p.key AS c, NULL AS d, 0 AS n, NULL::jsonb AS body
      UNION ALL ${events(id, 'key = p.key')}) AS f WHERE p.calendar_id = ${id} AND p.ical_uid = ${parameter(iCalUID, 'text')}`,
        ]),
  ].join('\nUNION ALL ');
}

/** As a rule the target's series is the one that its id speaks of. */
const sameOr = (
  named: string,
  series: string | undefined,
  placeholder: string | undefined,
  parameter: Parameter,
): string => (placeholder !== undefined && named === series ? placeholder : parameter(named, 'text'));

/** Loads what is wanted of one home. */
export const fetchStatement = (homeId: string, all: readonly Wanted[], original = ''): Statement =>
  namedByText('load for change at home', (parameter) => {
    const home = parameter(homeId, 'text');
    const part = (
      kinds: readonly Wanted['kind'][],
      column: string,
      textOf: (condition: string) => string,
    ) => {
      const keys = new Set(all.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key));
      return keys.size === 0 ? [] : [textOf(`${column} = ANY (${parameter([...keys], 'text[]')})`)];
    };
    return [
      zone(home),
      // An event and its exceptions are to be of one moment.
      ...part(['record', 'exceptions'], 'key', (condition) => events(home, condition)),
      ...part(['exceptions'], 'series_key', (condition) => exceptions(home, condition)),
      ...part(['original'], 'series_key', (condition) =>
        atOriginal(home, parameter(original, 'text'), condition),
      ),
      ...part(['count'], 'series_key', (condition) => counted(home, condition)),
    ].join('\nUNION ALL ');
  });

export const zoneStatement = (calendarId: string): Statement => ({
  name: 'zone of calendar',
  text: zone('$1'),
  values: [calendarId],
});

export const primaryStatement = (owner: string): Statement =>
  sql`/* primary calendar */ SELECT 'primary' AS kind, calendar_id AS a FROM primaries WHERE owner_key = ${owner}`;
