// What it costs to tell guests by mail: a patch with ten guests over GraphQL, in memory, with `sendUpdates: all` against the same
// patch with `none`; nothing is sent meanwhile, as the mail server does not answer. Then what a mail costs when it is sent.
// Build first; run: node bench/mails.js
import { once } from 'node:events';
import { createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createSmtpPublisher } from '../dist/adapters/smtp/publisher.js';
import { compose } from '../dist/compose.js';
import { readConfig } from '../dist/config.js';
import { renderMail } from '../dist/mail/render.js';
import { tokenOf, secret } from './hardening/gateway.js';

const limit = 1.3;
/** Each of these causes as many mails as one caller may in a day, less some. */
const users = Array.from({ length: 24 }, (_, index) => `user${index}@example.com`);
const patches = 180;
const events = 20;
const from = { address: 'calendar@example.com', name: 'Calendar' };

const guests = Array.from({ length: 10 }, (_, index) => ({ email: `guest${index}@elsewhere.example`, displayName: `Guest ${index}`, responseStatus: 'accepted', optional: index % 2 === 0 }));
const eventOf = (index) => ({
  id: `event${index}`, summary: 'Planning', description: 'What we did, what comes next. '.repeat(8), location: 'Room 3', attendees: guests,
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: 'Europe/Berlin' }, end: { dateTime: '2026-12-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
});
const seed = { calendars: users.map((owner) => ({ id: owner, owner, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [], events: Array.from({ length: events }, (_, index) => eventOf(index)) })) };
const query = `mutation Patch($id: String!, $event: EventInput!, $sendUpdates: SendUpdates) {
  patchEvent(calendarId: "primary", eventId: $id, sendUpdates: $sendUpdates, event: $event) { id summary location updated sequence attendees { email displayName responseStatus } }
}`;

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

async function microseconds(count, run) {
  const start = process.cpuUsage();
  for (let round = 0; round < count; round += 1) await run(round);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

async function listen(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.server ?? server).address().port;
}

/** One caller after the other: CPU of a patch in µs, for each value of `sendUpdates`. */
async function patchCosts(app) {
  const costs = { none: [], all: [], 'none again': [] };
  for (const [nth, user] of users.entries()) {
    const authorization = `Bearer ${await tokenOf(user)}`;
    const patch = async (sendUpdates, round) => {
      const variables = { id: `event${round % events}`, sendUpdates, event: { summary: `Planning ${sendUpdates} ${round}`, location: `Room ${round % 9}` } };
      const answer = await app.inject({ method: 'POST', url: '/graphql', headers: { 'content-type': 'application/json', authorization }, payload: { query, variables } });
      const { data, extensions = {} } = answer.json();
      const told = extensions.guestsNotified?.patchEvent ?? 0;
      if (!data?.patchEvent || extensions.warnings || told !== (sendUpdates === 'all' ? guests.length : 0)) throw new Error(answer.body);
    };
    // By turns in another order: what comes first in a block has less garbage to collect.
    const names = Object.keys(costs);
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(nth + turn) % names.length];
      costs[name].push(await microseconds(patches, (round) => patch(name.split(' ')[0], round)));
    }
  }
  // The first callers warm up.
  return Object.fromEntries(Object.entries(costs).map(([name, list]) => [name, median(list.slice(4))]));
}

/** CPU of a mail in µs: when it is rendered, and with all that sending it takes here. */
async function mailCosts(mails) {
  const rendering = await microseconds(mails.length, (index) => renderMail(mails[index], from));
  const server = new SMTPServer({ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, onData: (stream, _session, callback) => void stream.resume().on('end', callback) });
  const port = await listen(server);
  const publisher = createSmtpPublisher({ server: { host: '127.0.0.1', port, secure: false }, from });
  const { signal } = new AbortController();
  const sending = await microseconds(mails.length, async (index) => {
    const { outcome } = await publisher.publish(mails[index], signal);
    if (outcome !== 'done') throw new Error(outcome);
  });
  await publisher.close();
  await new Promise((resolve) => void server.close(resolve));
  return { rendering, sending };
}

const silent = createServer(() => undefined);
const config = readConfig({ AUTH_JWT_SECRET: secret, RATE_LIMIT: 'off', SMTP_URL: `smtp://127.0.0.1:${await listen(silent)}`, MAIL_FROM: 'Calendar <calendar@example.com>' });
const { app, stores } = await compose(config, { seed, logTo: { write: () => undefined }, processMetrics: false });
await app.ready();
const { none, all, 'none again': again } = await patchCosts(app);
const claims = await stores.outbox.claim([{ destination: 'mail', limit: 1000 }], 60_000);
const mails = claims.map(({ item }) => item);
void app.close();
const ratio = all / none;
console.log(`a patch that tells nobody: ${none.toFixed(0)} µs (${again.toFixed(0)} µs the second time); ${guests.length} guests: ${all.toFixed(0)} µs, ${ratio.toFixed(2)} times that`);
await mailCosts(mails.slice(0, 200));
const { rendering, sending } = await mailCosts(mails);
console.log(`a mail: ${(rendering / 1000).toFixed(2)} ms to render; ${(sending / 1000).toFixed(2)} ms to render and send, the server's part in this process included`);
console.log(ratio <= limit ? `holds: at most ${limit} times` : `does not hold: more than ${limit} times`);
process.exit(ratio <= limit ? 0 : 1);
