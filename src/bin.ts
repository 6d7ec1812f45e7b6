#!/usr/bin/env node
/** What the package's program does by its first argument; without one of these it is the gateway. */
const commands = new Map<string | undefined, () => Promise<unknown>>([
  ['token', () => import('./token.ts')],
  ['migrate', () => import('./migrate.ts')],
  ['data', () => import('./data.ts')],
]);

const command = commands.get(process.argv[2]);
// Each reads what follows its name.
if (command) process.argv.splice(2, 1);
await (command ?? (() => import('./main.ts')))();
