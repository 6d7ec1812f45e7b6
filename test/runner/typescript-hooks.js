import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { globsToMatcher } from 'jest-util';
import config from '../../jest.config.js';
import { process } from './typescript-transform.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isCovered = globsToMatcher(config.collectCoverageFrom);
let instrumenter;

export function initialize({ collectsCoverage }) {
  if (collectsCoverage)
    instrumenter = createInstrumenter({ esModules: true, coverageVariable: '__counters__' });
}

/** Node's hook: what it runs for a TypeScript file. */
export async function load(url, context, nextLoad) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = process(readFileSync(path, 'utf8'), path);
  const counts = instrumenter !== undefined && path.startsWith(root) && isCovered(path.slice(root.length));
  return {
    format: 'module',
    source: counts ? instrumenter.instrumentSync(code, path) : code,
    shortCircuit: true,
  };
}
