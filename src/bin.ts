#!/usr/bin/env node
/** Commands of the package's executable by first argument; any other starts the gateway. */
const commands = new Map<string | undefined, () => Promise<unknown>>([
  ['token', () => import('./token.ts')],
  ['migrate', () => import('./migrate.ts')],
  ['data', () => import('./data.ts')],
]);

const command = commands.get(process.argv[2]);
// Commands read the arguments after their name.
if (command) process.argv.splice(2, 1);
await (command ?? (() => import('./main.ts')))();
