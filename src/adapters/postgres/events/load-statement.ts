import type { ChangeTarget } from '../../../event/event.store.ts';
import { instanceOf } from '../../../event/model/record.ts';
import { calendarText } from '../calendars/calendar-load.ts';
import type { Statement } from '../database.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { mailTexts } from './event-mails.ts';
import { namedByText, type Parameter } from '../named-by-text.ts';

/** The exception at an original start of the series of an entry. OFFSET keeps it from being looked for by the start alone. */
export const exceptionOf = (entry: string, original: string, home = `${entry}.home_id`): string =>
  `(SELECT * FROM events WHERE home_id = ${home} AND series_key = ${entry}.key AND original = ${original} OFFSET 0)`;

/** The series and the original start that an id speaks of, if it is that of an instance, to look them up by. */
export function instanceKeys(eventId: string): readonly [seriesId: string, original: string] {
  const { seriesId = '', original = '' } = instanceOf(eventId) ?? {};
  return [indexKey(seriesId), original];
}

/**
 * Loads what a target names, and the time zones of more calendars that the change may be about: in one statement, so that all
 * of it is of one moment. What a target does not name has no part in the text: each form is planned once.
 */
export const loadStatement = (target: ChangeTarget, now: number, calendarIds: readonly string[]): Statement =>
  namedByText('load for change', (parameter) => textFor(target, now, calendarIds, parameter));

function textFor(
  { calendar, eventId, seriesId, iCalUID, guests, request, divides, mailsBy }: ChangeTarget,
  now: number,
  calendarIds: readonly string[],
  parameter: Parameter,
): string {
  const event = parameter(indexKey(eventId), 'text');
  const series = seriesId === undefined ? undefined : parameter(indexKey(seriesId), 'text');
  const [named, original] = instanceOf(eventId)
    ? instanceKeys(eventId).map((key) => parameter(key, 'text'))
    : [];
  const hasGuests = guests.length > 0;
  const parts = {
    cal: calendarText(calendar, parameter),
    placed: `SELECT p.event_id, p.home_id, p.key, p.series_key FROM cal JOIN places p ON p.calendar_id = cal.id AND p.event_id IN (${[event, series, named].filter(isGiven).join(', ')})`,
    // An exception is found by its series and its original start where the series is, also where it has left the calendar.
    here:
      named && original
        ? `SELECT * FROM placed UNION ALL SELECT ${event}, x.home_id, x.key, x.series_key FROM placed s
      CROSS JOIN LATERAL ${exceptionOf('s', original)} AS x WHERE s.event_id = ${named} AND NOT EXISTS (SELECT FROM placed WHERE event_id = ${event})`
        : 'SELECT * FROM placed',
    uid:
      iCalUID === undefined
        ? undefined
        : `SELECT p.home_id, p.key FROM cal JOIN places p ON p.calendar_id = cal.id AND p.ical_uid = ${parameter(indexKey(iCalUID), 'text')}`,
    guest: hasGuests
      ? guestText(parameter(guests.map(lookupKey), 'text[]'), event, named, original)
      : undefined,
    root: `SELECT home_id, key FROM here WHERE event_id IN (${[event, divides ? series : undefined].filter(isGiven).join(', ')})${hasGuests ? ' UNION SELECT home_id, key FROM guest WHERE key IS NOT NULL' : ''}`,
    event: `SELECT e.* FROM events e JOIN (
      SELECT home_id, key FROM here UNION SELECT home_id, series_key FROM here WHERE series_key IS NOT NULL
      ${iCalUID === undefined ? '' : 'UNION SELECT home_id, key FROM uid'}
      ${hasGuests ? 'UNION SELECT home_id, key FROM root UNION SELECT home_id, series_key FROM guest WHERE series_key IS NOT NULL' : ''}
    ) w ON e.home_id = w.home_id AND e.key = w.key`,
    exception:
      'SELECT x.series_key, x.body FROM root JOIN events x ON x.home_id = root.home_id AND x.series_key = root.key',
  };
  const calendars = [
    "SELECT jsonb_object_keys(body -> 'copies') FROM event",
    "SELECT jsonb_object_keys(body -> 'copies') FROM exception",
    ...(hasGuests ? ['SELECT calendar_id FROM guest'] : []),
    ...(calendarIds.length > 0 ? [`SELECT unnest(${parameter(calendarIds, 'text[]')})`] : []),
  ];
  const found = [
    `SELECT 'calendar' AS kind, id AS a, time_zone AS b, NULL AS c, 0 AS n, body FROM cal`,
    `SELECT 'here', event_id, key, series_key, 0, NULL FROM here`,
    ...(iCalUID === undefined ? [] : [`SELECT 'uid', key, NULL, NULL, 0, NULL FROM uid`]),
    ...(hasGuests ? [`SELECT 'guest', owner_key, calendar_id, key, 0, NULL FROM guest`] : []),
    ...(hasGuests && series
      ? [
          `SELECT 'series there', g.owner_key, p.key, NULL, 0, NULL FROM guest g JOIN places p ON p.calendar_id = g.calendar_id AND p.event_id = ${series}`,
        ]
      : []),
    `SELECT 'event', key, NULL, NULL, family, body FROM event`,
    ...(series
      ? [
          `SELECT 'exceptions', NULL, NULL, NULL, (count(*) FILTER (WHERE x.body -> 'instance' -> 'emptied' IS NULL))::int, NULL FROM placed s JOIN events x ON x.home_id = s.home_id AND x.series_key = s.key
      WHERE s.event_id = ${series} AND NOT EXISTS (SELECT FROM here h JOIN event e ON e.home_id = h.home_id AND e.key = h.key WHERE h.event_id = ${event} AND e.body -> 'instance' -> 'emptied' IS NULL)`,
        ]
      : []),
    `SELECT 'exception', series_key, NULL, NULL, 0, body FROM exception`,
    // One by one: a plan that was made for few calendars reads all of them.
    `SELECT 'zone', c.id, c.time_zone, c.body ->> 'owner', 0, NULL FROM (${calendars.join(' UNION ')}) AS k (id) CROSS JOIN LATERAL (SELECT * FROM calendars WHERE id = k.id OFFSET 0) AS c`,
    ...(request
      ? [
          `SELECT 'request', fingerprint, NULL, NULL, 0, outcome FROM requests WHERE key = ${parameter(request.key, 'text')} AND until > ${parameter(now, 'bigint')}`,
        ]
      : []),
    ...(mailsBy === undefined ? [] : mailTexts(mailsBy, parameter)),
  ];
  const ctes = Object.entries(parts).flatMap(([name, part]) =>
    part === undefined ? [] : [`${name} AS MATERIALIZED (${part})`],
  );
  return `WITH ${ctes.join(', ')}\n${found.join('\nUNION ALL ')}`;
}

const isGiven = (placeholder: string | undefined): placeholder is string => placeholder !== undefined;

/** The guests' calendars, and what these have under the event's id. */
const guestText = (
  guests: string,
  event: string,
  named: string | undefined,
  original: string | undefined,
): string =>
  named && original
    ? `SELECT g.owner_key, g.calendar_id, coalesce(p.home_id, x.home_id) AS home_id, coalesce(p.key, x.key) AS key, coalesce(p.series_key, x.series_key) AS series_key
  FROM primaries g LEFT JOIN places p ON p.calendar_id = g.calendar_id AND p.event_id = ${event}
    LEFT JOIN places s ON s.calendar_id = g.calendar_id AND s.event_id = ${named} AND p.key IS NULL
    LEFT JOIN LATERAL ${exceptionOf('s', original)} AS x ON true
  WHERE g.owner_key = ANY (${guests})`
    : `SELECT g.owner_key, g.calendar_id, p.home_id, p.key, p.series_key
  FROM primaries g LEFT JOIN places p ON p.calendar_id = g.calendar_id AND p.event_id = ${event} WHERE g.owner_key = ANY (${guests})`;
