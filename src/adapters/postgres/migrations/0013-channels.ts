/** Adds the channels of `watchCalendar`. */
export const channels: readonly string[] = [
  // Channels beside the rows of their calendars: one owes a message if `revision` is not the calendar's latest. `leased_until` is 0 unless a
  // gateway sends a message, whose number is `messages`.
  `CREATE TABLE channels (
    calendar_id text, identity text, id text, host text NOT NULL, expiration double precision NOT NULL, body jsonb NOT NULL,
    revision text NOT NULL, owes_sync boolean NOT NULL DEFAULT true, messages integer NOT NULL DEFAULT 1, failures integer NOT NULL DEFAULT 0,
    failing_since double precision, due double precision NOT NULL DEFAULT 0, leased_until double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (calendar_id, identity, id))`,
  `CREATE INDEX channels_by_expiration ON channels (expiration)`,
  // Definitions by creator, whose ids are unique and counted.
  `CREATE TABLE channel_ids (
    identity text, id text, expiration double precision NOT NULL, body jsonb NOT NULL, PRIMARY KEY (identity, id))`,
  `CREATE INDEX channel_ids_by_expiration ON channel_ids (expiration)`,
];
