// A gateway with so many events in its store, for growth.js: loads them, then measures a round whenever it is asked to.
import { SignJWT } from 'jose';
import { compose } from '../dist/app.js';
import { readConfig } from '../dist/config.js';

const count = Number(process.argv[2]);
const calendars = 20;
const secret = 'a secret for benches that has 32 bytes or more';
const hour = 3_600_000;
const begin = Date.UTC(2030, 0, 1);
const every = 3 * hour; // 56 events a week on each calendar, however many there are
const owner = (index) => `user${index % calendars}@example.com`;
const iso = (ms) => new Date(ms).toISOString();
const stampAt = iso(begin);

const seed = {
  calendars: Array.from({ length: calendars }, (_, index) => ({
    id: owner(index),
    owner: owner(index),
    timeZone: 'UTC',
  })),
  buckets: [],
};
const { app, stores } = await compose(
  readConfig({ ...process.env, AUTH_JWT_SECRET: secret, RATE_LIMIT: 'off' }),
  { logLevel: 'silent', seed },
);
await app.ready();

function record(index) {
  const home = owner(index);
  const start = begin + Math.floor(index / calendars) * every;
  const stamp = { tag: 'seed', at: stampAt };
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
      created: stampAt,
      creator: { email: home },
      organizer: { email: home },
      start: { dateTime: iso(start) },
      end: { dateTime: iso(start + hour) },
      attendees,
    },
    copies: { [home]: { id: `event${index}`, state: 'present', stamp, own: {} } },
  };
}

const used = () => {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};
const [before, began] = [used(), performance.now()];
const batch = 1000;
for (let first = 0; first < count; first += batch) {
  await stores.events.importEvents(
    Array.from({ length: Math.min(batch, count - first) }, (_, at) => {
      const next = record(first + at);
      return {
        target: { calendar: { id: next.homeId }, eventId: `event${first + at}`, guests: [] },
        decide: () => ({ next, result: true }),
      };
    }),
  );
}
process.send({ seconds: (performance.now() - began) / 1000, bytes: (used() - before) / count });

const tokens = await Promise.all(
  Array.from({ length: calendars }, (_, index) =>
    new SignJWT({ email: owner(index), scope: 'https://www.googleapis.com/auth/calendar' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(owner(index))
      .setExpirationTime('1h')
      .sign(Buffer.from(secret)),
  ),
);

async function ask(index, query, variables) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${tokens[index % calendars]}`,
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
const patch = (index) => ask(index, patchDocument, { id: `event${index}`, s: `${Math.random()}` });
async function week(index) {
  // The week in the middle of the time that the events take, or somewhere else that is full.
  const weeks = Math.max(1, Math.floor(((count / calendars) * every) / (168 * hour)) - 1);
  const from = begin + Math.floor(Math.random() * weeks) * 168 * hour;
  const { events } = await ask(index, weekDocument, { a: iso(from), b: iso(from + 168 * hour) });
  if (events.nodes.length < Math.min(56, count / calendars))
    throw new Error(`a week of ${events.nodes.length} events`);
}

async function times(work, amount) {
  const all = [];
  for (let round = 0; round < amount; round += 1) {
    const index = Math.floor(Math.random() * count);
    const at = performance.now();
    await work(index);
    all.push(performance.now() - at);
  }
  return all;
}

process.on('message', async ({ amount }) => {
  if (amount === 0) return void (await app.close(), process.disconnect());
  process.send({ patch: await times(patch, amount), week: await times(week, amount / 2) });
});
