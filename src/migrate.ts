import { migrateOnly } from './adapters/postgres/open.ts';
import { readOptions } from './command-line.ts';
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './core/kernel/errors.ts';
import { createLog } from './telemetry/log.ts';

const usage = `Brings the tables of the database in DATABASE_URL up to date, as every start of the gateway does too.

  npm run -s migrate`;

async function migrate(): Promise<void> {
  const { databaseUrl, logLevel } = readConfig();
  if (databaseUrl === undefined) throw new ConfigError('DATABASE_URL is not set: there is nothing to migrate.');
  await migrateOnly(databaseUrl, createLog(logLevel));
  console.log('The tables are up to date.');
}

try {
  if (readOptions(usage, {})) await migrate();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
