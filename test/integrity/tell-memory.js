// Loaded into a gateway with `--import`: on SIGWINCH it collects what is not used any more, and tells on standard error how
// many bytes are left.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGWINCH', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`in use: ${heapUsed + external}\n`);
});
