// What a patch costs in front of a service, as CPU of a gateway that is asked over HTTP: against the same over the own store in
// memory and one fetch, and the time that it adds to the service's own. The service only echoes, in a process of its own.
// Build first; run: node bench/upstream.js [--quick]. Fails beyond the limits.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { median, spread } from './compare/table.js';
import { startGateway, tokenOf } from './hardening/gateway.js';

const [mostCost, mostAdded] = [1.2, 2];
const {
  values: { quick },
  positionals: [role],
} = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
const [rounds, patches, warmUp, alone] = quick ? [5, 2000, 4000, 500] : [11, 4000, 12_000, 2000];
const connections = 10;
const ticksPerSecond = 100;
const user = 'alice@example.com';
const time = (hour) => ({ dateTime: `2026-12-01T${hour}:00:00+01:00`, timeZone: 'Europe/Berlin' });
const event = {
  id: 'event1',
  summary: 'Planning',
  description: 'What we did, what comes next. '.repeat(8),
  location: 'Room 3',
  start: time(10),
  end: time(11),
};
const path = '/calendar/v3/calendars/primary/events/event1?sendUpdates=none';
const query = `mutation Patch($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "event1", event: $event) { id status summary description location updated sequence start { dateTime timeZone } end { dateTime timeZone } }
}`;
const bodyOf = (round) => ({ summary: `Planning ${round}`, location: `Room ${round % 9}` });

/** Runs so many at a time. */
const inTurns = (count, run, lanes = connections) =>
  Promise.all(
    Array.from({ length: lanes }, async (_, first) => {
      for (let round = first; round < count; round += lanes) await run(round);
    }),
  );

/** A service that answers a patch with what was sent, and knows every token. */
function echo() {
  const info = JSON.stringify({
    sub: user,
    email: user,
    email_verified: 'true',
    scope: 'https://www.googleapis.com/auth/calendar',
    expires_in: '3000',
  });
  const whole = {
    kind: 'calendar#event',
    etag: '"1"',
    status: 'confirmed',
    htmlLink: 'https://www.google.com/calendar/event?eid=1',
    created: '2026-11-01T00:00:00.000Z',
    updated: '2026-11-01T00:00:00.000Z',
    creator: { email: user, self: true },
    organizer: { email: user, self: true },
    iCalUID: 'event1@google.com',
    sequence: 0,
    reminders: { useDefault: true },
    eventType: 'default',
    ...event,
  };
  const server = createServer((request, response) => {
    let text = '';
    request
      .setEncoding('utf8')
      .on('data', (part) => (text += part))
      .on('end', () => {
        const body = request.url === '/tokeninfo' ? info : JSON.stringify({ ...whole, ...JSON.parse(text) });
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body);
      });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const fetched = async (url, round) =>
  (
    await fetch(url, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
      body: JSON.stringify(bodyOf(round)),
    })
  ).json();

/** A process that only fetches, when it is told how often. */
function fetcher() {
  process.on('message', async ({ url, count }) => {
    await inTurns(count, (round) => fetched(url, round));
    process.send('done');
  });
}

/** CPU of a process so far, in µs. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

async function timed(run) {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

async function compare() {
  const service = fork(import.meta.filename, ['echo']);
  const [port] = await once(service, 'message');
  const base = `http://127.0.0.1:${port}`;
  const url = `${base}${path}`;
  const only = fork(import.meta.filename, ['fetcher']);
  const seed = {
    buckets: [],
    calendars: [
      { id: user, owner: user, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [], events: [event] },
    ],
  };
  const own = await startGateway({ seed, env: { RATE_LIMIT: 'off', LOG_LEVEL: 'info' } });
  const front = await startGateway({
    env: {
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar',
      UPSTREAM_CALENDAR_URL: `${base}/calendar/v3`,
      UPSTREAM_TOKENINFO_URL: `${base}/tokeninfo`,
    },
  });
  try {
    const token = await tokenOf(user);
    const patch = (gateway) => async (round) => {
      const { json, body } = await gateway.ask(query, { event: bodyOf(round) }, { token });
      if (json?.data?.patchEvent?.summary !== bodyOf(round).summary) throw new Error(body);
    };
    const costOf = async (child, run) => {
      const before = cpuOf(child);
      await run();
      return (cpuOf(child) - before) / patches;
    };
    const fetches = async (count) => {
      only.send({ url, count });
      await once(only, 'message');
    };
    const ways = {
      front: () => costOf(front.child, () => inTurns(patches, patch(front))),
      own: () => costOf(own.child, () => inTurns(patches, patch(own))),
      fetch: () => costOf(only, () => fetches(patches)),
    };
    await inTurns(warmUp, patch(front));
    await inTurns(warmUp, patch(own));
    await fetches(warmUp);
    const costs = { front: [], own: [], fetch: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const way of Object.keys(ways)) costs[way].push(await ways[way]());
    const ratios = costs.front.map((cost, round) => cost / (costs.own[round] + costs.fetch[round]));
    const [through, direct] = [[], []];
    for (let round = 0; round < alone; round += 1) {
      direct.push(await timed(() => fetched(url, round)));
      through.push(await timed(() => patch(front)(round)));
    }
    const added = median(through) - median(direct);
    console.log('| a patch | µs CPU |\n|---|---|');
    for (const [way, title] of Object.entries({
      front: 'in front of a service',
      own: 'over the store in memory',
      fetch: 'one fetch alone',
    }))
      console.log(`| ${title} | ${spread(costs[way], 0)} |`);
    console.log(
      `\nin front of a service ÷ (in memory + one fetch): ${spread(ratios, 2)}, at most ${mostCost}`,
    );
    console.log(
      `added to the service's own time: ${added.toFixed(2)} ms at the median (${median(through).toFixed(2)} against ${median(direct).toFixed(2)}), at most ${mostAdded} ms`,
    );
    const holds = median(ratios) <= mostCost && added <= mostAdded;
    console.log(holds ? 'holds' : 'does not hold');
    return holds;
  } finally {
    await Promise.all([own.stop(), front.stop()]);
    service.kill();
    only.kill();
  }
}

if (role === 'echo') echo();
else if (role === 'fetcher') fetcher();
else process.exit((await compare()) ? 0 : 1);
