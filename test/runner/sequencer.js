import { statSync } from 'node:fs';

const startsProcesses = ({ path }) => path.endsWith('.process.ts');

/**
 * The order of test files: those of processes and browsers first, which take long however short they are, then by size.
 * So no worker is busy alone at the end. Jest's own sequencer knows sizes only, and durations once it has run here before.
 */
export default class Sequencer {
  sort(tests) {
    const sizes = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return [...tests].sort((a, b) => startsProcesses(b) - startsProcesses(a) || sizes.get(b) - sizes.get(a));
  }

  /** Part of jest's interface: nothing is remembered. */
  cacheResults() {}
}
