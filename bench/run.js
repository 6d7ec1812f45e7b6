// Measures all figures of docs/performance.md for one version of Node.js, one bench after the other:
//   npm run bench [-- --quick]
// Each bench ends with its goals. No other program should run meanwhile.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const benches = ['compare/run.js', 'rest.js', 'memory.js', 'mails.js', 'postgres/guests.js'];
const options = process.argv.includes('--quick') ? ['--quick'] : [];
for (const bench of benches) {
  console.log(`\n## ${bench}, Node.js ${process.version}`);
  const { signal } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL(bench, import.meta.url)), ...options],
    {
      stdio: 'inherit',
    },
  );
  if (signal) process.exit(1);
}
