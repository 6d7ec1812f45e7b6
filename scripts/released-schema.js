import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { breaks } from './breaks.js';

// Updates `schema/released.graphql`, on which clients may rely, as part of a release. `--check` instead fails if the schema
// has breaking changes: removed or narrowed types, and scopes that no longer suffice.
const folder = new URL('../schema/', import.meta.url);
const released = new URL('released.graphql', folder);
const excluded = ['federation.graphql', 'released.graphql'];

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql') && !excluded.includes(name))
  .sort();
const current = files.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');

if (!process.argv.includes('--check')) {
  writeFileSync(released, current);
} else if (existsSync(released)) {
  const broken = breaks(buildSchema(readFileSync(released, 'utf8')), buildSchema(current));
  for (const line of broken) console.error(line);
  if (broken.length > 0) {
    console.error(
      'These changes break clients of the released schema. Keep what there was, or release with `npm run schema:release`.',
    );
    process.exitCode = 1;
  }
}
