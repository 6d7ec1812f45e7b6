import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Log } from '../../../core/runtime/log.ts';
import { type Database, sql } from '../database.ts';
import { keepConnection } from '../kept-connection.ts';
import { queryShards, queryShardRows } from '../query-shards.ts';

/** The database session that owns a relay's claims: other relays take over when it ends. Needs a pooler that does not share sessions. */
export type ClaimSession = Awaited<ReturnType<typeof startClaimSession>>;

/** Interval of checks, and timeout of a query: a gateway notices a lost session within 4 s. */
const [checkIntervalMs, maxQueryMs] = [1000, 2000];
/** Milliseconds before claims of an ended session are taken over: by then a live gateway has ended its attempts. */
const claimGraceMs = 5000;

/** Class of the advisory locks by which sessions are recognized; the second key is the number. */
const lockClass = "hashtext('resource-gateway claims')";
const presentSessionsSql = `SELECT objid::bigint::integer AS number FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass}::oid AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Holds an advisory lock whose key is the session's number, and ends the claims of sessions that have ended. */
export async function startClaimSession(url: string, log: Pick<Log, 'error'>, database: Database) {
  const listeners: (() => void)[] = [];
  let currentNumber: number | undefined;
  /** Known sessions, with the time since which they are missing (`performance.now`). */
  const missingSince = new Map<number, number | undefined>();

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

  const close = await keepConnection(url, log, {
    purpose: 'holds claims',
    maxQueryMs,
    checkIntervalMs,
    async prepare(client) {
      const number = randomInt(1, 2 ** 31);
      await client.query(`SELECT pg_advisory_lock(${lockClass}, $1)`, [number]);
      missingSince.set(number, undefined);
      currentNumber = number;
    },
    check: checkSessions,
    onLost() {
      currentNumber = undefined;
      for (const listener of listeners) listener();
    },
  });
  // Includes sessions that ended before any current gateway could see them.
  for (const number of await findClaimingSessions(database)) missingSince.set(number, undefined);
  return {
    /** Marks claims; undefined without a session. */
    number: (): number | undefined => currentNumber,
    /** Calls a function when the session is lost, and its claims with it. */
    onLost: (listener: () => void) => void listeners.push(listener),
    close,
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
