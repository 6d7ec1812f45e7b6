// Measures the CPU of mails to guests, of a gateway in memory over HTTP: a patch of an event with ten guests with
// `sendUpdates: all` and with `none`, while the mail server is silent; then sending each mail.
// Build first; run: node bench/mails.js
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { startGateway, tokenOf } from './hardening/gateway.js';

const maxRatio = 1.3;
/** Callers who each stay just below the daily mail quota. The first `warmUp` ones are not counted. */
const users = Array.from({ length: 30 }, (_, index) => `user${index}@example.com`);
const warmUp = 6;
const patchesPerUser = 180;
const events = 20;
const connections = 10;
const ticksPerSecond = 100;

const guests = Array.from({ length: 10 }, (_, index) => ({
  email: `guest${index}@elsewhere.example`,
  displayName: `Guest ${index}`,
  responseStatus: 'accepted',
  optional: index % 2 === 0,
}));
const eventOf = (index) => ({
  id: `event${index}`,
  summary: 'Planning',
  description: 'What we did, what comes next. '.repeat(8),
  location: 'Room 3',
  attendees: guests,
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
});
const seed = {
  buckets: [],
  calendars: users.map((owner) => ({
    id: owner,
    owner,
    timeZone: 'Europe/Berlin',
    defaultReminders: [],
    acl: [],
    events: Array.from({ length: events }, (_, index) => eventOf(index)),
  })),
};
const query = `mutation Patch($id: String!, $event: EventInput!, $sendUpdates: SendUpdates) {
  patchEvent(calendarId: "primary", eventId: $id, sendUpdates: $sendUpdates, event: $event) {
    id status summary description location updated sequence start { dateTime timeZone } end { dateTime timeZone } attendees { email displayName responseStatus optional }
  }
}`;

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;

/** Returns the CPU time of a process and its threads in µs. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

/** Measures the CPU of a patch in µs: without mails, and with mails to ten guests. */
async function measurePatches(gateway) {
  const costs = { none: [], all: [] };
  const names = Object.keys(costs);
  for (const [index, user] of users.entries()) {
    const token = await tokenOf(user);
    const patch = async (sendUpdates, round) => {
      const variables = {
        id: `event${round % events}`,
        sendUpdates,
        event: { summary: `Planning ${sendUpdates} ${round}`, location: `Room ${round % 9}` },
      };
      const { json, body } = await gateway.ask(query, variables, { token });
      const notified = json?.extensions?.guestsNotified?.patchEvent ?? 0;
      if (
        !json?.data?.patchEvent ||
        json.extensions?.warnings ||
        notified !== (sendUpdates === 'all' ? guests.length : 0)
      )
        throw new Error(body);
    };
    for (const name of index % 2 === 0 ? names : names.toReversed()) {
      const before = cpuOf(gateway.child);
      await Promise.all(
        Array.from({ length: connections }, async (_, first) => {
          for (let round = first; round < patchesPerUser; round += connections) await patch(name, round);
        }),
      );
      costs[name].push((cpuOf(gateway.child) - before) / patchesPerUser);
    }
  }
  return names.map((name) => mean(costs[name].slice(warmUp)));
}

async function readMetric(gateway, name) {
  const { body } = await gateway.send({ path: '/metrics' });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
}

/** Measures the CPU of a mail in µs, from the outbox to the response of the mail server. */
async function measureMail(gateway, port) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData: (stream, _session, callback) => void stream.resume().on('end', callback),
  });
  server.on('error', () => undefined);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const waiting = () => readMetric(gateway, 'mail_waiting');
  const total = await waiting();
  let first;
  while ((first = await waiting()) > total - 1000) await pause(100);
  const before = cpuOf(gateway.child);
  let left;
  while ((left = await waiting()) > first - 5000) await pause(500);
  return (cpuOf(gateway.child) - before) / (first - left);
}

const sockets = new Set();
const silentServer = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
await once(silentServer.listen(0, '127.0.0.1'), 'listening');
const { port } = silentServer.address();
const gateway = await startGateway({
  seed,
  env: {
    RATE_LIMIT: 'off',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Calendar <calendar@example.com>',
  },
});
const [none, all] = await measurePatches(gateway);
console.log(
  `a patch that tells nobody: ${none.toFixed(0)} µs; one that tells ${guests.length} guests: ${all.toFixed(0)} µs, ${(all / none).toFixed(2)} times that`,
);
silentServer.close();
for (const socket of sockets) socket.destroy();
console.log(`a mail when it is sent: ${((await measureMail(gateway, port)) / 1000).toFixed(2)} ms`);
await gateway.stop();
console.log(
  all / none <= maxRatio ? `holds: at most ${maxRatio} times` : `does not hold: more than ${maxRatio} times`,
);
process.exit(all / none <= maxRatio ? 0 : 1);
