import process from 'node:process';
import { writeSync } from 'node:fs';

/**
 * Prints `N passed, N failed, N skipped` as the very last line of a run. It waits for the exit because jest
 * reports coverage, thresholds and open handles after its reporters.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    // A suite that cannot even load has no tests to count: it stands as one failure, so that a broken run
    // never reads as green.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.once('exit', () => {
      writeSync(1, `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
}
