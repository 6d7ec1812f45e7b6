import { connectionOptions, type Database, defaultLimits, sql } from '../database.ts';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../../core/runtime/log.ts';
import { queryShards, queryShardRows } from '../query-shards.ts';

/** The database session that owns a relay's claims: other relays take over when it ends. Needs a pooler that does not share sessions. */
export interface ClaimSession {
  /** Marks claims; undefined without a session. */
  readonly number: () => number | undefined;
  /** Calls a function when the session is lost, and its claims with it. */
  readonly onLost: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

/** Interval of checks, and timeout of a query: a gateway notices a lost session within 4 s. */
const [pollIntervalMs, maxQueryMs] = [1000, 2000];
const reconnectDelayMs = 500;
/** Milliseconds before claims of an ended session are taken over: by then a live gateway has ended its attempts. */
const claimGraceMs = 5000;

/** Class of the advisory locks by which sessions are recognized; the second key is the number. */
const lockClass = "hashtext('resource-gateway claims')";
const presentSessionsSql = `SELECT objid::bigint::integer AS number FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass}::oid AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Holds an advisory lock whose key is the session's number, and ends the claims of sessions that have ended. */
export async function startClaimSession(
  url: string,
  log: Pick<Log, 'error'>,
  database: Database,
): Promise<ClaimSession> {
  const listeners: (() => void)[] = [];
  const closingController = new AbortController();
  let session: { readonly number: number; readonly client: pg.Client } | undefined;
  /** Known sessions, with the time since which they are missing (`performance.now`). */
  const missingSince = new Map<number, number | undefined>();

  function handleLoss(lostClient: pg.Client, err: unknown): void {
    if (session?.client !== lostClient) return;
    session = undefined;
    void lostClient.end().catch(() => undefined);
    if (closingController.signal.aborted) return;
    log.error({ err }, 'the connection that holds claims was lost: running attempts end');
    for (const listener of listeners) listener();
  }

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(url, defaultLimits), query_timeout: maxQueryMs });
    client.on('error', (error) => handleLoss(client, error)).on('end', () => handleLoss(client, undefined));
    const number = randomInt(1, 2 ** 31);
    try {
      await client.connect();
      await client.query(`SELECT pg_advisory_lock(${lockClass}, $1)`, [number]);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    missingSince.set(number, undefined);
    session = { number, client };
  }

  /** Notes which sessions are present, and ends the claims of those missing for `claimGraceMs`. */
  async function checkSessions(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ number: number }>(presentSessionsSql);
    const presentNumbers = new Set(rows.map(({ number }) => number));
    const now = performance.now();
    for (const number of presentNumbers) missingSince.set(number, undefined);
    for (const [number, missingAt = now] of missingSince) {
      if (presentNumbers.has(number)) continue;
      missingSince.set(number, missingAt);
      if (now - missingAt < claimGraceMs) continue;
      missingSince.delete(number);
      void endClaims(database, number)
        .catch(() => false)
        // Retries claims on an unavailable node.
        .then((isEnded) => isEnded || missingSince.set(number, missingAt));
    }
  }

  /** Checks the sessions, or connects again, until closed. */
  async function keepSession(): Promise<void> {
    while (!closingController.signal.aborted) {
      const client = session?.client;
      try {
        if (client) await checkSessions(client);
        else await connect();
      } catch (error) {
        if (client) handleLoss(client, error);
      }
      await pause(session ? pollIntervalMs : reconnectDelayMs, undefined, {
        signal: closingController.signal,
      }).catch(() => undefined);
    }
  }

  await connect();
  // Includes sessions that ended before any current gateway could see them.
  for (const number of await findClaimingSessions(database)) missingSince.set(number, undefined);
  const sessionLoop = keepSession();
  return {
    number: () => session?.number,
    onLost: (listener) => void listeners.push(listener),
    async close() {
      closingController.abort();
      await sessionLoop;
      await session?.client.end().catch(() => undefined);
    },
  };
}

/** Finds the sessions that hold claims. */
async function findClaimingSessions(database: Database): Promise<readonly number[]> {
  const rows = await queryShardRows(database, ['deliveries'], (table) => ({
    title: 'sessions with claims',
    text: `SELECT DISTINCT session FROM ${table('deliveries')} d WHERE session > 0`,
  }));
  return rows.map(({ session }) => session as number);
}

/** Ends the claims of a session, owner by owner; false if some may be left. */
async function endClaims(database: Database, session: number): Promise<boolean> {
  const { rows, isComplete } = await queryShards(database, ['deliveries'], (table) => ({
    title: 'owners with claims of a session',
    text: `SELECT DISTINCT bucket FROM ${table('deliveries')} d WHERE session = ${session}`,
  }));
  for (const { bucket } of rows)
    await database.query(
      sql`/* end claims of a session */ UPDATE deliveries SET held_until = 0, session = NULL
        WHERE bucket = ${bucket} AND session = ${session}`,
    );
  return isComplete;
}
