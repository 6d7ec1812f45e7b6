// Gateway process for growth.js: loads the given number of events, then measures a round for each message.
import { SignJWT } from 'jose';
import { compose } from '../dist/app.js';
import { readConfig } from '../dist/config.js';

const eventCount = Number(process.argv[2]);
const calendarCount = 20;
const secret = 'a secret for benches that has 32 bytes or more';
const hourMs = 3_600_000;
const begin = Date.UTC(2030, 0, 1);
const intervalMs = 3 * hourMs; // 56 events a week on each calendar
const ownerOf = (index) => `user${index % calendarCount}@example.com`;
const iso = (ms) => new Date(ms).toISOString();
const stampTime = iso(begin);

const seed = {
  calendars: Array.from({ length: calendarCount }, (_, index) => ({
    id: ownerOf(index),
    owner: ownerOf(index),
    timeZone: 'UTC',
  })),
  buckets: [],
};
const { app, stores } = await compose(
  readConfig({ ...process.env, AUTH_JWT_SECRET: secret, RATE_LIMIT: 'off' }),
  { logLevel: 'silent', seed },
);
await app.ready();

function recordOf(index) {
  const home = ownerOf(index);
  const start = begin + Math.floor(index / calendarCount) * intervalMs;
  const stamp = { tag: 'seed', at: stampTime };
  const attendees = [0, 1].map((guest) => ({
    email: `guest${guest}of${index}@elsewhere.example`,
    responseStatus: 'needsAction',
  }));
  return {
    key: `key${index}`,
    version: 0,
    homeId: home,
    coreStamp: stamp,
    openStamp: stamp,
    core: {
      iCalUID: `${index}@example.com`,
      summary: `Event ${index}`,
      location: `Room ${index % 50}`,
      created: stampTime,
      creator: { email: home },
      organizer: { email: home },
      start: { dateTime: iso(start) },
      end: { dateTime: iso(start + hourMs) },
      attendees,
    },
    copies: { [home]: { id: `event${index}`, state: 'present', stamp, own: {} } },
  };
}

const heapBytes = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const [before, startedAt] = [heapBytes(), performance.now()];
const batchSize = 1000;
for (let first = 0; first < eventCount; first += batchSize) {
  await stores.events.importEvents(
    Array.from({ length: Math.min(batchSize, eventCount - first) }, (_, at) => {
      const next = recordOf(first + at);
      return {
        target: { calendar: { id: next.homeId }, eventId: `event${first + at}`, guests: [] },
        decide: () => ({ next, result: true }),
      };
    }),
  );
}
process.send({ seconds: (performance.now() - startedAt) / 1000, bytes: (heapBytes() - before) / eventCount });

const tokens = await Promise.all(
  Array.from({ length: calendarCount }, (_, index) =>
    new SignJWT({ email: ownerOf(index), scope: 'https://www.googleapis.com/auth/calendar' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(ownerOf(index))
      .setExpirationTime('1h')
      .sign(Buffer.from(secret)),
  ),
);

async function sendQuery(index, query, variables) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${tokens[index % calendarCount]}`,
  };
  const { data, errors } = JSON.parse(
    (
      await app.inject({
        method: 'POST',
        url: '/graphql',
        headers,
        payload: JSON.stringify({ query, variables }),
      })
    ).body,
  );
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

const patchDocument =
  'mutation ($id: String!, $s: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $s, location: $s }) { id etag summary } }';
const weekDocument =
  'query ($a: DateTime!, $b: DateTime!) { events(calendarId: "primary", timeMin: $a, timeMax: $b, singleEvents: true, orderBy: startTime) { nodes { id summary start { dateTime } } } }';
const patch = (index) => sendQuery(index, patchDocument, { id: `event${index}`, s: `${Math.random()}` });
async function week(index) {
  // A random week that is full of events.
  const weeks = Math.max(1, Math.floor(((eventCount / calendarCount) * intervalMs) / (168 * hourMs)) - 1);
  const from = begin + Math.floor(Math.random() * weeks) * 168 * hourMs;
  const { events } = await sendQuery(index, weekDocument, { a: iso(from), b: iso(from + 168 * hourMs) });
  if (events.nodes.length < Math.min(56, eventCount / calendarCount))
    throw new Error(`a week of ${events.nodes.length} events`);
}

async function measureTimes(work, amount) {
  const times = [];
  for (let round = 0; round < amount; round += 1) {
    const index = Math.floor(Math.random() * eventCount);
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
  }
  return times;
}

process.on('message', async ({ amount }) => {
  if (amount === 0) return void (await app.close(), process.disconnect());
  process.send({ patch: await measureTimes(patch, amount), week: await measureTimes(week, amount / 2) });
});
