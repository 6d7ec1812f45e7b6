// Runs the tests for Citus: `CITUS_BIN=… npm run test:citus [-- PATTERN]`. CITUS_BIN: folder of `initdb` and
// `pg_ctl` of a PostgreSQL with Citus. Starts three nodes on loopback for the store contracts; tests that
// kill nodes start their own.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { startCluster } from '../test/citus-cluster.ts';

/** Tests that every PostgreSQL store must pass, also on a cluster. */
const storeContracts =
  '<rootDir>/test/adapters/postgres/{calendar-store,channel-store,event-store,notification-store,relays,mails,request-records}.system.ts';

const cluster = await startCluster();
try {
  const { status } = spawnSync(
    'npm',
    [
      'run',
      '-s',
      'jest',
      '--',
      ...process.argv.slice(2),
      '--runInBand',
      '--testMatch',
      '<rootDir>/test/citus/*.citus.ts',
      storeContracts,
    ],
    { stdio: 'inherit', env: { ...process.env, CITUS_URL: cluster.url } },
  );
  process.exitCode = status ?? 1;
} finally {
  await cluster.remove();
}
