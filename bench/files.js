// Counts the files that a warm patch of a title executes, by V8 coverage: the files that a newcomer must open to follow it.
// Build first; run: node bench/files.js [list]. Uses PostgreSQL at DATABASE_URL, or starts a server.
import { Session } from 'node:inspector/promises';
import { secret } from './compare/data.js';
import { tokenOf } from './hardening/gateway.js';
import { openDatabase } from './postgres/database.js';

const printsFiles = process.argv.includes('list');
const dist = new URL('../dist/', import.meta.url).href;
const maxFiles = { memory: 80, PostgreSQL: 90, REST: 95 };

const patchByGraphql = (n) => ({
  method: 'POST',
  url: '/graphql',
  payload: {
    query:
      'mutation Patch($text: String!) { patchEvent(calendarId: "primary", eventId: "one", event: { summary: $text }) { id etag summary } }',
    variables: { text: `Title ${n}` },
  },
});
const patchByRest = (n) => ({
  method: 'PATCH',
  url: '/calendar/v3/calendars/primary/events/one?fields=id,etag,summary',
  payload: { summary: `Title ${n}` },
});

async function measureFiles(session, inject, request) {
  for (let n = 0; n < 200; n += 1) {
    const { statusCode, payload } = await inject(request(n));
    if (statusCode !== 200 || !payload.includes(`Title ${n}`)) throw new Error(payload);
  }
  // Lets background work of earlier requests (relay, caches) finish, so that its files are not counted.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await inject(request('measured'));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(dist) && functions.some(isExecuted))
    .map(({ url }) => url.slice(dist.length))
    .sort();
}

/** Excludes the top-level code of a module (name '', offset 0), which only runs when the module is loaded. */
const isExecuted = ({ functionName, ranges: [{ startOffset, count }] }) =>
  count > 0 && !(functionName === '' && startOffset === 0);

async function startGateway(settings) {
  const { compose } = await import('../dist/app.js');
  const { readConfig } = await import('../dist/config.js');
  const config = readConfig({ AUTH_JWT_SECRET: secret, SIGNING_SECRET: secret, ...settings });
  const time = (hour) => ({ dateTime: `2030-01-07T${hour}:00:00Z` });
  const event = { id: 'one', summary: 'One', start: time('10'), end: time('11') };
  const calendar = { id: 'alice@example.com', owner: 'alice@example.com', timeZone: 'UTC', events: [event] };
  const { app } = await compose(config, {
    logLevel: 'silent',
    seed: { calendars: [calendar], buckets: [] },
  });
  const authorization = `Bearer ${await tokenOf('alice@example.com', {}, secret)}`;
  return {
    inject: (request) => app.inject({ ...request, headers: { authorization } }),
    close: () => app.close(),
  };
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const filesByGateway = {};

const memoryGateway = await startGateway({ REST: 'on' });
filesByGateway.memory = await measureFiles(session, memoryGateway.inject, patchByGraphql);
filesByGateway.REST = await measureFiles(session, memoryGateway.inject, patchByRest);
await memoryGateway.close();

const database = await openDatabase();
const postgresGateway = await startGateway({ DATABASE_URL: database.urlFor('gateway') });
filesByGateway.PostgreSQL = await measureFiles(session, postgresGateway.inject, patchByGraphql);
await postgresGateway.close();
await database.close();

console.log('\n| a warm patch of a title | files | goal |\n|---|---|---|');
for (const [where, files] of Object.entries(filesByGateway))
  console.log(`| ${where} | ${files.length} | ${maxFiles[where]} |`);
if (printsFiles)
  for (const [where, files] of Object.entries(filesByGateway)) console.log(`\n${where}\n${files.join('\n')}`);
