// Lets Node load TypeScript in Jest and each of its workers (`node --import`), since Node 20 does not strip types. The hooks
// are in `typescript-hooks.js`; with `--coverage` they instrument the files they load.
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

// Workers inherit the environment of the main process, but not its arguments.
if (isMainThread && process.argv.some((argument) => /^--coverage(=true)?$/.test(argument))) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-coverage-'));
  process.env.TEST_COVERAGE = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
const coverageFolder = process.env.TEST_COVERAGE;
register('./typescript-hooks.js', import.meta.url, { data: { coverageFolder } });

/** Coverage in this worker by source path, as a string with 1 for each counter above 0. */
const coverageByPath = new Map();

/** Counters of one file as istanbul names them: `s` of statements, `f` of functions, `b` of branches. */
const listCounterValues = ({ s, f, b }) => [
  ...Object.values(s),
  ...Object.values(f),
  ...Object.values(b).flat(),
];

/** Whether a file's coverage has changed since the last call. */
function hasNewCoverage([path, counters]) {
  const previousCoverage = coverageByPath.get(path);
  const currentCoverage = listCounterValues(counters)
    .map((count) => (count > 0 ? 1 : 0))
    .join('');
  coverageByPath.set(path, currentCoverage);
  return currentCoverage !== previousCoverage;
}

// Jest reads this variable after each test file. Merging the counters of all source files took a fifth of a run's CPU, so
// only files with new coverage are included. Counts of executions are therefore not exact.
if (coverageFolder)
  Object.defineProperty(globalThis, '__coverage__', {
    get: () => Object.fromEntries(Object.entries(globalThis.__counters__ ?? {}).filter(hasNewCoverage)),
  });
