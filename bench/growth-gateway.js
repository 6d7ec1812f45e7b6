// Gateway process for growth.js: loads the given number of events, then measures a round for each message.
import { SignJWT } from 'jose';
import { compose } from '../dist/app.js';
import { readConfig } from '../dist/config.js';

const eventCount = Number(process.argv[2]);
const calendarCount = 20;
const secret = 'a secret for benches that has 32 bytes or more';
const hourMs = 3_600_000;
const firstStartMs = Date.UTC(2030, 0, 1);
const weekMs = 7 * 24 * hourMs;
const intervalMs = 3 * hourMs;
const eventsPerWeek = weekMs / intervalMs;
/** Owner of the calendar of an event: events are spread over all calendars. */
const ownerOf = (index) => `user${index % calendarCount}@example.com`;
const formatInstant = (ms) => new Date(ms).toISOString();
const createdAt = formatInstant(firstStartMs);

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

/** Creates the stored record of an event with two guests. */
function createRecord(index) {
  const ownerEmail = ownerOf(index);
  const startMs = firstStartMs + Math.floor(index / calendarCount) * intervalMs;
  const stamp = { tag: 'seed', at: createdAt };
  const attendees = [0, 1].map((guest) => ({
    email: `guest${guest}of${index}@elsewhere.example`,
    responseStatus: 'needsAction',
  }));
  return {
    key: `key${index}`,
    version: 0,
    homeId: ownerEmail,
    coreStamp: stamp,
    openStamp: stamp,
    core: {
      iCalUID: `${index}@example.com`,
      summary: `Event ${index}`,
      location: `Room ${index % 50}`,
      created: createdAt,
      creator: { email: ownerEmail },
      organizer: { email: ownerEmail },
      start: { dateTime: formatInstant(startMs) },
      end: { dateTime: formatInstant(startMs + hourMs) },
      attendees,
    },
    copies: { [ownerEmail]: { id: `event${index}`, state: 'present', stamp, own: {} } },
  };
}

const measureHeapBytes = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const [emptyHeapBytes, importStartedAtMs] = [measureHeapBytes(), performance.now()];
const batchSize = 1000;
for (let batchStart = 0; batchStart < eventCount; batchStart += batchSize) {
  await stores.events.importEvents(
    Array.from({ length: Math.min(batchSize, eventCount - batchStart) }, (_, offset) => {
      const record = createRecord(batchStart + offset);
      return {
        target: { calendar: { id: record.homeId }, eventId: `event${batchStart + offset}`, guests: [] },
        decide: () => ({ next: record, result: true }),
      };
    }),
  );
}
// The parent reads the duration of the import, and the heap that each event takes.
process.send({
  seconds: (performance.now() - importStartedAtMs) / 1000,
  bytes: (measureHeapBytes() - emptyHeapBytes) / eventCount,
});

const tokens = await Promise.all(
  Array.from({ length: calendarCount }, (_, index) =>
    new SignJWT({ email: ownerOf(index), scope: 'https://www.googleapis.com/auth/calendar' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(ownerOf(index))
      .setExpirationTime('1h')
      .sign(Buffer.from(secret)),
  ),
);

/** Sends an operation as the owner of an event, and returns its data. */
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
  'mutation ($id: String!, $text: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $text, location: $text }) { id etag summary } }';
const weekDocument =
  'query ($timeMin: DateTime!, $timeMax: DateTime!) { events(calendarId: "primary", timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) { nodes { id summary start { dateTime } } } }';
const patchEvent = (index) =>
  sendQuery(index, patchDocument, { id: `event${index}`, text: `${Math.random()}` });
/** Lists a random week that is full of events. */
async function listWeek(index) {
  const fullWeekCount = Math.max(1, Math.floor(((eventCount / calendarCount) * intervalMs) / weekMs) - 1);
  const weekStartMs = firstStartMs + Math.floor(Math.random() * fullWeekCount) * weekMs;
  const { events } = await sendQuery(index, weekDocument, {
    timeMin: formatInstant(weekStartMs),
    timeMax: formatInstant(weekStartMs + weekMs),
  });
  if (events.nodes.length < Math.min(eventsPerWeek, eventCount / calendarCount))
    throw new Error(`a week of ${events.nodes.length} events`);
}

/** Measures an operation for `sampleCount` random events; resolves to the times in ms. */
async function measureTimes(operation, sampleCount) {
  const times = [];
  for (let round = 0; round < sampleCount; round += 1) {
    const index = Math.floor(Math.random() * eventCount);
    const startedAtMs = performance.now();
    await operation(index);
    times.push(performance.now() - startedAtMs);
  }
  return times;
}

// Messages of the parent have a number of patches (`samples`). The response has the times (ms) of these
// patches and of half as many weeks. 0 ends the process.
process.on('message', async ({ samples }) => {
  if (samples === 0) return void (await app.close(), process.disconnect());
  process.send({
    patch: await measureTimes(patchEvent, samples),
    week: await measureTimes(listWeek, samples / 2),
  });
});
