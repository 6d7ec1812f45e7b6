// Database of the benches: at DATABASE_URL, or on a PostgreSQL server in a temporary folder.
import pg from 'pg';

/** Starts a server as tests do. Imports their TypeScript sources, because the build does not contain `test/`. */
export async function startPostgres(options) {
  await import('../../test/runner/typescript.js');
  return (await import('../../test/postgres-server.ts')).startPostgres(options);
}

/**
 * Opens the database. `flushMs`: additional time of each WAL flush, to simulate a slower disk. Uses commit_delay, during
 * which the flushing process sleeps while it holds the lock.
 */
export async function openDatabase({ flushMs = 0 } = {}) {
  const configuredUrl = process.env.DATABASE_URL;
  if (configuredUrl && flushMs)
    throw new Error('A slower disk needs a server of its own: leave DATABASE_URL out.');
  const delaySettings = flushMs ? [`commit_delay = ${flushMs * 1000}`, 'commit_siblings = 0'] : [];
  const server = configuredUrl
    ? undefined
    : await startPostgres({ settings: ['max_connections = 200', ...delaySettings] });
  const url = configuredUrl ?? server.url;
  const client = new pg.Client({ connectionString: url, application_name: 'bench' });
  const close = async () => {
    await client.end();
    await server?.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void close().finally(() => process.exit(1)));
  await client.connect();
  return {
    /** Returns the database URL with an `application_name`. */
    urlFor: (name) => {
      const namedUrl = new URL(url);
      namedUrl.searchParams.set('application_name', name);
      return namedUrl.href;
    },
    query: async (text, values) => (await client.query(text, values)).rows,
    close,
  };
}
