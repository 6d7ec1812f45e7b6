// The database that is measured: at DATABASE_URL, or on a PostgreSQL server of its own in a temporary folder.
import pg from 'pg';

/** The server that the tests start, by their sources: `test/` is no part of a build. */
export async function startPostgres(options) {
  await import('../../test/runner/typescript.js');
  return (await import('../../test/postgres-server.ts')).startPostgres(options);
}

/**
 * Opens the database. `flushMs`: how much longer each flush of the log to the disk takes, as on a slower disk. That is
 * PostgreSQL's commit_delay for every commit: whoever flushes sleeps, with the lock that others wait for.
 */
export async function openDatabase({ flushMs = 0 } = {}) {
  const given = process.env.DATABASE_URL;
  if (given && flushMs) throw new Error('A slower disk needs a server of its own: leave DATABASE_URL out.');
  const delay = flushMs ? [`commit_delay = ${flushMs * 1000}`, 'commit_siblings = 0'] : [];
  const server = given ? undefined : await startPostgres({ settings: ['max_connections = 200', ...delay] });
  const url = given ?? server.url;
  const admin = new pg.Client({ connectionString: url, application_name: 'bench' });
  const close = async () => {
    await admin.end();
    await server?.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close().finally(() => process.exit(1)));
  await admin.connect();
  return {
    /** The URL under which PostgreSQL knows a server by this name. */
    urlFor: (name) => {
      const one = new URL(url);
      one.searchParams.set('application_name', name);
      return one.href;
    },
    query: async (text, values) => (await admin.query(text, values)).rows,
    close,
  };
}
