// What the gateway's services cost over PostgreSQL: a patch of two strings, a week of a calendar, and patches side by side.
//   DATABASE_URL=postgres://… npm run bench:postgres [events]      (an empty database; `npm run build` first)
import { readConfig } from '../dist/config.js';
import { compose } from '../dist/compose.js';
import { SignJWT } from 'jose';

const count = Number(process.argv[2] ?? 10_000);
const calendars = 20;
const secret = 'a secret for benches that has 32 bytes or more';
const day = 86_400_000;
const begin = Date.UTC(2030, 0, 1);
const owner = (index) => `user${index}@example.com`;
const seed = { calendars: Array.from({ length: calendars }, (_, index) => ({ id: owner(index), owner: owner(index), timeZone: 'UTC' })), buckets: [] };
const config = readConfig({ ...process.env, AUTH_JWT_SECRET: secret, RATE_LIMIT: 'off' });
const { app, stores } = await compose(config, { logLevel: 'silent', seed });
await app.ready();

const iso = (ms) => new Date(ms).toISOString();
const stamp = { tag: 'seed', at: iso(begin) };
const record = (index) => {
  const home = owner(index % calendars);
  const start = begin + (Math.floor(index / calendars) % 3650) * (day / 10);
  const attendees = Array.from({ length: 10 }, (_, guest) => ({ email: `guest${guest}@elsewhere.example`, responseStatus: 'needsAction' }));
  return {
    key: `key${index}`, version: 1, homeId: home, coreStamp: stamp, openStamp: stamp,
    core: { iCalUID: `${index}@example.com`, summary: `Event ${index}`, created: stamp.at, creator: { email: home }, organizer: { email: home }, start: { dateTime: iso(start) }, end: { dateTime: iso(start + 3_600_000) }, attendees },
    copies: { [home]: { id: `event${index}`, state: 'present', stamp, own: {} } },
  };
};

const began = performance.now();
const [known] = await stores.events.events([{ calendarId: owner((count - 1) % calendars), eventId: `event${count - 1}` }]);
if (!known) {
  let next = 0;
  await Promise.all(Array.from({ length: 10 }, async () => {
    for (let index = next++; index < count; index = next++) {
      const one = record(index);
      await stores.events.changeEvent({ calendar: { id: one.homeId }, eventId: `event${index}`, guests: [] }, () => ({ next: one, result: 0 }));
    }
  }));
}
console.log(`${count} events on ${calendars} calendars, stored in ${((performance.now() - began) / 1000).toFixed(1)} s`);

const tokens = await Promise.all(Array.from({ length: calendars }, (_, index) =>
  new SignJWT({ email: owner(index), scope: 'https://www.googleapis.com/auth/calendar' }).setProtectedHeader({ alg: 'HS256' }).setSubject(owner(index)).setExpirationTime('1h').sign(Buffer.from(secret))));
const ask = async (caller, query, variables) => {
  const response = await app.inject({ method: 'POST', url: '/graphql', headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[caller]}` }, payload: JSON.stringify({ query, variables }) });
  const { data, errors } = JSON.parse(response.body);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
};
const patch = (index) => ask(index % calendars, 'mutation ($id: String!, $s: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $s, location: $s }) { id etag summary } }', { id: `event${index}`, s: `${Math.random()}` });
const week = (index) => {
  const from = begin + Math.floor(Math.random() * 300) * day;
  return ask(index % calendars, 'query ($a: DateTime!, $b: DateTime!) { events(calendarId: "primary", timeMin: $a, timeMax: $b, singleEvents: true, orderBy: startTime) { nodes { id summary start { dateTime } } } }', { a: iso(from), b: iso(from + 7 * day) });
};
async function measure(name, work, rounds, width = 1) {
  for (let index = 0; index < 50; index += 1) await work(index);
  const times = [];
  let next = 0;
  const start = performance.now();
  await Promise.all(Array.from({ length: width }, async () => {
    for (let index = next++; index < rounds; index = next++) {
      const at = performance.now();
      await work(Math.floor(Math.random() * count));
      times.push(performance.now() - at);
    }
  }));
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(2);
  console.log(`${name.padEnd(28)} median ${at(0.5)} ms, p95 ${at(0.95)} ms, ${(rounds / ((performance.now() - start) / 1000)).toFixed(0)} a second`);
}
await measure('patch', patch, 500);
await measure('patch, 20 side by side', patch, 2000, 20);
await measure('patch of one event, 20 wide', () => patch(0), 1000, 20);
await measure('week', week, 500);
await app.close();
