import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type {
  CalendarChange,
  CalendarJob,
  CalendarState,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Database, Statement } from '../database.ts';
import { countMade, rememberRequest } from '../request-records.ts';
import { toStored } from '../stored-json.ts';
import { assertRowCount } from '../transaction.ts';
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
      ? [...insertion(next, earlierChanges, others), ...countMade('calendar', maker, madeToday)]
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
    ...(outcome !== undefined && request
      ? rememberRequest(request, { database, outcome, now, kind: 'calendar' })
      : []),
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
  {
    name: 'insert calendar',
    text: 'INSERT INTO calendars (id, body, time_zone, added, changes) VALUES ($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $4)',
    values: [next.id, toStored(next), next.timeZone, (earlierChanges ?? -1) + 1],
  },
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
const replacement = (next: CalendarRecord, body: string): Statement => ({
  name: 'replace calendar',
  text: assertRowCount(
    'UPDATE calendars SET body = $2, time_zone = $3, changes = changes + 1, changed_at = now() WHERE id = $1 AND body = $4::jsonb RETURNING 1',
  ),
  values: [next.id, toStored(next), next.timeZone, body],
});

const removal = ({ id, timeZone }: CalendarRecord, body: string): Statement[] => [
  {
    name: 'note removed calendar',
    text: `INSERT INTO removed_calendars (id, body, time_zone, changes) SELECT id, $2, $3, changes FROM calendars WHERE id = $1
      ON CONFLICT (id) DO UPDATE SET body = excluded.body, time_zone = excluded.time_zone, changes = excluded.changes, removed_at = excluded.removed_at`,
    values: [id, body, timeZone],
  },
  {
    name: 'remove calendar',
    text: assertRowCount('DELETE FROM calendars WHERE id = $1 AND body = $2::jsonb RETURNING 1'),
    values: [id, body],
  },
  { name: 'end jobs', text: 'DELETE FROM calendar_jobs WHERE calendar_id = $1', values: [id] },
];

/** What an earlier calendar of the same id has left: its events on all calendars, and what it showed of others. */
const forget = (id: string, { entries = [] }: OtherShardState): Statement[] => [
  ...entries.map(({ calendar_id: calendar, keys }) => ({
    name: 'forget entries of events',
    text: 'DELETE FROM places WHERE calendar_id = $1 AND key = ANY ($2::text[])',
    values: [calendar, keys],
  })),
  { name: 'forget entries', text: 'DELETE FROM places WHERE calendar_id = $1', values: [id] },
  { name: 'forget events', text: 'DELETE FROM events WHERE home_id = $1', values: [id] },
  { name: 'end jobs', text: 'DELETE FROM calendar_jobs WHERE calendar_id = $1', values: [id] },
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

const takeAccess = (identity: string, id: string): Statement => ({
  name: 'take access',
  text: 'DELETE FROM access WHERE identity = $1 AND calendar_id = $2',
  values: [identity, id],
});

const giveAccess = (identity: string, id: string): Statement => ({
  name: 'give access',
  text: 'INSERT INTO access (identity, calendar_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
  values: [identity, id],
});

const addition = (job: CalendarJob, now: number): Statement => ({
  name: 'leave job',
  text: `INSERT INTO calendar_jobs (calendar_id, kind, owner, send_updates, left_at, due) VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (calendar_id, kind) DO UPDATE SET owner = excluded.owner, send_updates = excluded.send_updates, left_at = excluded.left_at, due = excluded.due, progress = NULL`,
  values: [job.calendarId, job.kind, job.owner, job.kind === 'remove' ? job.sendUpdates : 'none', now],
});
