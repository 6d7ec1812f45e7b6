// The limit, a lower bound of the cost: simple tables with the same event bodies, and the fewest statements
// that serve the operations safely.
import pg from 'pg';

/** Copies the stored events of the gateway to simple tables. */
export const plainTablesSql = `
  DROP SCHEMA IF EXISTS plain CASCADE;
  CREATE SCHEMA plain;
  CREATE TABLE plain.calendars AS SELECT id, body, changes FROM calendars;
  ALTER TABLE plain.calendars ADD PRIMARY KEY (id);
  CREATE TABLE plain.events AS
    SELECT home_id AS calendar_id, body #>> ARRAY['copies', home_id, 'id'] AS id, version, body,
      extract(epoch FROM (body #>> '{core,start,dateTime}')::timestamptz)::float8 * 1000 AS start_ms FROM events;
  ALTER TABLE plain.events ADD PRIMARY KEY (calendar_id, id);
  CREATE INDEX ON plain.events (calendar_id, start_ms);
  CREATE TABLE plain.changes AS SELECT calendar_id, id AS event_id, row_number() OVER (PARTITION BY calendar_id) AS change, start_ms FROM plain.events;
  ALTER TABLE plain.changes ADD PRIMARY KEY (calendar_id, event_id);
  CREATE INDEX ON plain.changes (calendar_id, change);
  CREATE INDEX ON plain.changes (calendar_id, start_ms);
  CREATE TABLE plain.mails (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, recipient text, event_id text, body text);`;

const hourMs = 3_600_000;
// Aliases: e is an event, c its calendar.
const statements = {
  read: 'SELECT e.version, e.body, e.start_ms, c.body AS calendar FROM plain.calendars c JOIN plain.events e ON e.calendar_id = c.id WHERE c.id = $1 AND e.id = $2',
  // Divides by zero if another version is stored. The error aborts the transaction, whose statements are sent together.
  update:
    'WITH done AS (UPDATE plain.events SET version = version + 1, body = $4 WHERE calendar_id = $1 AND id = $2 AND version = $3 RETURNING 1) SELECT 1 / count(*) FROM done',
  insertChange:
    'INSERT INTO plain.changes (calendar_id, event_id, change, start_ms) VALUES ($1, $2, 1, $3) ON CONFLICT (calendar_id, event_id) DO UPDATE SET change = excluded.change, start_ms = excluded.start_ms',
  // Adds the calendar's revision, as sync tokens need it: all writers of a calendar lock its row.
  countChange:
    'WITH c AS (UPDATE plain.calendars SET changes = changes + 1 WHERE id = $1 RETURNING changes) INSERT INTO plain.changes (calendar_id, event_id, change, start_ms) SELECT $1, $2, changes, $3 FROM c ON CONFLICT (calendar_id, event_id) DO UPDATE SET change = excluded.change, start_ms = excluded.start_ms',
  countGuestChanges:
    'WITH c AS (UPDATE plain.calendars SET changes = changes + 1 WHERE id = ANY($1) RETURNING id, changes) INSERT INTO plain.changes (calendar_id, event_id, change, start_ms) SELECT id, $2, changes, $3 FROM c ON CONFLICT (calendar_id, event_id) DO UPDATE SET change = excluded.change, start_ms = excluded.start_ms',
  insertMails:
    'INSERT INTO plain.mails (recipient, event_id, body) SELECT recipient, $2, $3 FROM unnest($1::text[]) AS recipient',
  // A week whose bodies the reader has already.
  knownWeek:
    'SELECT id, version FROM plain.events WHERE calendar_id = $1 AND start_ms > $2 AND start_ms < $3 ORDER BY start_ms',
  week: 'SELECT body FROM plain.events WHERE calendar_id = $1 AND start_ms > $2 AND start_ms < $3 ORDER BY start_ms',
};
/** SQLSTATE division_by_zero. */
const divisionByZero = '22012';
/** Creates a query of pg, which prepares the statement under its name. */
const createStatement = (name, ...values) => ({ name, text: statements[name], values });

/** Returns a stored event body with a patch of its core and the next version. */
export const applyPatch = (body, patch) => ({
  ...body,
  version: body.version + 1,
  core: { ...body.core, ...patch },
});
export const eventIdOf = ({ copies, homeId }) => copies[homeId].id;
/** Bounds (ms) of the starts of events that overlap a week. */
export const parseStartBounds = ({ from, to }) => [Date.parse(from) - hourMs, Date.parse(to)];

export function openPool(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 30_000, pipeline: true });
  pool.on('error', () => undefined);
  return pool;
}

/** Sends statements in one packet, waits for all of them and throws the first error. */
async function sendTogether(client, statementsToSend) {
  const { stream } = client.connection;
  stream.cork();
  const results = statementsToSend.map((statement) => client.query(statement));
  stream.uncork();
  const failure = (await Promise.allSettled(results)).find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
}

/**
 * Creates operations that run on the simple tables. Each takes an owner and variables, and returns the data
 * of the response. `countsChanges`: whether a patch also increments the revision counter of its calendar.
 */
export function createLimitOperations(url, { countsChanges }) {
  const pool = openPool(url);
  /** Bodies that `week` read, for `knownWeek`; patches do not change them. */
  const bodies = new Map();
  const toNodes = (weekBodies) => ({
    nodes: weekBodies.map((body) => ({
      id: eventIdOf(body),
      summary: body.core.summary,
      start: { dateTime: body.core.start.dateTime },
    })),
  });
  /** Patches an event. Returns undefined if another patch was faster. */
  async function tryPatch(client, owner, { id, text, changesGuestCalendars, sendsMails }) {
    const {
      rows: [row],
    } = await client.query(createStatement('read', owner, id));
    const next = applyPatch(row.body, { summary: text, location: text });
    const guests = (next.core.attendees ?? []).map(({ email }) => email);
    try {
      await sendTogether(client, [
        { text: 'BEGIN' },
        createStatement('update', owner, id, row.version, JSON.stringify(next)),
        createStatement(countsChanges ? 'countChange' : 'insertChange', owner, id, row.start_ms),
        ...(changesGuestCalendars ? [createStatement('countGuestChanges', guests, id, row.start_ms)] : []),
        ...(sendsMails ? [createStatement('insertMails', guests, id, text)] : []),
        { text: 'COMMIT' },
      ]);
      return { id, etag: String(next.version), summary: next.core.summary, location: next.core.location };
    } catch (error) {
      await client.query('ROLLBACK');
      if (error.code !== divisionByZero) throw error;
      return undefined;
    }
  }
  return {
    async patch(owner, variables) {
      const client = await pool.connect();
      try {
        // Retries until no other patch is faster.
        for (;;) {
          const data = await tryPatch(client, owner, variables);
          if (data) return data;
        }
      } finally {
        client.release();
      }
    },
    async week(owner, variables) {
      const { rows } = await pool.query(createStatement('week', owner, ...parseStartBounds(variables)));
      for (const { body } of rows) bodies.set(eventIdOf(body), body);
      return toNodes(rows.map(({ body }) => body));
    },
    async knownWeek(owner, variables) {
      const { rows } = await pool.query(createStatement('knownWeek', owner, ...parseStartBounds(variables)));
      return toNodes(rows.map(({ id }) => bodies.get(id)));
    },
    end: () => pool.end(),
  };
}
