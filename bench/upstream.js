// Measures a patch of a gateway in front of an upstream service: its CPU compared with a patch in memory plus one fetch, and
// the latency that the gateway adds. The service only echoes, in a separate process. Fails beyond the limits.
// Build first; run: node bench/upstream.js [--quick].
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { median, spread } from './compare/table.js';
import { startGateway, tokenOf } from './hardening/gateway.js';

const [maxCpuRatio, maxAddedMs] = [1.2, 2];
const {
  values: { quick },
  positionals: [role],
} = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
const [rounds, patches, warmUp, latencyRounds] = quick ? [5, 2000, 4000, 500] : [11, 4000, 12_000, 2000];
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

/** Runs `count` rounds with limited concurrency. */
const runRounds = (count, run) =>
  Promise.all(
    Array.from({ length: connections }, async (_, first) => {
      for (let round = first; round < count; round += connections) await run(round);
    }),
  );

/** Starts a service that responds to a patch with the sent fields, and accepts every token. */
function startEcho() {
  const info = JSON.stringify({
    sub: user,
    email: user,
    email_verified: 'true',
    scope: 'https://www.googleapis.com/auth/calendar',
    expires_in: '3000',
  });
  const echoedEvent = {
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
        const body =
          request.url === '/tokeninfo' ? info : JSON.stringify({ ...echoedEvent, ...JSON.parse(text) });
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body);
      });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const fetchPatch = async (url, round) =>
  (
    await fetch(url, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
      body: JSON.stringify(bodyOf(round)),
    })
  ).json();

/** Handles messages of the parent process with the number of patches to fetch. */
function startFetcher() {
  process.on('message', async ({ url, count }) => {
    await runRounds(count, (round) => fetchPatch(url, round));
    process.send('done');
  });
}

/** Returns the CPU time of a process in µs. */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

async function measureMs(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function compare() {
  const service = fork(import.meta.filename, ['echo']);
  const [port] = await once(service, 'message');
  const base = `http://127.0.0.1:${port}`;
  const url = `${base}${path}`;
  const fetcher = fork(import.meta.filename, ['fetcher']);
  const seed = {
    buckets: [],
    calendars: [
      { id: user, owner: user, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [], events: [event] },
    ],
  };
  const memoryGateway = await startGateway({ seed, env: { RATE_LIMIT: 'off', LOG_LEVEL: 'info' } });
  const upstreamGateway = await startGateway({
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
      fetcher.send({ url, count });
      await once(fetcher, 'message');
    };
    const measurements = {
      front: () => costOf(upstreamGateway.child, () => runRounds(patches, patch(upstreamGateway))),
      own: () => costOf(memoryGateway.child, () => runRounds(patches, patch(memoryGateway))),
      fetch: () => costOf(fetcher, () => fetches(patches)),
    };
    await runRounds(warmUp, patch(upstreamGateway));
    await runRounds(warmUp, patch(memoryGateway));
    await fetches(warmUp);
    const costs = { front: [], own: [], fetch: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const name of Object.keys(measurements)) costs[name].push(await measurements[name]());
    const ratios = costs.front.map((cost, round) => cost / (costs.own[round] + costs.fetch[round]));
    const [throughGateway, direct] = [[], []];
    for (let round = 0; round < latencyRounds; round += 1) {
      direct.push(await measureMs(() => fetchPatch(url, round)));
      throughGateway.push(await measureMs(() => patch(upstreamGateway)(round)));
    }
    const addedMs = median(throughGateway) - median(direct);
    console.log('| a patch | µs CPU |\n|---|---|');
    for (const [name, title] of Object.entries({
      front: 'in front of a service',
      own: 'over the store in memory',
      fetch: 'one fetch alone',
    }))
      console.log(`| ${title} | ${spread(costs[name], 0)} |`);
    console.log(
      `\nin front of a service ÷ (in memory + one fetch): ${spread(ratios, 2)}, at most ${maxCpuRatio}`,
    );
    console.log(
      `added to the service's own time: ${addedMs.toFixed(2)} ms at the median (${median(throughGateway).toFixed(2)} against ${median(direct).toFixed(2)}), at most ${maxAddedMs} ms`,
    );
    const holds = median(ratios) <= maxCpuRatio && addedMs <= maxAddedMs;
    console.log(holds ? 'holds' : 'does not hold');
    return holds;
  } finally {
    await Promise.all([memoryGateway.stop(), upstreamGateway.stop()]);
    service.kill();
    fetcher.kill();
  }
}

if (role === 'echo') startEcho();
else if (role === 'fetcher') startFetcher();
else process.exit((await compare()) ? 0 : 1);
