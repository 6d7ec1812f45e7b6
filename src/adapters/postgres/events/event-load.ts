import type { ChangeTarget, Found, GuestCalendar } from '../../../event/event.store.ts';
import { instanceOf, type EventRecord } from '../../../event/model/record.ts';
import { calendarFrom, refValues } from '../calendars/calendar-store.ts';
import type { Row, Statement } from '../database.ts';
import { grouped } from '../grouped.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { earlierFrom } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';

/** What a change is decided on, and what is needed to store it. */
export interface Loaded {
  readonly found: Found;
  /** How often the exceptions of a series had changed, by its key. */
  readonly exceptionRevisions: ReadonlyMap<string, number>;
  /** By the key of a series: of the event and of what guests have under its id. */
  readonly exceptions: ReadonlyMap<string, readonly EventRecord[]>;
  /** The time zones of all calendars on which any of it stands, and of the guests'. */
  readonly zones: ReadonlyMap<string, string>;
  /** The keys of the events with the target's iCalUID. */
  readonly uidKeys: readonly string[];
}

/** The exception at an original start of the series of an entry. OFFSET keeps it from being looked for by the start alone. */
export const exceptionOf = (entry: string, original: string): string =>
  `(SELECT * FROM events WHERE home_id = ${entry}.home_id AND series_key = ${entry}.key AND original = ${original} OFFSET 0)`;

// One statement, so that all of it is of one moment. $1 calendar or $2 owner, $3 event, $4 series, $5 iCalUID,
// $6 guests, $7 request, $8 now, $9 more calendars, $10 the series and $11 the original start that the event's id speaks of:
// an exception is found by them where its series is, also where it has left the calendar. $12: with the exceptions of the series.
const text = `
WITH cal AS MATERIALIZED (
  SELECT id, body, time_zone FROM calendars WHERE id = coalesce($1, (SELECT calendar_id FROM primaries WHERE owner_key = $2))
), placed AS MATERIALIZED (
  SELECT p.event_id, p.home_id, p.key, p.series_key FROM cal JOIN places p ON p.calendar_id = cal.id AND p.event_id IN ($3, $4, $10)
), here AS MATERIALIZED (
  SELECT * FROM placed UNION ALL
  SELECT $3, x.home_id, x.key, x.series_key FROM placed s CROSS JOIN LATERAL ${exceptionOf('s', '$11')} AS x WHERE s.event_id = $10 AND NOT EXISTS (SELECT FROM placed WHERE event_id = $3)
), uid AS MATERIALIZED (
  SELECT p.home_id, p.key FROM cal JOIN places p ON p.calendar_id = cal.id AND p.ical_uid = $5::text
), guest AS MATERIALIZED (
  SELECT g.owner_key, g.calendar_id, coalesce(p.home_id, x.home_id) AS home_id, coalesce(p.key, x.key) AS key, coalesce(p.series_key, x.series_key) AS series_key
  FROM primaries g LEFT JOIN places p ON p.calendar_id = g.calendar_id AND p.event_id = $3
    LEFT JOIN places s ON s.calendar_id = g.calendar_id AND s.event_id = $10 AND p.key IS NULL
    LEFT JOIN LATERAL ${exceptionOf('s', '$11')} AS x ON true
  WHERE g.owner_key = ANY ($6::text[])
), root AS MATERIALIZED (
  SELECT home_id, key FROM here WHERE event_id = $3 OR (event_id = $4 AND $12) UNION SELECT home_id, key FROM guest WHERE key IS NOT NULL
), event AS MATERIALIZED (
  SELECT e.* FROM events e JOIN (
    SELECT home_id, key FROM here UNION SELECT home_id, series_key FROM here WHERE series_key IS NOT NULL
    UNION SELECT home_id, key FROM uid UNION SELECT home_id, key FROM root
    UNION SELECT home_id, series_key FROM guest WHERE series_key IS NOT NULL
  ) w ON e.home_id = w.home_id AND e.key = w.key
), exception AS MATERIALIZED (
  SELECT x.series_key, x.body FROM root JOIN events x ON x.home_id = root.home_id AND x.series_key = root.key
)
SELECT 'calendar' AS kind, id AS a, time_zone AS b, NULL AS c, 0 AS n, body FROM cal
UNION ALL SELECT 'here', event_id, key, series_key, 0, NULL FROM here
UNION ALL SELECT 'uid', key, NULL, NULL, 0, NULL FROM uid
UNION ALL SELECT 'guest', owner_key, calendar_id, key, 0, NULL FROM guest
UNION ALL SELECT 'series there', g.owner_key, p.key, NULL, 0, NULL FROM guest g JOIN places p ON p.calendar_id = g.calendar_id AND p.event_id = $4
UNION ALL SELECT 'event', key, NULL, NULL, family, body FROM event
UNION ALL SELECT 'exceptions', NULL, NULL, NULL, count(*)::int, NULL FROM placed s JOIN events x ON x.home_id = s.home_id AND x.series_key = s.key
  WHERE s.event_id = $4 AND NOT EXISTS (SELECT FROM here WHERE event_id = $3)
UNION ALL SELECT 'exception', series_key, NULL, NULL, 0, body FROM exception
UNION ALL SELECT 'zone', id, time_zone, body ->> 'owner', 0, NULL FROM calendars WHERE id IN (
  SELECT jsonb_object_keys(body -> 'copies') FROM event UNION SELECT jsonb_object_keys(body -> 'copies') FROM exception
  UNION SELECT calendar_id FROM guest UNION SELECT unnest($9::text[]))
UNION ALL SELECT 'request', fingerprint, NULL, NULL, 0, outcome FROM requests WHERE key = $7 AND until > $8`;

/** Loads what a target names, and the time zones of more calendars that the change may be about. */
export function loadStatement(target: ChangeTarget, now: number, calendarIds: readonly string[]): Statement {
  const { calendar, eventId, seriesId = '', iCalUID = '', guests, request, divides = false } = target;
  const ids = [eventId, seriesId, iCalUID].map(indexKey);
  const named = instanceKeys(eventId);
  return { name: 'load for change', text, values: [...refValues(calendar), ...ids, guests.map(lookupKey), request?.key ?? null, now, calendarIds, ...named, divides] };
}

/** The series and the original start that an id speaks of, if it is that of an instance, to look them up by. */
export function instanceKeys(eventId: string): readonly [seriesId: string, original: string] {
  const { seriesId = '', original = '' } = instanceOf(eventId) ?? {};
  return [indexKey(seriesId), original];
}

export function readLoaded(rows: readonly Row[], { eventId, seriesId, guests: asked, divides }: ChangeTarget): Loaded {
  const of = (kind: string): Row[] => rows.filter((row) => row.kind === kind);
  const events = new Map(of('event').map(({ a, n, body }) => [a as string, { record: recordFrom(body), exceptionRevision: n as number }]));
  const record = (key: unknown): EventRecord | undefined => events.get(key as string)?.record;
  const at = (id = ''): Row | undefined => of('here').find(({ a }) => a === indexKey(id));
  const [calendar] = of('calendar');
  const [request] = of('request');
  const seriesThere = new Map(of('series there').map(({ a, b }) => [a, b as string]));
  const holders = new Map(of('guest').map(({ a, b, c }) => [a as string, { calendarId: b as string, holder: record(c), seriesKey: seriesThere.get(a) }]));
  const event = at(eventId);
  const uidKeys = of('uid').map(({ a }) => a as string);
  const exceptions = new Map([...grouped(of('exception'), ({ a }) => a as string)].map(([key, found]) => [key, found.map(({ body }) => recordFrom(body))]));
  const series = record(event?.c ?? at(seriesId)?.b);
  const owners = new Map(of('zone').map(({ a, c }) => [a as string, c as string]));
  return {
    found: {
      calendar: calendar && calendarFrom(calendar.body),
      event: record(event?.b),
      series,
      ofSeries: (divides && series && exceptions.get(series.key)) || [],
      exceptions: (of('exceptions')[0]?.n ?? 0) as number,
      sameUid: uidKeys.flatMap((key) => record(key) ?? []),
      guests: new Map(asked.flatMap((guest): [string, GuestCalendar][] => {
        const holder = holders.get(guest);
        return holder ? [[guest, holder]] : [];
      })),
      ownerOf: (calendarId) => (calendarId === calendar?.a ? calendarFrom(calendar.body).owner : owners.get(calendarId)),
      earlier: request && earlierFrom(request.a, request.body),
    },
    exceptionRevisions: new Map([...events].map(([key, { exceptionRevision }]) => [key, exceptionRevision])),
    exceptions,
    zones: new Map([...of('calendar'), ...of('zone')].map(({ a, b }) => [a as string, b as string])),
    uidKeys,
  };
}

export const recordFrom = (body: unknown): EventRecord => fromStored<EventRecord>(body);
