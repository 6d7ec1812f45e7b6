import { migrateOnly } from './adapters/postgres/open.ts';
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './core/kernel/errors.ts';
import { createLog } from './telemetry/log.ts';

/** Brings the tables of the database in DATABASE_URL up to date, as every start of the gateway does too. */
try {
  const { databaseUrl, logLevel } = readConfig();
  if (databaseUrl === undefined) throw new ConfigError('DATABASE_URL is not set: there is nothing to migrate.');
  await migrateOnly(databaseUrl, createLog(logLevel));
  console.log('The tables are up to date.');
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
