import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord, CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { madeCount } from '../made.ts';
import { namedByText, type Parameter } from '../named-by-text.ts';
import { addressKey as keyOf } from '../migrations/0004-visibility-and-addresses.ts';
import { earlierFrom } from '../request-records.ts';
import { rowsOfCalendars } from '../spread/find-calendars.ts';
import { fromStored } from '../stored-json.ts';

/** A calendar, and how far its changes had come when it was read. */
export interface FoundCalendar {
  readonly record: CalendarRecord;
  readonly changes: number;
}

export const calendarFrom = (body: unknown): CalendarRecord => fromStored<CalendarRecord>(body);

/** A query for the calendar of a reference. */
export function calendarText(ref: CalendarRef, parameter: Parameter): string {
  if ('removedId' in ref)
    return `SELECT id, body, time_zone, 0::bigint AS changes FROM removed_calendars WHERE id = ${parameter(lookupKey(ref.removedId), 'text')}`;
  const id =
    'id' in ref
      ? parameter(lookupKey(ref.id), 'text')
      : `(SELECT calendar_id FROM primaries WHERE owner_key = ${parameter(lookupKey(addressKey(ref.primaryOf)), 'text')})`;
  return `SELECT id, body, time_zone, changes FROM calendars WHERE id = ${id}`;
}

// The ways to refer to a calendar as parameters, of which one is not null.
const asked = (ref: CalendarRef): readonly (string | null)[] => [
  'id' in ref ? lookupKey(ref.id) : null,
  'primaryOf' in ref ? lookupKey(addressKey(ref.primaryOf)) : null,
];

const find: Omit<Statement, 'values'> = {
  name: 'calendars',
  text: `SELECT c.body, c.changes FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (id, owner_key, place)
    LEFT JOIN primaries p ON p.owner_key = asked.owner_key
    LEFT JOIN calendars c ON c.id = coalesce(asked.id, p.calendar_id) ORDER BY place`,
};

// Most requests are about one.
const findById: Omit<Statement, 'values'> = { name: 'calendar', text: calendarText({ id: '' }, () => '$1') };
const findByOwner: Omit<Statement, 'values'> = {
  name: 'calendar by owner',
  text: calendarText({ primaryOf: '' }, () => '$1'),
};

/** Finds the calendars that are referred to: a row for each, but none for a single one that is not there. */
export function findStatement(refs: readonly CalendarRef[]): Statement {
  const [first, ...others] = refs;
  const [id, owner] = first ? asked(first) : [];
  if (others.length === 0 && typeof id === 'string') return { ...findById, values: [id] };
  if (others.length === 0 && typeof owner === 'string') return { ...findByOwner, values: [owner] };
  const values = refs.map(asked);
  return { ...find, values: [values.map(([id]) => id), values.map(([, owner]) => owner)] };
}

export const foundCalendar = (row: Row | undefined): FoundCalendar | undefined =>
  row === undefined || row.body === null
    ? undefined
    : { record: calendarFrom(row.body), changes: row.changes as number };

export async function findCalendars(
  database: Database,
  refs: readonly CalendarRef[],
): Promise<(FoundCalendar | undefined)[]> {
  if (refs.length === 0) return [];
  const rows = database.isSpread
    ? await rowsOfCalendars(database, refs)
    : await database.query(findStatement(refs));
  return refs.map((_ref, index) => foundCalendar(rows[index]));
}

/** What a change is decided on, and what is needed to store it. */
export interface LoadedCalendar {
  readonly state: CalendarState;
  /** As it is stored. */
  readonly body: string | undefined;
  /** Of an earlier calendar of the same id: how far its changes had come. */
  readonly earlierChanges: number | undefined;
}

/** The entries of a calendar that begin or end with a day, with their records, as `p`, `e` and `s`. */
export const dailyIn = (
  calendar: string,
): string => `FROM places p JOIN events e ON e.home_id = p.home_id AND e.key = p.key
  LEFT JOIN events s ON s.home_id = p.home_id AND s.key = p.series_key WHERE p.calendar_id = ${calendar} AND (e.has_days OR s.has_days)`;

/** One statement, so that all of it is of one moment. */
export const loadCalendar = (
  { calendar, maker, countsDays, request }: CalendarTarget,
  now: number,
): Statement =>
  namedByText('load calendar', (parameter) => {
    const removed =
      'id' in calendar
        ? `SELECT 'removed', NULL, changes, NULL FROM removed_calendars WHERE id = ${parameter(lookupKey(calendar.id), 'text')}`
        : undefined;
    const parts = [
      `SELECT 'calendar' AS kind, body, changes AS n, NULL AS a FROM (${calendarText(calendar, parameter)}) AS c`,
      ...(countsDays
        ? [
            `SELECT 'days', NULL, (SELECT count(*) FROM (SELECT ${dailyIn('c.id')} LIMIT ${parameter(countsDays.to, 'bigint')}) AS d), NULL
      FROM (${calendarText(calendar, parameter)}) AS c WHERE c.time_zone <> ${parameter(countsDays.zone, 'text')}`,
          ]
        : []),
      ...(removed ? [removed] : []),
      ...(maker
        ? [
            `SELECT 'made', NULL, count::bigint, NULL FROM (${madeCount('calendar', parameter(maker.identity, 'text'), parameter(maker.day, 'text'))}) AS m`,
            `SELECT 'owned', NULL, count(*), NULL FROM access a JOIN calendars c ON c.id = a.calendar_id
        WHERE a.identity = ${parameter(maker.identity, 'text')} AND ${keyOf("c.body ->> 'owner'")} = a.identity`,
          ]
        : []),
      ...(request
        ? [
            `SELECT 'request', outcome, 0, fingerprint FROM requests WHERE key = ${parameter(request.key, 'text')} AND until > ${parameter(now, 'bigint')}`,
          ]
        : []),
    ];
    return parts.join('\nUNION ALL ');
  });

export function readCalendar(rows: readonly Row[]): LoadedCalendar {
  const of = (kind: string): Row | undefined => rows.find((row) => row.kind === kind);
  const [calendar, removed, request] = [of('calendar'), of('removed'), of('request')];
  return {
    state: {
      calendar: calendar && calendarFrom(calendar.body),
      wasRemoved: removed !== undefined,
      madeToday: (of('made')?.n ?? 0) as number,
      owned: (of('owned')?.n ?? 0) as number,
      allDayEvents: (of('days')?.n ?? 0) as number,
      earlier: request && earlierFrom(request.a, request.body),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.n as number | undefined,
  };
}
