import { type Database, sql, type Statement } from '../database.ts';
import { assertRowCount, checked } from '../transaction.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type {
  CalendarChange,
  CalendarJob,
  CalendarState,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import { countMade, rememberRequest } from '../request-records.ts';
import { toStored } from '../stored-json.ts';
import type { LoadedCalendar } from './load.ts';
import { choosePrimary, type OtherShardState } from './primaries.ts';

interface CalendarWriting {
  readonly database: Database;
  readonly now: number;
  readonly others: OtherShardState;
}

/** Statements that store a change; they fail where the calendar is stored otherwise by now. */
export function writeCalendar<T>(
  { maker, request }: CalendarTarget,
  change: CalendarChange<T>,
  { state, body, earlierChanges }: LoadedCalendar,
  { database, now, others }: CalendarWriting,
): Statement[] {
  const { next, removes, job, outcome } = change;
  const { calendar: before, madeToday } = state;
  return [
    ...(next && !before
      ? [
          ...insertion(next, earlierChanges, others),
          ...(maker ? [countMade('calendar', maker, madeToday)] : []),
        ]
      : []),
    ...(next && before && body !== undefined ? [replacement(next, body)] : []),
    ...(removes && before && body !== undefined ? removal(before, body) : []),
    ...accessChanges(before, becomes(change, state)),
    ...ownersChanged(change, state).flatMap((owner) =>
      others.choices
        .filter((one) => one.owner === owner)
        .flatMap((one) => choosePrimary(one, (next ?? before)?.id ?? '', becomes(change, state))),
    ),
    ...(job ? [addition(job, now)] : []),
    ...rememberRequest(request, { database, outcome, now, kind: 'calendar' }),
  ];
}

/** What a calendar becomes. */
const becomes = <T>(
  { next, removes }: CalendarChange<T>,
  { calendar }: CalendarState,
): CalendarRecord | undefined => (removes ? undefined : (next ?? calendar));

/** The owners who come to own a calendar by a change, or own it no more. */
export function ownersChanged<T>(change: CalendarChange<T>, state: CalendarState): string[] {
  const owners = new Set([state.calendar, becomes(change, state)].map((one) => one && addressKey(one.owner)));
  return owners.size > 1 ? [...owners].flatMap((owner) => owner ?? []) : [];
}

/** In the order of time: no two are added in the same microsecond of one gateway, and their order does not matter otherwise. */
const insertion = (
  next: CalendarRecord,
  earlierChanges: number | undefined,
  others: OtherShardState,
): Statement[] => [
  ...(earlierChanges === undefined ? [] : forget(next.id, others)),
  sql`/* insert calendar */ INSERT INTO calendars (id, body, time_zone, added, changes)
    VALUES (${next.id}, ${toStored(next)}, ${next.timeZone}, (extract(epoch
      FROM clock_timestamp()) * 1000000)::bigint, ${(earlierChanges ?? -1) + 1})`,
  // Others may have made and removed it meanwhile.
  {
    name: 'allow calendar',
    text: assertRowCount(
      'DELETE FROM removed_calendars WHERE id = $1 RETURNING changes',
      '$2 AND coalesce(max(changes), $3) = $3',
    ),
    values: [next.id, earlierChanges === undefined ? 0 : 1, earlierChanges ?? 0],
  },
];

// A change of the record tells all gateways, as one of an event does.
const replacement = (next: CalendarRecord, body: string): Statement =>
  checked(
    sql`/* replace calendar */ UPDATE calendars
      SET body = ${toStored(next)}, time_zone = ${next.timeZone}, changes = changes + 1, changed_at = now()
      WHERE id = ${next.id} AND body = ${body}::jsonb RETURNING 1`,
  );

const removal = ({ id, timeZone }: CalendarRecord, body: string): Statement[] => [
  sql`/* note removed calendar */ INSERT INTO removed_calendars (id, body, time_zone, changes)
    SELECT id, ${body}, ${timeZone}, changes FROM calendars WHERE id = ${id}
      ON CONFLICT (id) DO UPDATE
    SET body = excluded.body, time_zone = excluded.time_zone, changes = excluded.changes, removed_at = excluded.removed_at`,
  checked(
    sql`/* remove calendar */ DELETE FROM calendars WHERE id = ${id} AND body = ${body}::jsonb RETURNING 1`,
  ),
  sql`/* end jobs */ DELETE FROM calendar_jobs WHERE calendar_id = ${id}`,
];

/** What an earlier calendar of the same id has left: its events on all calendars, and what it showed of others. */
const forget = (id: string, { entries = [] }: OtherShardState): Statement[] => [
  ...entries.map(
    ({ calendar_id: calendar, keys }) =>
      sql`/* forget entries of events */ DELETE FROM places WHERE calendar_id = ${calendar} AND key = ANY (${keys}::text[])`,
  ),
  sql`/* forget entries */ DELETE FROM places WHERE calendar_id = ${id}`,
  sql`/* forget events */ DELETE FROM events WHERE home_id = ${id}`,
  sql`/* end jobs */ DELETE FROM calendar_jobs WHERE calendar_id = ${id}`,
];

const identitiesOf = (calendar: CalendarRecord | undefined): Set<string> =>
  new Set(calendar ? [calendar.owner, ...calendar.acl.map(({ email }) => email)].map(addressKey) : []);

/** Who may use it. */
function accessChanges(
  before: CalendarRecord | undefined,
  next: CalendarRecord | undefined,
): readonly Statement[] {
  const id = (next ?? before)?.id ?? '';
  const [then, now] = [identitiesOf(before), identitiesOf(next)];
  return [
    ...[...then].filter((one) => !now.has(one)).map((identity) => takeAccess(identity, id)),
    ...[...now].filter((one) => !then.has(one)).map((identity) => giveAccess(identity, id)),
  ];
}

const takeAccess = (identity: string, id: string): Statement =>
  sql`/* take access */ DELETE FROM access WHERE identity = ${identity} AND calendar_id = ${id}`;

const giveAccess = (identity: string, id: string): Statement =>
  sql`/* give access */ INSERT INTO access (identity, calendar_id) VALUES (${identity}, ${id}) ON CONFLICT DO NOTHING`;

const addition = (
  job: CalendarJob,
  now: number,
) => sql`/* leave job */ INSERT INTO calendar_jobs (calendar_id, kind, owner, send_updates, left_at, due)
    VALUES (${job.calendarId}, ${job.kind}, ${job.owner}, ${job.kind === 'remove' ? job.sendUpdates : 'none'}, ${now}, $5)
    ON CONFLICT (calendar_id, kind) DO UPDATE
    SET owner = excluded.owner, send_updates = excluded.send_updates, left_at = excluded.left_at, due = excluded.due, progress = NULL`;
