// The same bodies in tables of the simplest kind, and the least that answers the operations from them safely.
import pg from 'pg';

/** Copies what the gateway stored. Peers find no more in a body than what the operations need. */
export const plainTables = `
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
  CREATE INDEX ON plain.changes (calendar_id, start_ms);`;

const hourMs = 3_600_000;
const statements = {
  read: 'SELECT e.version, e.body, e.start_ms, c.body AS calendar FROM plain.calendars c JOIN plain.events e ON e.calendar_id = c.id WHERE c.id = $1 AND e.id = $2',
  // Division by zero where another version is stored.
  update:
    'WITH done AS (UPDATE plain.events SET version = version + 1, body = $4 WHERE calendar_id = $1 AND id = $2 AND version = $3 RETURNING 1) SELECT 1 / count(*) FROM done',
  index:
    'INSERT INTO plain.changes (calendar_id, event_id, change, start_ms) VALUES ($1, $2, 1, $3) ON CONFLICT (calendar_id, event_id) DO UPDATE SET change = excluded.change, start_ms = excluded.start_ms',
  // With the number of the calendar's change, as sync tokens need it: a row that all who write to the calendar lock.
  counted:
    'WITH c AS (UPDATE plain.calendars SET changes = changes + 1 WHERE id = $1 RETURNING changes) INSERT INTO plain.changes (calendar_id, event_id, change, start_ms) SELECT $1, $2, changes, $3 FROM c ON CONFLICT (calendar_id, event_id) DO UPDATE SET change = excluded.change, start_ms = excluded.start_ms',
  week: 'SELECT body FROM plain.events WHERE calendar_id = $1 AND start_ms > $2 AND start_ms < $3 ORDER BY start_ms',
};
const divisionByZero = '22012';
const prepared = (name, ...values) => ({ name, text: statements[name], values });

export const merge = (body, patch) => ({
  ...body,
  version: body.version + 1,
  core: { ...body.core, ...patch },
});
export const idOf = ({ copies, homeId }) => copies[homeId].id;
/** What a week asks for: starts after which, before which, in ms. */
export const startsOf = ({ from, to }) => [Date.parse(from) - hourMs, Date.parse(to)];

export function openPool(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 30_000, pipeline: true });
  pool.on('error', () => undefined);
  return pool;
}

/** Sends statements in one piece, waits for all of them and throws the first error. */
async function inOnePiece(client, all) {
  const { stream } = client.connection;
  stream.cork();
  const sent = all.map((statement) => client.query(statement));
  stream.uncork();
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** Each operation by its name: owner and variables in, the answer's data out. */
export function createLimit(url, { counted }) {
  const pool = openPool(url);
  async function tryPatch(client, owner, { id, text }) {
    const {
      rows: [row],
    } = await client.query(prepared('read', owner, id));
    const next = merge(row.body, { summary: text, location: text });
    try {
      await inOnePiece(client, [
        { text: 'BEGIN' },
        prepared('update', owner, id, row.version, JSON.stringify(next)),
        prepared(counted ? 'counted' : 'index', owner, id, row.start_ms),
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
        for (;;) {
          const done = await tryPatch(client, owner, variables);
          if (done) return done;
        }
      } finally {
        client.release();
      }
    },
    async week(owner, variables) {
      const { rows } = await pool.query(prepared('week', owner, ...startsOf(variables)));
      return {
        nodes: rows.map(({ body }) => ({
          id: idOf(body),
          summary: body.core.summary,
          start: { dateTime: body.core.start.dateTime },
        })),
      };
    },
    end: () => pool.end(),
  };
}
