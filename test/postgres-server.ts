import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateOnly } from '../src/adapters/postgres/open.ts';
import { maxWaitMs } from './eventually.ts';
import { findFreePort } from './free-port.ts';
import { silentLog } from './log-lines.ts';

const execute = promisify(execFile);

const programFolder = [
  '/usr/lib/postgresql/17/bin',
  '/usr/lib/postgresql/16/bin',
  '/usr/lib/postgresql/15/bin',
  '/usr/local/bin',
  '/usr/bin',
].find((path) => ['initdb', 'pg_ctl', 'pg_basebackup'].every((name) => existsSync(join(path, name))));

/**
 * `describe` for suites that need a real PostgreSQL. Without one they are skipped and say so; in CI, which installs it,
 * they run and fail.
 */
export function describeWithPostgres(name: string, suite: () => void): void {
  if (programFolder !== undefined || process.env.CI === 'true') describe(name, suite);
  else describe.skip(`${name} (skipped: PostgreSQL is not installed)`, suite);
}

/** `describe` and `test` for suites that presume a single server. On Citus they are skipped and say why. */
export function exceptOnCluster(reason: string): {
  readonly describe: (name: string, suite: () => void) => void;
  readonly test: (name: string, testFunction: () => Promise<void>, timeout?: number) => void;
} {
  const titleOfSkipped = (name: string): string => `${name} (not on a cluster: ${reason})`;
  return process.env.CITUS_URL
    ? {
        describe: (name, suite) => describe.skip(titleOfSkipped(name), suite),
        test: (name, testFunction) => test.skip(titleOfSkipped(name), testFunction),
      }
    : { describe: describeWithPostgres, test };
}

/** A real server with its own data folder, on loopback. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Runs a server program, as Debian's user `postgres` under root: PostgreSQL refuses to run as root. */
async function runServerProgram(
  command: string,
  args: readonly string[],
  bin = programFolder,
): Promise<void> {
  if (bin === undefined) throw new Error('PostgreSQL is not installed (Debian package postgresql)');
  const path = join(bin, command);
  const isRoot = process.getuid?.() === 0;
  await (isRoot
    ? execute('runuser', ['-u', 'postgres', '--', path, ...args], { cwd: '/' })
    : execute(path, [...args]));
}

/** Starts a server. `settings` are lines of postgresql.conf; `bin` is the folder of other programs than those installed. */
export async function startPostgres({
  settings = [],
  standbyOf,
  bin,
}: {
  readonly settings?: readonly string[];
  readonly standbyOf?: { readonly port: number };
  readonly bin?: string | undefined;
} = {}) {
  const port = await findFreePort();
  const serverFolder = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (process.getuid?.() === 0)
    chownSync(serverFolder, Number(postgresUserId('-u')), Number(postgresUserId('-g')));
  const dataFolder = join(serverFolder, 'data');
  if (standbyOf) {
    await runServerProgram(
      'pg_basebackup',
      `-D ${dataFolder} -R -X stream -h 127.0.0.1 -p ${standbyOf.port} -U postgres -c fast`.split(' '),
      bin,
    );
  } else
    await runServerProgram(
      'initdb',
      `-D ${dataFolder} -U postgres -A trust -E UTF8 --locale=C --no-sync`.split(' '),
      bin,
    );
  const configLines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${serverFolder}'`,
    'max_connections = 60',
    'wal_level = replica',
    ...settings,
  ];
  writeFileSync(join(dataFolder, 'postgresql.conf'), `${configLines.join('\n')}\n`);
  const runPgCtl = (action: string, ...args: string[]): Promise<void> =>
    runServerProgram('pg_ctl', [action, '-D', dataFolder, '-w', '-t', '60', '-s', ...args], bin);
  let isRunning = false;
  const server = {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    folder: dataFolder,
    async start() {
      // After a kill, shared memory is in use until the child processes have ended.
      for (let attempt = 1; ; attempt += 1) {
        try {
          await runPgCtl('start', '-l', join(serverFolder, 'log'));
          break;
        } catch (error) {
          if (attempt === 20) throw error;
          await pause(250);
        }
      }
      isRunning = true;
    },
    /** Stops the server in order, but at once: open transactions are rolled back. */
    async stop() {
      if (isRunning) await runPgCtl('stop', '-m', 'fast');
      isRunning = false;
    },
    /** Kills the server, as a crash would. */
    async kill() {
      const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      isRunning = false;
      // Child processes end by themselves; `start` waits for them.
      while (isAlive(pid)) await pause(10);
    },
    promote: () => runPgCtl('promote'),
    /** Stops the server and deletes its folder. */
    async remove() {
      if (isRunning) await runPgCtl('stop', '-m', 'immediate');
      isRunning = false;
      rmSync(serverFolder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** A database of a test; `remove` drops it. */
export interface TestDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** Creates a database on the server that all tests of a run share: empty, or a copy of a template there. */
export async function createDatabase(templateDatabase = 'template1'): Promise<TestDatabase> {
  if (process.env.CITUS_URL && templateDatabase === 'template1')
    return (await import('./citus-cluster.ts')).createClusterDatabase(process.env.CITUS_URL);
  const url = await startSharedServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await queryOnce(url, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`);
  return {
    url: url.replace(/[^/]*$/, name),
    remove: async () => void (await queryOnce(url, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** The database that `createMigratedDatabase` copies: one for each Jest worker, removed with its server. */
let templateDatabase: Promise<TestDatabase> | undefined;

async function createTemplate(): Promise<TestDatabase> {
  const database = await createDatabase();
  await migrateOnly(database.url, silentLog);
  return database;
}

/** Creates a database with empty tables, by copying a template: that takes a fraction of the time of the migrations. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  // Citus cannot copy a database.
  if (process.env.CITUS_URL) return createTemplate();
  templateDatabase ??= createTemplate();
  return createDatabase((await templateDatabase).url.replace(/^.*\//, ''));
}

/**
 * Creates databases for a `describe`, which are removed after its last test. Each function returns the URL of
 * a new database: with the migrated tables, or without tables.
 */
export function usePostgres() {
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) await database.remove();
  });
  const register = (database: TestDatabase): string => {
    databases.push(database);
    return database.url;
  };
  return {
    createMigratedUrl: async (): Promise<string> => register(await createMigratedDatabase()),
    createEmptyUrl: async (): Promise<string> => register(await createDatabase()),
  };
}

/** Empties all tables except the settings and those of migrations. */
export async function emptyDatabase(
  query: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<void> {
  const rows = await query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^(settings|kysely_.*)$'",
  );
  // DELETE is faster than TRUNCATE, which creates new files for each table and index.
  await query(rows.map(({ tablename }) => `DELETE FROM ${tablename as string}`).join('; '));
}

/** Resets a migrated database to its state before any gateway used it. */
export const resetDatabase = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await emptyDatabase(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
    await client.query("UPDATE settings SET value = 'none' WHERE name = 'seed'");
  });

/** Runs statements on a new connection; returns the rows if it is a single one. */
export const queryOnce = <R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> =>
  withClient(url, async (client) => (await client.query<R>(text)).rows);

async function withClient<T>(url: string, useClient: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await useClient(client);
  } finally {
    await client.end();
  }
}

/** The URL of the run's server. The first test that needs it starts it; the reporter stops it after the last test. */
async function startSharedServer(): Promise<string> {
  const runFolder = join(tmpdir(), `gateway-tests-${process.env.TEST_RUN}`);
  const stateFile = join(runFolder, 'server.json');
  try {
    mkdirSync(runFolder);
  } catch {
    for (let tries = 0; !existsSync(stateFile); tries += 1) {
      if (tries * 100 > maxWaitMs)
        throw new Error('The PostgreSQL server of the tests was not started by the test that began to.');
      await pause(100);
    }
    return (JSON.parse(readFileSync(stateFile, 'utf8')) as { readonly url: string }).url;
  }
  const { url, folder: data } = await startPostgres({ settings: ['fsync = off', 'max_connections = 500'] });
  writeFileSync(`${stateFile}.new`, JSON.stringify({ url, data }));
  renameSync(`${stateFile}.new`, stateFile);
  return url;
}

const postgresUserId = (flag: string): string =>
  spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim();

/** Tells whether a process is running. A zombie, whose exit status nobody has read, counts as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
