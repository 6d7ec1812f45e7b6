import { statSync } from 'node:fs';

const startsProcesses = ({ path }) => path.endsWith('.process.ts');

/**
 * Orders test files: first those that start processes, which are slow at any size, then by size. So no worker is left
 * alone at the end. Jest's own sequencer uses sizes, and durations only after a first run on the machine.
 */
export default class Sequencer {
  sort(tests) {
    const sizes = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return [...tests].sort((a, b) => startsProcesses(b) - startsProcesses(a) || sizes.get(b) - sizes.get(a));
  }

  /** Required by Jest; there is nothing to cache. */
  cacheResults() {}
}
