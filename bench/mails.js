// Measures the CPU of mails to guests, of a gateway in memory over HTTP: a patch of an event with ten guests with
// `sendUpdates: all` and with `none`, while the mail server is silent; then sending each mail.
// Build first; run: node bench/mails.js
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { readCpuUs } from './compare/process.js';
import { median, printGoals } from './compare/table.js';
import { startGateway, signToken } from './hardening/gateway.js';

/** Limit for a patch with mails, as a multiple of a patch without. */
const maxRatio = 1.3;
/** Callers who each stay just below the daily mail quota of 2,000. */
const users = Array.from({ length: 30 }, (_, index) => `user${index}@example.com`);
/** Users whose patches are not counted. */
const warmUpUserCount = 6;
const patchesPerUser = 180;
const eventsPerUser = 20;
const connections = 10;
/** Mails before the measured ones, and measured mails. */
const [warmUpMailCount, measuredMailCount] = [1000, 5000];

const guests = Array.from({ length: 10 }, (_, index) => ({
  email: `guest${index}@elsewhere.example`,
  displayName: `Guest ${index}`,
  responseStatus: 'accepted',
  optional: index % 2 === 0,
}));
const createEvent = (index) => ({
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
    events: Array.from({ length: eventsPerUser }, (_, index) => createEvent(index)),
  })),
};
const patchMutation = `mutation Patch($id: String!, $event: EventInput!, $sendUpdates: SendUpdates) {
  patchEvent(calendarId: "primary", eventId: $id, sendUpdates: $sendUpdates, event: $event) {
    id status summary description location updated sequence start { dateTime timeZone } end { dateTime timeZone } attendees { email displayName responseStatus optional }
  }
}`;

/** Measures the CPU of patches in µs, by caller: without mails (`none`), and with mails to ten guests (`all`). */
async function measurePatches(gateway) {
  const costsUs = { none: [], all: [] };
  const sendUpdatesValues = Object.keys(costsUs);
  for (const [index, user] of users.entries()) {
    const token = await signToken(user);
    const patchEvent = async (sendUpdates, round) => {
      const variables = {
        id: `event${round % eventsPerUser}`,
        sendUpdates,
        event: { summary: `Planning ${sendUpdates} ${round}`, location: `Room ${round % 9}` },
      };
      const { json, body } = await gateway.sendGraphql(patchMutation, variables, { token });
      const notifiedCount = json?.extensions?.guestsNotified?.patchEvent ?? 0;
      if (
        !json?.data?.patchEvent ||
        json.extensions?.warnings ||
        notifiedCount !== (sendUpdates === 'all' ? guests.length : 0)
      )
        throw new Error(body);
    };
    for (const sendUpdates of index % 2 === 0 ? sendUpdatesValues : sendUpdatesValues.toReversed()) {
      const cpuUsBefore = readCpuUs(gateway.child.pid);
      await Promise.all(
        Array.from({ length: connections }, async (_, connection) => {
          for (let round = connection; round < patchesPerUser; round += connections)
            await patchEvent(sendUpdates, round);
        }),
      );
      costsUs[sendUpdates].push((readCpuUs(gateway.child.pid) - cpuUsBefore) / patchesPerUser);
    }
  }
  return { none: costsUs.none.slice(warmUpUserCount), all: costsUs.all.slice(warmUpUserCount) };
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
  const countWaitingMails = () => readMetric(gateway, 'mail_waiting');
  const initialCount = await countWaitingMails();
  let startCount;
  while ((startCount = await countWaitingMails()) > initialCount - warmUpMailCount) await pause(100);
  const cpuUsBefore = readCpuUs(gateway.child.pid);
  let remainingCount;
  while ((remainingCount = await countWaitingMails()) > startCount - measuredMailCount) await pause(500);
  return (readCpuUs(gateway.child.pid) - cpuUsBefore) / (startCount - remainingCount);
}

// While mails are created, a silent mail server keeps them in the outbox.
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
const costsUs = await measurePatches(gateway);
const ratios = costsUs.all.map((cost, index) => cost / costsUs.none[index]);
console.log(
  `a patch without mails: ${median(costsUs.none).toFixed(0)} µs; one with mails to ${guests.length} guests: ${median(costsUs.all).toFixed(0)} µs`,
);
silentServer.close();
for (const socket of sockets) socket.destroy();
console.log(`sending a mail: ${((await measureMail(gateway, port)) / 1000).toFixed(2)} ms`);
await gateway.stop();
printGoals([
  { title: `CPU of a patch with mails to ${guests.length} guests ÷ without`, values: ratios, max: maxRatio },
]);
process.exit(median(ratios) <= maxRatio ? 0 : 1);
