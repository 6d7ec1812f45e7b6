// Takes every rule of rules.js out of a copy of the source, one at a time, and runs the tests that must fail then.
// Run: node test/without-rules/run.js [part of a file name]
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rules } from './rules.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'without-rules-'));
for (const name of ['src', 'test', 'schema', 'package.json', 'tsconfig.json', 'jest.config.js']) {
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** The outcome of the tests whose path fits: how many passed and failed, none when jest did not come that far. */
function run(tests) {
  const pattern = `test/event/[^/]*(${tests})`;
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const { stdout } = spawnSync('node', [...flags, jest, '--rootDir', copy, '--bail', pattern], { cwd: copy, encoding: 'utf8' });
  const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(stdout) ?? [];
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
}

let survivors = 0;
try {
  for (const tests of new Set(rules.map(([, , , of]) => of))) {
    const { passed, failed } = run(tests);
    if (failed > 0 || passed === 0) throw new Error(`${tests} does not pass with all rules in place`);
  }
  for (const [file, source, without, tests] of rules.filter(([name]) => name.includes(process.argv[2] ?? ''))) {
    const path = join(copy, 'src/event', file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(source)) throw new Error(`${file} does not hold: ${source}`);
    writeFileSync(path, text.replace(source, () => without));
    const { failed } = run(tests);
    writeFileSync(path, text);
    survivors += failed > 0 ? 0 : 1;
    console.log(`${failed > 0 ? 'fails without' : 'SURVIVES WITHOUT'} ${file}: ${source}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${survivors} of ${rules.length} rules can be taken out unnoticed`);
process.exitCode = survivors === 0 ? 0 : 1;
