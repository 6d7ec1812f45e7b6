import type pg from 'pg';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { openClient, pipeline, type Connection, type Database } from './database.ts';
import { failureOf } from './failures.ts';
import { hasData } from './distribute-tables.ts';

/** Outcome of `fillOnce`: the seed was loaded, there were data before, or there is no seed. */
type SeedResult = 'loaded' | 'filled before' | 'empty';

/** Loads a seed into an empty database in one transaction. One gateway does it while others that start wait. */
export async function fillOnce(
  url: string,
  log: Pick<Log, 'error'>,
  loadSeed?: (database: Database) => Promise<void>,
): Promise<SeedResult> {
  const client = await openClient(url, log, 'the connection that loads the seed was lost');
  try {
    await client.query('BEGIN');
    await client.query("SELECT pg_advisory_xact_lock(hashtext('resource-gateway seed'))");
    const { rows } = await client.query<{ value: string }>(`SELECT value FROM settings WHERE name = 'seed'`);
    const seedState = rows[0]?.value;
    // `hasStoredData` comes last: on a cluster, its query needs all nodes.
    const isFilled = seedState === 'done' || (await hasStoredData(client));
    const result = isFilled ? 'filled before' : loadSeed ? 'loaded' : 'empty';
    if (result === 'loaded') await loadSeed?.(createNestedDatabase(client));
    const state = result === 'empty' ? 'none' : 'done';
    if (state !== seedState)
      await client.query(`UPDATE settings SET value = $1 WHERE name = 'seed'`, [state]);
    await client.query('COMMIT');
    return result;
  } finally {
    // Closing also rolls back an open transaction.
    await client.end();
  }
}

async function hasStoredData(client: pg.Client): Promise<boolean> {
  try {
    return await hasData(client);
  } catch (error) {
    throw new StartError(`DATABASE_URL: cannot find out whether it has data: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Savepoint commands that replace the transaction commands of a nested database. */
const savepointCommands: Readonly<Record<string, string>> = {
  BEGIN: 'SAVEPOINT part',
  COMMIT: 'RELEASE SAVEPOINT part',
  ROLLBACK: 'ROLLBACK TO SAVEPOINT part',
};

/** A database whose transactions are savepoints in the client's open transaction. */
function createNestedDatabase(client: pg.Client): Database {
  const run: Connection['run'] = async (statements) => {
    try {
      return await pipeline(
        client,
        statements.map(({ text, ...statement }) => ({ ...statement, text: savepointCommands[text] ?? text })),
      );
    } catch (error) {
      // Outside of savepoints, COMMIT rolls back a failed transaction by itself.
      if (statements.some(({ text }) => text === 'BEGIN')) await client.query('ROLLBACK TO SAVEPOINT part');
      throw error;
    }
  };
  const use: Database['use'] = (work) =>
    work({ run, isUsable: () => true }).catch((error: unknown) => {
      throw failureOf(error);
    });
  return {
    use,
    query: async (statement) => (await use(() => run([statement])))[0] ?? [],
    read: (statements) => use(() => run(statements)),
  };
}
