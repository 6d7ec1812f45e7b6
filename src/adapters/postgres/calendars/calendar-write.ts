import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord } from '../../../calendar/calendar.ts';
import type {
  CalendarChange,
  CalendarJob,
  CalendarState,
  CalendarTarget,
} from '../../../calendar/calendar.store.ts';
import type { Database, Statement } from '../database.ts';
import { countMade } from '../made.ts';
import { rememberRequest } from '../request-records.ts';
import { toStored } from '../stored-json.ts';
import { counting } from '../transaction.ts';
import { addressKey as keyOf } from '../migrations/0004-visibility-and-addresses.ts';
import type { LoadedCalendar } from './calendar-load.ts';

/** How what may stand on other shards than the calendar is written. */
export interface WritesElsewhere {
  takeAccess(identities: readonly string[], calendarId: string): readonly Statement[];
  giveAccess(identities: readonly string[], calendarId: string): readonly Statement[];
  /** Chooses somebody's primary calendar once a calendar has become what it is to be. */
  choosePrimary(owner: string, calendarId: string, next: CalendarRecord | undefined): readonly Statement[];
  /** Forgets what other calendars show of events that were kept with an earlier calendar of an id. */
  forgetEntries(calendarId: string): readonly Statement[];
}

export interface CalendarWriting {
  readonly database: Database;
  readonly now: number;
  readonly elsewhere?: WritesElsewhere | undefined;
}

/** Statements that store a change; they fail where the calendar is stored otherwise by now. */
export function writeCalendar<T>(
  { maker, request }: CalendarTarget,
  change: CalendarChange<T>,
  { state, body, earlierChanges }: LoadedCalendar,
  { database, now, elsewhere = ofOneServer }: CalendarWriting,
): Statement[] {
  const { next, removes, job, outcome } = change;
  const { calendar: before, madeToday } = state;
  return [
    ...(next && !before
      ? [...insertion(next, earlierChanges, elsewhere), ...countMade('calendar', maker, madeToday)]
      : []),
    ...(next && before && body !== undefined ? [replacement(next, body)] : []),
    ...(removes && before && body !== undefined ? removal(before, body) : []),
    ...accessChanges(before, becomes(change, state), elsewhere),
    ...ownersChanged(change, state).flatMap((owner) =>
      elsewhere.choosePrimary(owner, (next ?? before)?.id ?? '', becomes(change, state)),
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
  elsewhere: WritesElsewhere,
): Statement[] => [
  ...(earlierChanges === undefined ? [] : forget(next.id, elsewhere)),
  {
    name: 'insert calendar',
    text: 'INSERT INTO calendars (id, body, time_zone, added, changes) VALUES ($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $4)',
    values: [next.id, toStored(next), next.timeZone, (earlierChanges ?? -1) + 1],
  },
  // Others may have made and removed it meanwhile.
  {
    name: 'allow calendar',
    text: counting(
      'DELETE FROM removed_calendars WHERE id = $1 RETURNING changes',
      '$2 AND coalesce(max(changes), $3) = $3',
    ),
    values: [next.id, earlierChanges === undefined ? 0 : 1, earlierChanges ?? 0],
  },
];

// A change of the record tells all gateways, as one of an event does.
const replacement = (next: CalendarRecord, body: string): Statement => ({
  name: 'replace calendar',
  text: counting(
    'UPDATE calendars SET body = $2, time_zone = $3, changes = changes + 1, changed_at = now() WHERE id = $1 AND body = $4::jsonb RETURNING 1',
    '1',
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
    text: counting('DELETE FROM calendars WHERE id = $1 AND body = $2::jsonb RETURNING 1', '1'),
    values: [id, body],
  },
  { name: 'end jobs', text: 'DELETE FROM calendar_jobs WHERE calendar_id = $1', values: [id] },
];

/** What an earlier calendar of the same id has left: its events on all calendars, and what it showed of others. */
const forget = (id: string, elsewhere: WritesElsewhere): Statement[] => [
  ...elsewhere.forgetEntries(id),
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
  elsewhere: WritesElsewhere,
): readonly Statement[] {
  const id = (next ?? before)?.id ?? '';
  const [then, now] = [identitiesOf(before), identitiesOf(next)];
  const [gone, come] = [[...then].filter((one) => !now.has(one)), [...now].filter((one) => !then.has(one))];
  return [
    ...(gone.length > 0 ? elsewhere.takeAccess(gone, id) : []),
    ...(come.length > 0 ? elsewhere.giveAccess(come, id) : []),
  ];
}

const addition = (job: CalendarJob, now: number): Statement => ({
  name: 'leave job',
  text: `INSERT INTO calendar_jobs (calendar_id, kind, owner, send_updates, left_at, due) VALUES ($1, $2, $3, $4, $5, $5)
    ON CONFLICT (calendar_id, kind) DO UPDATE SET owner = excluded.owner, send_updates = excluded.send_updates, left_at = excluded.left_at, due = excluded.due, progress = NULL`,
  values: [job.calendarId, job.kind, job.owner, job.kind === 'remove' ? job.sendUpdates : 'none', now],
});

/** Where all rows stand together: in statements that find for themselves what they write. */
const ofOneServer: WritesElsewhere = {
  takeAccess: (identities, id) => [
    {
      name: 'take access',
      text: 'DELETE FROM access WHERE identity = ANY ($1::text[]) AND calendar_id = $2',
      values: [identities, id],
    },
  ],
  giveAccess: (identities, id) => [
    {
      name: 'give access',
      text: 'INSERT INTO access SELECT identity, $2 FROM unnest($1::text[]) AS identity ON CONFLICT DO NOTHING',
      values: [identities, id],
    },
  ],
  choosePrimary: (owner) => [
    // Others who change whose calendars there are take turns: each sees what the one before has left.
    {
      name: 'lock primary',
      text: 'SELECT calendar_id FROM primaries WHERE owner_key = $1 FOR UPDATE',
      values: [owner],
    },
    {
      name: 'no other primary',
      text: `DELETE FROM primaries p WHERE owner_key = $1 AND NOT EXISTS (SELECT FROM calendars c WHERE c.id = p.calendar_id AND ${keyOf("c.body ->> 'owner'")} = $1)`,
      values: [owner],
    },
    {
      name: 'choose primary',
      text: `INSERT INTO primaries SELECT $1, c.id FROM access a JOIN calendars c ON c.id = a.calendar_id
        WHERE a.identity = $1 AND ${keyOf("c.body ->> 'owner'")} = $1 AND (${keyOf('c.id')} = $1 OR NOT jsonb_exists(c.body, 'neverPrimary'))
        ORDER BY (${keyOf('c.id')} = $1) DESC, c.added LIMIT 1
        ON CONFLICT (owner_key) DO UPDATE SET calendar_id = excluded.calendar_id WHERE ${keyOf('excluded.calendar_id')} = $1`,
      values: [owner],
    },
  ],
  forgetEntries: (id) => [
    {
      name: 'forget entries elsewhere',
      // An exception stands wherever its series does.
      text: `DELETE FROM places p USING (
        SELECT e.key, c.calendar_id FROM events e LEFT JOIN events s ON s.home_id = e.home_id AND s.key = e.series_key,
          jsonb_object_keys(coalesce(s.body -> 'copies', '{}') || (e.body -> 'copies')) AS c (calendar_id) WHERE e.home_id = $1
      ) AS f WHERE p.calendar_id = f.calendar_id AND p.key = f.key`,
      values: [id],
    },
  ],
};
