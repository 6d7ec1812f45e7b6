// Runs the system tests on the built gateway: `npm run test:system [-- PATH …]`. The tests start gateways as
// processes, Chromium, PostgreSQL and brokers, and run short random histories. A failed `*.process.ts` file
// is repeated once, alone, and named in the last lines. No other test is ever repeated.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';

/** If more files fail, the reason is not a busy machine, and none is repeated. */
const maxRepeatedFiles = 3;
const testMatch = ['--testMatch', '<rootDir>/test/**/*.{system,process,random}.ts'];

const folder = mkdtempSync(join(tmpdir(), 'system-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs jest and returns the results by path of the test file. Ends the process if jest wrote no report. */
function runJest(args) {
  const reportFile = join(folder, 'report.json');
  rmSync(reportFile, { force: true });
  spawnSync('npm', ['run', '-s', 'jest', '--', '--json', `--outputFile=${reportFile}`, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let testResults;
  try {
    ({ testResults } = JSON.parse(readFileSync(reportFile, 'utf8')));
  } catch (error) {
    console.error(`Jest wrote no report: ${error.message}`);
    process.exit(1);
  }
  return new Map(testResults.map((result) => [relative('', result.name), result]));
}

// Paths come first: jest would take paths after --testMatch as its patterns.
const resultsByPath = runJest([...process.argv.slice(2), ...testMatch]);
const listFailedPaths = () =>
  [...resultsByPath].filter(([, { status }]) => status === 'failed').map(([path]) => path);
const repeatablePaths = listFailedPaths().filter((path) => path.endsWith('.process.ts'));
const isRepeated = repeatablePaths.length > 0 && listFailedPaths().length <= maxRepeatedFiles;
if (isRepeated) {
  for (const path of repeatablePaths) {
    console.error(`\nRepeats ${path}, alone.`);
    for (const [repeatedPath, result] of runJest(['--runInBand', '--testMatch', `<rootDir>/${path}`]))
      resultsByPath.set(repeatedPath, result);
  }
}

/** Number of tests by outcome. */
const counts = { passed: 0, failed: 0, pending: 0 };
for (const { status, assertionResults } of resultsByPath.values()) {
  for (const { status: outcome } of assertionResults) counts[outcome === 'todo' ? 'pending' : outcome] += 1;
  // Counts a file that cannot be loaded, which reports no tests.
  if (status === 'failed' && assertionResults.every(({ status: outcome }) => outcome !== 'failed'))
    counts.failed += 1;
}
for (const path of listFailedPaths()) console.log(`Failed: ${path}`);
if (isRepeated)
  for (const path of repeatablePaths) {
    console.log(`Repeated once, alone: ${path} (${resultsByPath.get(path).status} the second time)`);
  }
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.pending} skipped`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
