import pg from 'pg';
import type { Log } from '../../core/runtime/log.ts';
import { connectionOptions, defaultLimits } from './database.ts';

const tables = ['calendars', 'primaries', 'access', 'events', 'places', 'requests', 'buckets', 'notifications', 'topics', 'queues', 'outbox', 'outbox_bytes', 'published'];

/**
 * Fills a database that was never filled, and says whether it did. One gateway does it; those that start meanwhile wait.
 * What somebody began and did not end, or what fails, is taken back.
 */
export async function seedOnce(url: string, log: Pick<Log, 'error'>, load: () => Promise<void>): Promise<boolean> {
  // A connection of its own: the lock lasts as long as it, and waiting for it may take its time.
  const client = new pg.Client(connectionOptions(url, defaultLimits));
  client.on('error', (err) => log.error({ err }, 'the connection that guards the seed was lost'));
  await client.connect();
  const mark = (state: string): Promise<unknown> => client.query(`UPDATE settings SET value = $1 WHERE name = 'seed'`, [state]);
  try {
    await client.query("SELECT pg_advisory_lock(hashtext('resource-gateway seed'))");
    const { rows } = await client.query<{ value: string }>(`SELECT value FROM settings WHERE name = 'seed'`);
    const state = rows[0]?.value;
    if (state === 'done') return false;
    if (state === 'begun') await client.query(`TRUNCATE ${tables.join(', ')}`);
    await mark('begun');
    try {
      await load();
    } catch (error) {
      await client.query(`TRUNCATE ${tables.join(', ')}`);
      await mark('none');
      throw error;
    }
    await mark('done');
    return true;
  } finally {
    await client.end();
  }
}
