import { addressKey } from './0004-visibility-and-addresses.ts';

/** Guests' addresses (`addressKey`) as a separate column, so that its index changes only with the guest list. */
const guests = `nullif(${addressKey("jsonb_path_query_array(body, '$.core.attendees[*].email')::text")}, '[]')::jsonb`;
/** Whether the calendar's zone decides when an event takes place (`hasDays`). */
const hasDays = `(jsonb_path_exists(body, '$.core.*.date ? (@ != null)') OR jsonb_path_exists(body, '$.copies.*.remains.*.date')
  OR coalesce(body #>> '{instance,original}' NOT LIKE '%T%', false))`;

/** Adds what changing and deleting calendars needs. */
export const changingCalendars: readonly string[] = [
  `ALTER TABLE events ADD COLUMN guests jsonb GENERATED ALWAYS AS (${guests}) STORED, ADD COLUMN has_days boolean GENERATED ALWAYS AS (${hasDays}) STORED`,
  `CREATE INDEX events_by_guest ON events USING gin (guests jsonb_path_ops) WHERE guests IS NOT NULL`,
  // COLLATE "C": the same order in every locale.
  `CREATE INDEX calendars_by_id ON calendars (id COLLATE "C")`,
  // Deleted calendars, whose ids stay used. A background job cleans up their events.
  `CREATE TABLE removed_calendars (id text PRIMARY KEY, body jsonb NOT NULL, time_zone text NOT NULL, changes bigint NOT NULL, removed_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX removed_calendars_by_time ON removed_calendars (removed_at)`,
  `CREATE TABLE calendar_jobs (
    calendar_id text, kind text, owner text NOT NULL, send_updates text NOT NULL, left_at double precision NOT NULL, progress text,
    due double precision NOT NULL, PRIMARY KEY (calendar_id, kind))`,
  `CREATE INDEX calendar_jobs_by_time ON calendar_jobs (due)`,
];
