// The database that is measured: at DATABASE_URL, or on a PostgreSQL server of its own in a temporary folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import ts from 'typescript';

const here = (name) => new URL(name, import.meta.url);

/** The server that the tests start. */
export async function startPostgres(options) {
  const { outputText } = ts.transpileModule(readFileSync(here('../../test/postgres-server.ts'), 'utf8'), {
    compilerOptions: { module: 'esnext', target: 'es2022' },
  });
  const compiled = here('../../dist/bench/postgres-server.js');
  mkdirSync(here('../../dist/bench/'), { recursive: true });
  writeFileSync(compiled, outputText);
  return (await import(compiled.href)).startPostgres(options);
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
