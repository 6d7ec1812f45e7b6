// Counts the files that a warm patch of a title executes, by V8 coverage: a newcomer must open them to follow
// the patch.
// Build first; run: node bench/executed-files.js [list]. Uses PostgreSQL at DATABASE_URL, or starts a server.
import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { secret } from './compare/data.js';
import { signToken } from './hardening/gateway.js';
import { openDatabase } from './postgres/database.js';

const includesFileList = process.argv.includes('list');
const distUrl = new URL('../dist/', import.meta.url).href;
const warmUpPatches = 200;
/** Time in which background work of earlier requests (relay, caches) ends, so that its files are not counted. */
const backgroundMs = 1500;
/** Maximum numbers of executed files. */
const maxFiles = { memory: 80, PostgreSQL: 90, REST: 95 };

const createGraphqlPatch = (title) => ({
  method: 'POST',
  url: '/graphql',
  payload: {
    query:
      'mutation Patch($title: String!) { patchEvent(calendarId: "primary", eventId: "one", event: { summary: $title }) { id etag summary } }',
    variables: { title },
  },
});
const createRestPatch = (title) => ({
  method: 'PATCH',
  url: '/calendar/v3/calendars/primary/events/one?fields=id,etag,summary',
  payload: { summary: title },
});

/** Lists the files of `dist` that a patch executes. `createPatch`: creates the request from a title. */
async function listExecutedFiles(session, inject, createPatch) {
  for (let round = 0; round < warmUpPatches; round += 1) {
    const { statusCode, payload } = await inject(createPatch(`Title ${round}`));
    if (statusCode !== 200 || !payload.includes(`Title ${round}`)) throw new Error(payload);
  }
  await pause(backgroundMs);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await inject(createPatch('Measured'));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(distUrl) && functions.some(isExecuted))
    .map(({ url }) => url.slice(distUrl.length))
    .sort();
}

/** Whether a function was called. The top-level code of a module (name '', offset 0) only runs when it is loaded. */
const isExecuted = ({ functionName, ranges: [{ startOffset, count }] }) =>
  count > 0 && !(functionName === '' && startOffset === 0);

/** Composes a gateway in this process with one stored event. `settings`: its environment variables. */
async function composeGateway(settings) {
  const { compose } = await import('../dist/app.js');
  const { readConfig } = await import('../dist/config.js');
  const config = readConfig({ AUTH_JWT_SECRET: secret, SIGNING_SECRET: secret, ...settings });
  const timeAt = (hour) => ({ dateTime: `2030-01-07T${hour}:00:00Z` });
  const event = { id: 'one', summary: 'One', start: timeAt('10'), end: timeAt('11') };
  const calendar = { id: 'alice@example.com', owner: 'alice@example.com', timeZone: 'UTC', events: [event] };
  const { app } = await compose(config, {
    logLevel: 'silent',
    seed: { calendars: [calendar], buckets: [] },
  });
  const authorization = `Bearer ${await signToken('alice@example.com', {}, secret)}`;
  return {
    inject: (request) => app.inject({ ...request, headers: { authorization } }),
    close: () => app.close(),
  };
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const filesByGateway = {};

const memoryGateway = await composeGateway({ REST: 'on' });
filesByGateway.memory = await listExecutedFiles(session, memoryGateway.inject, createGraphqlPatch);
filesByGateway.REST = await listExecutedFiles(session, memoryGateway.inject, createRestPatch);
await memoryGateway.close();

const database = await openDatabase();
const postgresGateway = await composeGateway({ DATABASE_URL: database.urlFor('gateway') });
filesByGateway.PostgreSQL = await listExecutedFiles(session, postgresGateway.inject, createGraphqlPatch);
await postgresGateway.close();
await database.close();

console.log('\n| a warm patch of a title | files | at most |\n|---|---|---|');
for (const [gatewayName, files] of Object.entries(filesByGateway))
  console.log(`| ${gatewayName} | ${files.length} | ${maxFiles[gatewayName]} |`);
if (includesFileList)
  for (const [gatewayName, files] of Object.entries(filesByGateway))
    console.log(`\n${gatewayName}\n${files.join('\n')}`);
