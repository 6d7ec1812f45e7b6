import { sql, type Statement } from '../database.ts';
import { assertRowCount, withRowCountCheck } from '../transaction.ts';
import { addressKey } from '../../../core/text/email.ts';
import {
  type CalendarRecord,
  type CalendarDecision,
  type CalendarJob,
  type CalendarTarget,
  findPrimary,
} from '../../../calendar/calendar.store.ts';
import { storeRequest } from '../request-records.ts';
import { incrementCreationCount } from '../quota-counts.ts';
import { serializeRecord } from '../stored-json.ts';
import { type LoadedCalendar, calendarAfter, changedOwners, type OtherShardState } from './load.ts';

/** Statements that store a change; they fail if the calendar was changed meanwhile. */
export function writeCalendar<T>(
  { quotaKey, request }: CalendarTarget,
  change: CalendarDecision<T>,
  { state, body, earlierChanges }: LoadedCalendar,
  otherShards: OtherShardState,
  now: number,
): Statement[] {
  const { next, removes, job, outcome } = change;
  const { calendar: previousCalendar, createdToday } = state;
  const nextCalendar = calendarAfter(change, state);
  return [
    ...(next && !previousCalendar
      ? [
          ...insertCalendar(next, earlierChanges, otherShards),
          ...(quotaKey ? [incrementCreationCount('calendar', quotaKey, createdToday)] : []),
        ]
      : []),
    ...(next && previousCalendar && body !== undefined ? [updateCalendar(next, body)] : []),
    ...(removes && previousCalendar && body !== undefined ? removeCalendar(previousCalendar, body) : []),
    ...updateAccess(previousCalendar, nextCalendar),
    ...changedOwners(change, state).flatMap((owner) =>
      updatePrimary(owner, otherShards, (next ?? previousCalendar)?.id ?? '', nextCalendar),
    ),
    ...(job ? [addJob(job, now)] : []),
    ...(request && outcome ? [storeRequest(request, 'calendar', outcome, now)] : []),
  ];
}

/** Inserts a calendar. `added`, by which calendars are sorted, is in microseconds, so that no two of one gateway are equal. */
const insertCalendar = (
  next: CalendarRecord,
  earlierChanges: number | undefined,
  otherShards: OtherShardState,
): Statement[] => [
  ...(earlierChanges === undefined ? [] : deleteLeftovers(next.id, otherShards)),
  sql`/* insert calendar */ INSERT INTO calendars (id, body, time_zone, added, changes)
    VALUES (${next.id}, ${serializeRecord(next)}, ${next.timeZone}, (extract(epoch
      FROM clock_timestamp()) * 1000000)::bigint, ${(earlierChanges ?? -1) + 1})`,
  // Fails if the calendar was created and deleted meanwhile.
  {
    name: 'allow calendar',
    text: assertRowCount(
      'DELETE FROM removed_calendars WHERE id = $1 RETURNING changes',
      '$2 AND coalesce(max(changes), $3) = $3',
    ),
    values: [next.id, earlierChanges === undefined ? 0 : 1, earlierChanges ?? 0],
  },
];

// `changes` and `changed_at` let all gateways see the change, as for events.
const updateCalendar = (next: CalendarRecord, body: string): Statement =>
  withRowCountCheck(
    sql`/* replace calendar */ UPDATE calendars
      SET body = ${serializeRecord(next)}, time_zone = ${next.timeZone}, changes = changes + 1, changed_at = now()
      WHERE id = ${next.id} AND body = ${body}::jsonb RETURNING 1`,
  );

const endJobs = (id: string): Statement =>
  sql`/* end jobs */ DELETE FROM calendar_jobs WHERE calendar_id = ${id}`;

/** Deletes a calendar with its jobs. Its record can still be read under `removedId`. */
const removeCalendar = ({ id, timeZone }: CalendarRecord, body: string): Statement[] => [
  sql`/* note removed calendar */ INSERT INTO removed_calendars (id, body, time_zone, changes)
    SELECT id, ${body}, ${timeZone}, changes FROM calendars WHERE id = ${id}
      ON CONFLICT (id) DO UPDATE
    SET body = excluded.body, time_zone = excluded.time_zone, changes = excluded.changes, removed_at = excluded.removed_at`,
  withRowCountCheck(
    sql`/* remove calendar */ DELETE FROM calendars WHERE id = ${id} AND body = ${body}::jsonb RETURNING 1`,
  ),
  endJobs(id),
];

/** Deletes the events of a deleted calendar with the same id from all calendars, and its entries of other events. */
const deleteLeftovers = (id: string, { oldEntries }: OtherShardState): Statement[] => [
  ...oldEntries.map(
    ({ calendar_id: calendarId, keys }) =>
      sql`/* forget entries of events */ DELETE FROM places WHERE calendar_id = ${calendarId} AND key = ANY (${keys}::text[])`,
  ),
  sql`/* forget entries */ DELETE FROM places WHERE calendar_id = ${id}`,
  sql`/* forget events */ DELETE FROM events WHERE home_id = ${id}`,
  endJobs(id),
];

/** Identities that own a calendar or are on its access list. */
const identitiesOf = (calendar: CalendarRecord | undefined): Set<string> =>
  new Set(calendar ? [calendar.owner, ...calendar.acl.map(({ email }) => email)].map(addressKey) : []);

/** Updates the table `access`, by which the calendars of an identity are found. */
function updateAccess(
  previousCalendar: CalendarRecord | undefined,
  next: CalendarRecord | undefined,
): readonly Statement[] {
  const id = (next ?? previousCalendar)?.id ?? '';
  const [oldIdentities, currentIdentities] = [identitiesOf(previousCalendar), identitiesOf(next)];
  const removed = [...oldIdentities].filter((identity) => !currentIdentities.has(identity));
  const added = [...currentIdentities].filter((identity) => !oldIdentities.has(identity));
  return [
    ...removed.map(
      (identity) =>
        sql`/* take access */ DELETE FROM access WHERE identity = ${identity} AND calendar_id = ${id}`,
    ),
    ...added.map(
      (identity) =>
        sql`/* give access */ INSERT INTO access (identity, calendar_id) VALUES (${identity}, ${id}) ON CONFLICT DO NOTHING`,
    ),
  ];
}

/** Adds a job that is due at once (`$5` is `now`), or starts one of the same kind again. */
const addJob = (
  job: CalendarJob,
  now: number,
) => sql`/* leave job */ INSERT INTO calendar_jobs (calendar_id, kind, owner, send_updates, left_at, due)
    VALUES (${job.calendarId}, ${job.kind}, ${job.owner}, ${job.kind === 'remove' ? job.sendUpdates : 'none'}, ${now}, $5)
    ON CONFLICT (calendar_id, kind) DO UPDATE
    SET owner = excluded.owner, send_updates = excluded.send_updates, left_at = excluded.left_at, due = excluded.due, progress = NULL`;

/** Updates an owner's primary calendar after a change of `changedCalendarId` to `next`. */
function updatePrimary(
  owner: string,
  { primaries, calendars }: OtherShardState,
  changedCalendarId: string,
  next: CalendarRecord | undefined,
): Statement[] {
  const otherCalendars = [...calendars.values()].filter(({ calendar }) => calendar.id !== changedCalendarId);
  const addedAtUs = calendars.get(changedCalendarId)?.addedAtUs ?? Infinity;
  const ownedCalendars = [...otherCalendars, ...(next ? [{ calendar: next, addedAtUs }] : [])]
    .filter(({ calendar }) => addressKey(calendar.owner) === owner)
    .sort((a, b) => a.addedAtUs - b.addedAtUs)
    .map(({ calendar }) => calendar);
  return replacePrimary(owner, primaries.get(owner), findPrimary(ownedCalendars)?.id);
}

/** Statements that fail unless the primary calendar is still `oldId`. */
function replacePrimary(owner: string, oldId: string | undefined, newId: string | undefined): Statement[] {
  if (oldId === newId) return [];
  if (oldId === undefined)
    return [
      sql`/* add primary */ INSERT INTO primaries (owner_key, calendar_id) VALUES (${owner}, ${newId})`,
    ];
  const replacement =
    newId === undefined
      ? sql`/* remove primary */ DELETE FROM primaries WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`
      : sql`/* replace primary */ UPDATE primaries SET calendar_id = ${newId}
        WHERE owner_key = ${owner} AND calendar_id = ${oldId} RETURNING 1`;
  return [withRowCountCheck(replacement)];
}
