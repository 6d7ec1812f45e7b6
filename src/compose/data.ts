import { ConfigError, type Config } from '../config.ts';
import type { SeedTarget } from '../seed/seed.ts';
import { createLog } from '../telemetry/log.ts';
import { openDatabase } from './stores.ts';
import { createEventTools, secretOf } from './tools.ts';

/** Opens the database of the settings for work on all that it holds, and closes it behind that. */
export async function withDatabase<T>(config: Config, work: (target: SeedTarget) => Promise<T>): Promise<T> {
  const database = await openDatabase(config, Date.now, createLog('error', process.stderr));
  if (!database)
    throw new ConfigError(
      'DATABASE_URL is not set: what a gateway keeps in its memory cannot be reached from outside.',
    );
  try {
    return await work({
      ...database,
      eventTools: createEventTools(config, Date.now, secretOf(config).secret ?? database.secret),
      hosts: config,
    });
  } finally {
    await database.close();
  }
}
