// Updates `schema/released.graphql`, on which clients may rely, as part of a release. `--check` instead fails
// if the schema has breaking changes: removed or narrowed types, and scopes that no longer suffice.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { listBreakingChanges } from './breaking-changes.js';

const folder = new URL('../schema/', import.meta.url);
const releasedFile = new URL('released.graphql', folder);
const excludedFiles = ['federation.graphql', 'released.graphql'];

const sourceFiles = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql') && !excludedFiles.includes(name))
  .sort();
const currentSdl = sourceFiles.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');

if (!process.argv.includes('--check')) {
  writeFileSync(releasedFile, currentSdl);
} else if (existsSync(releasedFile)) {
  const breakingChanges = listBreakingChanges(
    buildSchema(readFileSync(releasedFile, 'utf8')),
    buildSchema(currentSdl),
  );
  for (const sentence of breakingChanges) console.error(sentence);
  if (breakingChanges.length > 0) {
    console.error(
      'These changes break clients of the released schema. Keep what there was, or release with `npm run schema:release`.',
    );
    process.exitCode = 1;
  }
}
