import { migrateOnly } from './adapters/postgres/open.ts';
import { rebuild } from './adapters/postgres/rebuild.ts';
import { formatShellCommand, readArguments, runCommand } from './command-line.ts';
import { ConfigError, readConfig } from './config.ts';
import { createLog } from './telemetry/log.ts';

/** Help text of the command that migrates the database. */
const usage = `Brings the tables of the database in DATABASE_URL up to date, as every start of the gateway does too.

  ${formatShellCommand('migrate')} [--rebuild]

  --rebuild   also computes anew what the tables hold beside the records: indexes of lists, who may use which calendar,
              topics, counters. No gateway may be running.`;

/** Migrates the database. `rebuild` also recomputes the tables that derive from records. */
async function migrate(options: { readonly rebuild?: boolean }): Promise<void> {
  const { databaseUrl, logLevel } = readConfig();
  if (databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL is not set: there is nothing to migrate.');
  const log = createLog(logLevel);
  await migrateOnly(databaseUrl, log);
  console.log('The tables are up to date.');
  if (!options.rebuild) return;
  const { events, repaired } = await rebuild(databaseUrl, log);
  console.log(`Events checked: ${events}. Wrong list entries: ${repaired}.`);
}

await runCommand(async () => {
  const args = readArguments(usage, { rebuild: { type: 'boolean' } });
  if (args) await migrate(args.values);
});
