/** The first tables. Each primary key begins with the distribution column of its table on a cluster. */
export const tables: readonly string[] = [
  `CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)`,
  `INSERT INTO settings VALUES ('epoch', gen_random_uuid()::text), ('seed', 'none'), ('secret', gen_random_uuid()::text || gen_random_uuid()::text)`,

  `CREATE TABLE calendars (
    id text PRIMARY KEY, body jsonb NOT NULL, time_zone text NOT NULL, added bigint NOT NULL,
    changes bigint NOT NULL DEFAULT 0, positions bigint NOT NULL DEFAULT 0, changed_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE primaries (owner_key text PRIMARY KEY, calendar_id text NOT NULL)`,
  `CREATE TABLE access (identity text, calendar_id text, PRIMARY KEY (identity, calendar_id))`,

  // An exception is stored on the home of its series. `family`: number of changes of a series' exceptions.
  `CREATE TABLE events (
    home_id text, key text, version integer NOT NULL, family integer NOT NULL DEFAULT 0, series_key text, body jsonb NOT NULL,
    PRIMARY KEY (home_id, key))`,
  `CREATE INDEX events_by_series ON events (home_id, series_key) WHERE series_key IS NOT NULL`,

  // Entries of calendars. `along`: an exception whose series is on the calendar too.
  `CREATE TABLE places (
    calendar_id text, event_id text, home_id text NOT NULL, key text NOT NULL, series_key text,
    position bigint NOT NULL, change bigint NOT NULL, shared_change bigint NOT NULL, viewer_changes jsonb,
    from_ms double precision NOT NULL, to_ms double precision NOT NULL, start_ms double precision NOT NULL, long boolean NOT NULL,
    ical_uid text, cancelled boolean NOT NULL, recurs boolean NOT NULL, along boolean NOT NULL,
    updated_ms double precision NOT NULL, latest_ms double precision NOT NULL, viewers jsonb,
    PRIMARY KEY (calendar_id, event_id))`,
  `CREATE INDEX places_by_position ON places (calendar_id, position)`,
  `CREATE INDEX places_by_change ON places (calendar_id, change)`,
  `CREATE INDEX places_by_start ON places (calendar_id, start_ms, position) WHERE NOT long`,
  `CREATE INDEX places_by_end ON places (calendar_id, to_ms) WHERE long`,
  `CREATE INDEX places_by_uid ON places (calendar_id, ical_uid)`,
  `CREATE INDEX places_by_series ON places (calendar_id, series_key) WHERE series_key IS NOT NULL`,
  `CREATE INDEX places_by_update ON places (calendar_id, latest_ms)`,

  `CREATE TABLE requests (key text PRIMARY KEY, fingerprint text NOT NULL, until double precision NOT NULL, outcome jsonb NOT NULL)`,
  `CREATE INDEX requests_by_time ON requests (until)`,

  `CREATE TABLE buckets (
    name text PRIMARY KEY, body jsonb NOT NULL, version bigint NOT NULL DEFAULT 0, last_id numeric NOT NULL DEFAULT 0)`,
  `CREATE TABLE notifications (
    bucket text, id text, position bigint NOT NULL, topic text, body jsonb NOT NULL, PRIMARY KEY (bucket, id))`,
  `CREATE TABLE topics (topic text, bucket text, PRIMARY KEY (topic, bucket))`,

  // Waiting messages, and a queue for each of their ordering keys.
  `CREATE TABLE queues (
    bucket text, ordering_key text, last bigint NOT NULL, additions bigint NOT NULL DEFAULT 0, claims bigint NOT NULL DEFAULT 0,
    failing boolean NOT NULL DEFAULT false, served double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
    PRIMARY KEY (bucket, ordering_key))`,
  `CREATE INDEX queues_by_turn ON queues (failing, served)`,
  `CREATE TABLE outbox (
    bucket text, ordering_key text, seq bigint, id text NOT NULL, topic text NOT NULL, attributes jsonb NOT NULL, data text NOT NULL,
    bytes integer NOT NULL, stored_at double precision NOT NULL, attempt integer NOT NULL DEFAULT 0,
    held_until double precision NOT NULL DEFAULT 0, PRIMARY KEY (bucket, ordering_key, seq))`,
  `CREATE INDEX outbox_by_id ON outbox (id)`,
  `CREATE INDEX outbox_by_age ON outbox (stored_at)`,
  `CREATE TABLE published (
    topic text, seq bigint GENERATED ALWAYS AS IDENTITY, id text NOT NULL, ordering_key text NOT NULL, attributes jsonb NOT NULL,
    data text NOT NULL, bytes integer NOT NULL, published_at double precision NOT NULL, PRIMARY KEY (topic, seq))`,
  `CREATE INDEX published_by_age ON published (published_at)`,
];
