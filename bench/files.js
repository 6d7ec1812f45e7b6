// Files of the gateway that one warm patch of a title runs, by V8's coverage: how much somebody who wants to follow it has to open.
// Build first; run: node bench/files.js [list]   (PostgreSQL: at DATABASE_URL, or on a server of its own)
import { Session } from 'node:inspector/promises';
import { secret } from './compare/data.js';
import { tokenOf } from './hardening/gateway.js';
import { openDatabase } from './postgres/database.js';

const list = process.argv.includes('list');
const dist = new URL('../dist/', import.meta.url).href;
const goals = { memory: 80, PostgreSQL: 90, REST: 95 };

const graphql = (n) => ({
  method: 'POST',
  url: '/graphql',
  payload: {
    query:
      'mutation Patch($text: String!) { patchEvent(calendarId: "primary", eventId: "one", event: { summary: $text }) { id etag summary } }',
    variables: { text: `Title ${n}` },
  },
});
const rest = (n) => ({
  method: 'PATCH',
  url: '/calendar/v3/calendars/primary/events/one?fields=id,etag,summary',
  payload: { summary: `Title ${n}` },
});

async function measured(session, inject, request) {
  for (let n = 0; n < 200; n += 1) {
    const { statusCode, payload } = await inject(request(n));
    if (statusCode !== 200 || !payload.includes(`Title ${n}`)) throw new Error(payload);
  }
  // A relay or a cache that still works for the requests before is none of this one's files.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await inject(request('measured'));
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(dist) && functions.some((one) => ran(one)))
    .map(({ url }) => url.slice(dist.length))
    .sort();
}

/** The code of a module beside its functions has the name '' and covers it from its begin: it ran when it was loaded. */
const ran = ({ functionName, ranges: [{ startOffset, count }] }) =>
  count > 0 && !(functionName === '' && startOffset === 0);

async function gateway(settings) {
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
const found = {};

const inMemory = await gateway({ REST: 'on' });
found.memory = await measured(session, inMemory.inject, graphql);
found.REST = await measured(session, inMemory.inject, rest);
await inMemory.close();

const database = await openDatabase();
const overPostgres = await gateway({ DATABASE_URL: database.urlFor('gateway') });
found.PostgreSQL = await measured(session, overPostgres.inject, graphql);
await overPostgres.close();
await database.close();

console.log('\n| a warm patch of a title | files | goal |\n|---|---|---|');
for (const [where, files] of Object.entries(found))
  console.log(`| ${where} | ${files.length} | ${goals[where]} |`);
if (list) for (const [where, files] of Object.entries(found)) console.log(`\n${where}\n${files.join('\n')}`);
