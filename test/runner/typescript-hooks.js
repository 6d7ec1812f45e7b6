import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createInstrumenter } from 'istanbul-lib-instrument';
import { globsToMatcher } from 'jest-util';
import config from '../../jest.config.js';
import { process } from './typescript-transform.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isCovered = globsToMatcher(config.collectCoverageFrom);
let instrumenter;
let instrumentedFolder;

/** Node's initialize hook. Files are instrumented only with a folder, which all workers share. */
export function initialize({ coverageFolder }) {
  instrumentedFolder = coverageFolder;
  if (instrumentedFolder)
    instrumenter = createInstrumenter({ esModules: true, coverageVariable: '__counters__' });
}

/** Node's resolve hook: examples import the package by its name, but tests load its source. */
export const resolve = (specifier, context, nextResolve) =>
  nextResolve(
    specifier === 'resource-gateway/client'
      ? `${new URL('../../src/client/client.ts', import.meta.url)}`
      : specifier,
    context,
  );

/** Node's load hook: strips types, and instruments covered files. */
export async function load(url, context, nextLoad) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const stripTypes = () => process(readFileSync(path, 'utf8'), path).code;
  const isInstrumented =
    instrumenter !== undefined && path.startsWith(root) && isCovered(path.slice(root.length));
  return {
    format: 'module',
    source: isInstrumented
      ? await createOnce(encodeURIComponent(path.slice(root.length)), () =>
          instrumenter.instrumentSync(stripTypes(), path),
        )
      : stripTypes(),
    shortCircuit: true,
  };
}

/** Creates a text in the first worker that claims its name; others read it: instrumenting all files takes 8 s of CPU. */
async function createOnce(name, createText) {
  const file = join(instrumentedFolder, name);
  const claimFolder = `${file}.claim`;
  while (!existsSync(file)) {
    try {
      mkdirSync(claimFolder);
    } catch {
      await pause(5);
      continue;
    }
    try {
      writeFileSync(`${file}.new`, createText());
      renameSync(`${file}.new`, file);
    } finally {
      // After a failure, a waiting worker takes over.
      if (!existsSync(file)) rmdirSync(claimFolder);
    }
  }
  return readFileSync(file, 'utf8');
}
