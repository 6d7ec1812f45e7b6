// Measures a patch of a gateway over an upstream service: its CPU compared with a patch in memory plus one
// fetch, and the latency that the gateway adds. The service only echoes, in a separate process. Fails above
// the limits.
// Build first; run: node bench/upstream.js [--quick].
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { readCpuUs } from './compare/process.js';
import { median, formatSpread } from './compare/table.js';
import { startGateway, signToken } from './hardening/gateway.js';

const [maxCpuRatio, maxAddedMs] = [1.2, 2];
const {
  values: { quick: isQuick },
  positionals: [processRole],
} = parseArgs({ options: { quick: { type: 'boolean' } }, allowPositionals: true });
const [rounds, patchCount, warmUpPatchCount, latencyRounds] = isQuick
  ? [5, 2000, 4000, 500]
  : [11, 4000, 12_000, 2000];
const connections = 10;
const owner = 'alice@example.com';
const eventTime = (hour) => ({ dateTime: `2026-12-01T${hour}:00:00+01:00`, timeZone: 'Europe/Berlin' });
const event = {
  id: 'event1',
  summary: 'Planning',
  description: 'What we did, what comes next. '.repeat(8),
  location: 'Room 3',
  start: eventTime(10),
  end: eventTime(11),
};
const patchPath = '/calendar/v3/calendars/primary/events/event1?sendUpdates=none';
const patchMutation = `mutation Patch($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "event1", event: $event) { id status summary description location updated sequence start { dateTime timeZone } end { dateTime timeZone } }
}`;
const createPatch = (round) => ({ summary: `Planning ${round}`, location: `Room ${round % 9}` });

/** Runs an operation for `count` rounds, over all connections. */
const runRounds = (count, operation) =>
  Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let round = connection; round < count; round += connections) await operation(round);
    }),
  );

/** Starts a service that responds to a patch with its fields, and accepts every token. Sends its port to the parent. */
function startEchoService() {
  const tokenInfo = JSON.stringify({
    sub: owner,
    email: owner,
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
    creator: { email: owner, self: true },
    organizer: { email: owner, self: true },
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
      .on('data', (chunk) => (text += chunk))
      .on('end', () => {
        const body =
          request.url === '/tokeninfo' ? tokenInfo : JSON.stringify({ ...echoedEvent, ...JSON.parse(text) });
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
      body: JSON.stringify(createPatch(round)),
    })
  ).json();

/** Handles messages of the parent process with the number of patches to fetch. */
function startFetcher() {
  process.on('message', async ({ url, count }) => {
    await runRounds(count, (round) => fetchPatch(url, round));
    process.send('done');
  });
}

async function measureMs(operation) {
  const startedAt = performance.now();
  await operation();
  return performance.now() - startedAt;
}

async function compareGateways() {
  const echoProcess = fork(import.meta.filename, ['echo']);
  const [port] = await once(echoProcess, 'message');
  const baseUrl = `http://127.0.0.1:${port}`;
  const patchUrl = `${baseUrl}${patchPath}`;
  const fetcherProcess = fork(import.meta.filename, ['fetcher']);
  const seed = {
    buckets: [],
    calendars: [
      { id: owner, owner, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [], events: [event] },
    ],
  };
  const memoryGateway = await startGateway({ seed, env: { RATE_LIMIT: 'off', LOG_LEVEL: 'info' } });
  const upstreamGateway = await startGateway({
    env: {
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar',
      UPSTREAM_CALENDAR_URL: `${baseUrl}/calendar/v3`,
      UPSTREAM_TOKENINFO_URL: `${baseUrl}/tokeninfo`,
    },
  });
  try {
    const token = await signToken(owner);
    const createPatcher = (gateway) => async (round) => {
      const { json, body } = await gateway.sendGraphql(
        patchMutation,
        { event: createPatch(round) },
        { token },
      );
      if (json?.data?.patchEvent?.summary !== createPatch(round).summary) throw new Error(body);
    };
    const measureCpuUs = async ({ pid }, operation) => {
      const cpuUsBefore = readCpuUs(pid);
      await operation();
      return (readCpuUs(pid) - cpuUsBefore) / patchCount;
    };
    const fetchInProcess = async (count) => {
      fetcherProcess.send({ url: patchUrl, count });
      await once(fetcherProcess, 'message');
    };
    const measurements = {
      upstream: () =>
        measureCpuUs(upstreamGateway.child, () => runRounds(patchCount, createPatcher(upstreamGateway))),
      memory: () =>
        measureCpuUs(memoryGateway.child, () => runRounds(patchCount, createPatcher(memoryGateway))),
      fetch: () => measureCpuUs(fetcherProcess, () => fetchInProcess(patchCount)),
    };
    await runRounds(warmUpPatchCount, createPatcher(upstreamGateway));
    await runRounds(warmUpPatchCount, createPatcher(memoryGateway));
    await fetchInProcess(warmUpPatchCount);
    const costsUs = { upstream: [], memory: [], fetch: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const name of Object.keys(measurements)) costsUs[name].push(await measurements[name]());
    const ratios = costsUs.upstream.map(
      (cost, round) => cost / (costsUs.memory[round] + costsUs.fetch[round]),
    );
    const [gatewayTimesMs, directTimesMs] = [[], []];
    for (let round = 0; round < latencyRounds; round += 1) {
      directTimesMs.push(await measureMs(() => fetchPatch(patchUrl, round)));
      gatewayTimesMs.push(await measureMs(() => createPatcher(upstreamGateway)(round)));
    }
    const addedMs = median(gatewayTimesMs) - median(directTimesMs);
    console.log('| a patch | µs CPU |\n|---|---|');
    for (const [name, title] of Object.entries({
      upstream: 'over a service',
      memory: 'over the store in memory',
      fetch: 'one fetch alone',
    }))
      console.log(`| ${title} | ${formatSpread(costsUs[name], 0)} |`);
    console.log(
      `\nover a service ÷ (in memory + one fetch): ${formatSpread(ratios, 2)}, at most ${maxCpuRatio}`,
    );
    console.log(
      `added to the service's own time: ${addedMs.toFixed(2)} ms at the median (${median(gatewayTimesMs).toFixed(2)} against ${median(directTimesMs).toFixed(2)}), at most ${maxAddedMs} ms`,
    );
    const isWithinLimits = median(ratios) <= maxCpuRatio && addedMs <= maxAddedMs;
    console.log(isWithinLimits ? 'holds' : 'does not hold');
    return isWithinLimits;
  } finally {
    await Promise.all([memoryGateway.stop(), upstreamGateway.stop()]);
    echoProcess.kill();
    fetcherProcess.kill();
  }
}

// Runs as echo service, as fetching process, and (without a role) as the bench.
if (processRole === 'echo') startEchoService();
else if (processRole === 'fetcher') startFetcher();
else process.exit((await compareGateways()) ? 0 : 1);
