import process from 'node:process';
import { existsSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Prints `N passed, N failed, N skipped` as the very last line of a run: at exit, because Jest reports coverage,
 * thresholds and open handles after its reporters. Then stops the database server that tests shared.
 */
export default class SummaryReporter {
  constructor() {
    process.env.TEST_RUN = String(process.pid);
    process.once('exit', () => stopServer(join(tmpdir(), `gateway-tests-${process.pid}`)));
  }

  onRunComplete(_contexts, results) {
    // A suite that fails to load counts as one failure, so that a broken run never reads as green.
    const failedCount = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skippedCount = results.numPendingTests + results.numTodoTests;
    process.once('exit', () => {
      writeSync(1, `${results.numPassedTests} passed, ${failedCount} failed, ${skippedCount} skipped\n`);
    });
  }
}

/** Stops the server that `../postgres-server.ts` started. */
function stopServer(folder) {
  const serverFile = join(folder, 'server.json');
  if (existsSync(serverFile)) {
    const { data } = JSON.parse(readFileSync(serverFile, 'utf8'));
    const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    // PostgreSQL stops at once on SIGQUIT; its data is deleted anyway.
    process.kill(Number(pid), 'SIGQUIT');
    rmSync(dirname(data), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  rmSync(folder, { recursive: true, force: true });
}
