// Lets Node load TypeScript, in the process of jest and in each of its workers: `node --import`. Node 20 does not strip
// types itself. The hooks are in `typescript-hooks.js`; with `--coverage`, what they load counts what is run of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

// Workers have the environment of the main thread, and not its arguments.
if (isMainThread && process.argv.some((argument) => /^--coverage(=true)?$/.test(argument))) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-coverage-'));
  process.env.TEST_COVERAGE = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
const coverageFolder = process.env.TEST_COVERAGE;
register('./typescript-hooks.js', import.meta.url, { data: { coverageFolder } });

/** By path of a source file, what the tests of this worker have run of it: 1 for each counter above 0. */
const seen = new Map();

const hits = ({ s, f, b }) => [...Object.values(s), ...Object.values(f), ...Object.values(b).flat()];

/** Whether a file's counters say that something was run which had not been run at the last call. */
function coversMore([path, counters]) {
  const before = seen.get(path);
  const now = hits(counters)
    .map((count) => (count > 0 ? 1 : 0))
    .join('');
  seen.set(path, now);
  return now !== before;
}

// The runner hands on this variable behind each test file. To copy and merge the counters of all source files each time
// took a fifth of the CPU of a run, so it hands on those that say something new. How often a line is run is not counted.
if (coverageFolder)
  Object.defineProperty(globalThis, '__coverage__', {
    get: () => Object.fromEntries(Object.entries(globalThis.__counters__ ?? {}).filter(coversMore)),
  });
