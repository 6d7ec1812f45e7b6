import { Kysely, Migrator, PostgresDialect, sql, type Migration } from 'kysely';
import pg from 'pg';
import type { DatabasePool } from './database.ts';
import { failureOf } from './failures.ts';

/**
 * The steps from an empty database to today's tables, in the order of their names. A step that was released is never
 * changed: what is to be different is one more step.
 */
const migrations: Readonly<Record<string, Migration>> = {
  '0001 calendars, events, buckets, messages': { up: (db) => run(db, tables) },
  '0002 exceptions by their original start': { up: (db) => run(db, byOriginal) },
  '0003 message log in order, digests of long identifiers, bounds': { up: (db) => run(db, orderAndBounds) },
  '0004 changes by whom they show to, addresses byte by byte': { up: (db) => run(db, [...byAudience, ...byteByByte]) },
};

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The first column of each primary key is the one that a distributed engine would spread the table by. */
const tables: readonly string[] = [
  `CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL)`,
  `INSERT INTO settings VALUES ('epoch', gen_random_uuid()::text), ('seed', 'none'), ('secret', gen_random_uuid()::text || gen_random_uuid()::text)`,

  `CREATE TABLE calendars (
    id text PRIMARY KEY, body jsonb NOT NULL, time_zone text NOT NULL, added bigint NOT NULL,
    changes bigint NOT NULL DEFAULT 0, positions bigint NOT NULL DEFAULT 0, changed_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE primaries (owner_key text PRIMARY KEY, calendar_id text NOT NULL)`,
  `CREATE TABLE access (identity text, calendar_id text, PRIMARY KEY (identity, calendar_id))`,

  // An exception stands with its series: on the home of that.
  `CREATE TABLE events (
    home_id text, key text, version integer NOT NULL, family integer NOT NULL DEFAULT 0, series_key text, body jsonb NOT NULL,
    PRIMARY KEY (home_id, key))`,
  `CREATE INDEX events_by_series ON events (home_id, series_key) WHERE series_key IS NOT NULL`,

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

  // One row for each ordering key with messages that wait, and the messages themselves.
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

const byOriginal: readonly string[] = [
  `DROP INDEX events_by_series`,
  `CREATE INDEX events_by_series ON events (home_id, series_key, (body #>> '{instance,original}')) WHERE series_key IS NOT NULL`,
];

const isDigested = (column: string): string => `(octet_length(${column}) > 1024 OR ${column} LIKE 'sha256:%')`;
const indexKeyOf = (column: string): string =>
  `CASE WHEN ${isDigested(column)} THEN 'sha256:' || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') ELSE ${column} END`;

const orderAndBounds: readonly string[] = [
  // The message before it on the topic, which may have been deleted by now; 0 where none was kept when this one came.
  `ALTER TABLE published ADD COLUMN previous bigint NOT NULL DEFAULT 0`,
  // Identifiers as `indexKey` writes them.
  `UPDATE places SET event_id = ${indexKeyOf('event_id')}, ical_uid = ${indexKeyOf('ical_uid')} WHERE ${isDigested('event_id')} OR ${isDigested('ical_uid')}`,
  // What waits, by bucket and for all (''); each counter in slots, so that writers do not wait for each other.
  `CREATE TABLE outbox_bytes (bucket text, slot integer, bytes bigint NOT NULL, PRIMARY KEY (bucket, slot)) WITH (fillfactor = 50)`,
  `INSERT INTO outbox_bytes SELECT unnest(ARRAY['', bucket]) AS owner, 0, sum(bytes) FROM outbox GROUP BY owner`,
  // Of the caller, a digest; those that are there belong to nobody, and are gone in a day.
  `ALTER TABLE requests ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN bytes integer NOT NULL DEFAULT 0`,
  `CREATE INDEX requests_by_owner ON requests (owner, until)`,
];

const byAudience: readonly string[] = [
  `ALTER TABLE places ADD COLUMN open_change bigint NOT NULL DEFAULT 0, ADD COLUMN series_change bigint NOT NULL DEFAULT 0,
    ADD COLUMN open_updated_ms double precision NOT NULL DEFAULT 0, ADD COLUMN hidden_from jsonb`,
  `UPDATE places SET open_change = shared_change, series_change = CASE WHEN recurs THEN shared_change ELSE 0 END, open_updated_ms = updated_ms`,
];

const addressKey = (address: string): string => `translate(${address}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

/** Keys of addresses that had been folded by rules of Unicode, made anew from the addresses themselves. */
const byteByByte: readonly string[] = [
  `TRUNCATE access, primaries`,
  `INSERT INTO access SELECT DISTINCT ${addressKey('address')}, id FROM calendars,
    LATERAL (SELECT body ->> 'owner' AS address UNION SELECT entry ->> 'email' FROM jsonb_array_elements(body -> 'acl') AS entry) AS named`,
  `INSERT INTO primaries SELECT DISTINCT ON (owner_key) owner_key, id FROM (
    SELECT ${addressKey("body ->> 'owner'")} AS owner_key, id, added FROM calendars) AS owned
    ORDER BY owner_key, (${addressKey('id')} = owner_key) DESC, added`,
  // The guest of a copy is the owner of the calendar that it stands on.
  `UPDATE events e SET body = jsonb_set(e.body, '{copies}', mended.copies) FROM (
    SELECT e.home_id, e.key, jsonb_object_agg(c.key, CASE WHEN c.value ? 'guest' AND k.id IS NOT NULL
      THEN jsonb_set(c.value, '{guest}', to_jsonb(${addressKey("k.body ->> 'owner'")})) ELSE c.value END) AS copies
    FROM events e, jsonb_each(e.body -> 'copies') AS c LEFT JOIN calendars k ON k.id = c.key
    GROUP BY e.home_id, e.key) AS mended
    WHERE mended.home_id = e.home_id AND mended.key = e.key AND mended.copies <> e.body -> 'copies'`,
];

/** Brings the tables up to date. Safe when several gateways start at once: one does it, the others wait for it. */
export async function migrate({ pool }: Pick<DatabasePool, 'pool'>): Promise<void> {
  // Without the time limits of requests: a step may look at every row of a large table.
  const patient = new pg.Pool({ ...pool.options, max: 2, statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 });
  patient.on('error', () => undefined);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: patient }) });
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
    if (error) throw failureOf(error);
  } finally {
    await db.destroy();
  }
}
