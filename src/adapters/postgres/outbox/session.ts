import { connectionOptions, type Database, defaultLimits, sql } from '../database.ts';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../../core/runtime/log.ts';
import { lookEverywhere, queryEverywhere } from '../everywhere.ts';

/**
 * The session of the database that a relay's claims belong to. PostgreSQL ends it with its gateway, however that died, and others then
 * take over what was claimed. It cannot go through a pooler that shares sessions.
 */
export interface ClaimSession {
  /** What claims are marked with; undefined while there is no session. */
  readonly number: () => number | undefined;
  /** Has a function called when the session is lost, with the claims that were made in it. */
  readonly onLost: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

/** The time between two looks at who is there, and how long an answer may take (ms): a gateway knows within 4 s that its session is lost. */
const [lookMs, answerMs] = [1000, 2000];
const reconnectMs = 500;
/** For how long claims rest when their session has ended (ms): by then a gateway that lives has ended its attempts. */
const restMs = 5000;

const lockClass = "hashtext('resource-gateway claims')";
const present = `SELECT objid::bigint::integer AS number FROM pg_locks WHERE locktype = 'advisory' AND classid = ${lockClass}::oid AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Holds a lock whose key is the session's number, and ends the claims of other sessions that are gone. */
export async function startClaimSession(
  url: string,
  log: Pick<Log, 'error'>,
  database: Database,
): Promise<ClaimSession> {
  const listeners: (() => void)[] = [];
  const closing = new AbortController();
  let session: { readonly number: number; readonly client: pg.Client } | undefined;
  /** Sessions that there were, and since when they are missed (by `performance.now`). */
  const known = new Map<number, number | undefined>();

  function lose(lost: pg.Client, err: unknown): void {
    if (session?.client !== lost) return;
    session = undefined;
    void lost.end().catch(() => undefined);
    if (closing.signal.aborted) return;
    log.error({ err }, 'the connection that holds claims was lost: attempts under way end');
    for (const listener of listeners) listener();
  }

  async function connect(): Promise<void> {
    const client = new pg.Client({ ...connectionOptions(url, defaultLimits), query_timeout: answerMs });
    client.on('error', (error) => lose(client, error)).on('end', () => lose(client, undefined));
    const number = randomInt(1, 2 ** 31);
    try {
      await client.connect();
      await client.query(`SELECT pg_advisory_lock(${lockClass}, $1)`, [number]);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    known.set(number, undefined);
    session = { number, client };
  }

  async function look(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ number: number }>(present);
    const there = new Set(rows.map(({ number }) => number));
    const now = performance.now();
    for (const number of there) known.set(number, undefined);
    for (const [number, missedAt = now] of known) {
      if (there.has(number)) continue;
      known.set(number, missedAt);
      if (now - missedAt < restMs) continue;
      known.delete(number);
      void endClaims(database, number)
        .catch(() => false)
        // Claims on a node that is away, or that cannot be ended now, are looked for again.
        .then((areEnded) => areEnded || known.set(number, missedAt));
    }
  }

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = session?.client;
      try {
        if (client) await look(client);
        else await connect();
      } catch (error) {
        if (client) lose(client, error);
      }
      await pause(session ? lookMs : reconnectMs, undefined, { signal: closing.signal }).catch(
        () => undefined,
      );
    }
  }

  await connect();
  // Of those that are gone by now nobody else may be left to tell.
  for (const number of await claimants(database)) known.set(number, undefined);
  const keeping = keep();
  return {
    number: () => session?.number,
    onLost: (listener) => void listeners.push(listener),
    async close() {
      closing.abort();
      await keeping;
      await session?.client.end().catch(() => undefined);
    },
  };
}

async function claimants(database: Database): Promise<readonly number[]> {
  const rows = await queryEverywhere(database, ['deliveries'], (table) => ({
    title: 'sessions with claims',
    text: `SELECT DISTINCT session FROM ${table('deliveries')} d WHERE session > 0`,
  }));
  return rows.map(({ session }) => session as number);
}

/** Ends them owner by owner; false where some may be left. */
async function endClaims(database: Database, session: number): Promise<boolean> {
  const { rows, complete } = await lookEverywhere(database, ['deliveries'], (table) => ({
    title: 'owners with claims of a session',
    text: `SELECT DISTINCT bucket FROM ${table('deliveries')} d WHERE session = ${session}`,
  }));
  for (const { bucket } of rows)
    await database.query(
      sql`/* end claims of a session */ UPDATE deliveries SET held_until = 0, session = NULL
        WHERE bucket = ${bucket} AND session = ${session}`,
    );
  return complete;
}
