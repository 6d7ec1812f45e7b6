import pg from 'pg';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import {
  connectionOptions,
  defaultLimits,
  lastOf,
  pipelinedAll,
  types,
  type Connection,
  type Database,
} from './database.ts';
import { failureOf } from './failures.ts';

/** Whatever is stored belongs to a calendar or a bucket. */
const anyStored = 'SELECT EXISTS (SELECT 1 FROM calendars) OR EXISTS (SELECT 1 FROM buckets) AS any';
const tables = `calendars, primaries, access, events, places, removed_calendars, calendar_jobs, requests, buckets,
  bucket_ids, managers, made, mailed, notifications, topics, delivery_queues, deliveries, delivery_bodies, published`;

/** Whether a seed was loaded now, or data are there from before, or nothing is stored. */
export type Filling = 'loaded' | 'filled before' | 'empty';

/**
 * Loads a seed into a database in which nothing was ever stored: all of it or, when `load` throws, nothing, in one
 * transaction. One gateway does it; those that start meanwhile wait.
 */
export async function fillOnce(
  url: string,
  log: Pick<Log, 'error'>,
  load?: (database: Database) => Promise<void>,
): Promise<Filling> {
  // A connection without limits of time: waiting for another gateway, and loading, may take theirs.
  const client = new pg.Client({ ...connectionOptions(url, defaultLimits), types, pipeline: true });
  client.on('error', (err) => log.error({ err }, 'the connection that loads the seed was lost'));
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query("SELECT pg_advisory_xact_lock(hashtext('resource-gateway seed'))");
    const {
      rows: [seed],
    } = await client.query<{ value: string }>(`SELECT value FROM settings WHERE name = 'seed'`);
    // Left half loaded by an earlier version, which loaded in many transactions and served nobody before it was done.
    if (seed?.value === 'begun') await client.query(`TRUNCATE ${tables}`);
    // On a cluster the question goes to all nodes, and one may be away.
    const isFilled = seed?.value === 'done' || (await anythingIn(client));
    const filling = isFilled ? 'filled before' : load ? 'loaded' : 'empty';
    if (filling === 'loaded') await load?.(within(client));
    const state = filling === 'empty' ? 'none' : 'done';
    if (state !== seed?.value)
      await client.query(`UPDATE settings SET value = $1 WHERE name = 'seed'`, [state]);
    await client.query('COMMIT');
    return filling;
  } finally {
    // Ends a transaction that came to no end, too.
    await client.end();
  }
}

async function anythingIn(client: pg.Client): Promise<boolean> {
  try {
    return (await client.query<{ any: boolean }>(anyStored)).rows[0]?.any === true;
  } catch (error) {
    throw new StartError(
      `DATABASE_URL: whether anything is stored cannot be asked: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}

const savepoints: Readonly<Record<string, string>> = {
  BEGIN: 'SAVEPOINT part',
  COMMIT: 'RELEASE SAVEPOINT part',
  ROLLBACK: 'ROLLBACK TO SAVEPOINT part',
};

/** A database whose transactions are parts of the one that is open on the connection. */
function within(client: pg.Client): Database {
  const runAll: Connection['runAll'] = async (statements) => {
    try {
      return await pipelinedAll(
        client,
        statements.map((statement) => ({ ...statement, text: savepoints[statement.text] ?? statement.text })),
      );
    } catch (error) {
      // As COMMIT does of itself with a transaction that failed.
      if (statements.some(({ text }) => text === 'BEGIN')) await client.query('ROLLBACK TO SAVEPOINT part');
      throw error;
    }
  };
  const run: Connection['run'] = (statements) => runAll(statements).then(lastOf);
  const use: Database['use'] = (work) =>
    work({ runAll, run, discard: () => undefined, isUsable: () => true }).catch((error: unknown) => {
      throw failureOf(error);
    });
  return {
    use,
    query: (statement) => use(() => run([statement])),
    read: (statements) => use(() => runAll(statements)),
  };
}
