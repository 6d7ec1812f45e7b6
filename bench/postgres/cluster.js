// Compares the gateway on one PostgreSQL server, on Citus with one node and with three nodes, in alternating rounds:
//   CITUS_BIN=/folder/of/initdb npm run bench:cluster [-- --events=500 --calendars=20 --rounds=8 --ops=patch,week20 --quick]
// CITUS_BIN: programs of a PostgreSQL with Citus, used for all servers.
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuOf } from '../compare/process.js';
import { median, percentile, spread } from '../compare/table.js';
import { calendarOf, fill, tokensOf } from './data.js';
import { startPostgres } from './database.js';
import { requestsFor } from './measure.js';
import { createSubject, startServerOn } from './subjects.js';

const { quick, ops, ...amounts } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    ops: { type: 'string' },
    events: { type: 'string' },
    calendars: { type: 'string' },
    rounds: { type: 'string' },
  },
}).values;
const bin = process.env.CITUS_BIN;
if (!bin)
  throw new Error('CITUS_BIN: the folder of the programs (initdb, pg_ctl) of a PostgreSQL that has Citus');
const events = Number(amounts.events ?? 500);
const rounds = Number(amounts.rounds ?? (quick ? 3 : 8));
const share = quick ? 0.5 : 1;
const createCalendars = (letter, count, guests) =>
  Array.from({ length: count }, (_, index) =>
    calendarOf({ name: `${letter}${index}`, events, ...(guests && { guests }) }),
  );
const ownCalendars = createCalendars('c', Number(amounts.calendars ?? 20));
// Hosts invite the owners of the guest calendars to their events.
const guestCalendars = createCalendars('g', 10);
const hostCalendars = createCalendars('s', 5, (index) =>
  [0, 1].map((guest) => `g${(2 * index + guest) % guestCalendars.length}@example.com`),
);
const operations = {
  patch: { title: 'a patch', of: ownCalendars, operation: 'patch', callers: 1, requests: 100 * share },
  guests: {
    title: 'a patch that reaches two calendars more',
    of: hostCalendars,
    operation: 'patch',
    callers: 1,
    requests: 100 * share,
  },
  guestsWeek: {
    title: 'a week of 112 events, half of them of five other calendars',
    of: guestCalendars,
    operation: 'week',
    callers: 1,
    requests: 100 * share,
  },
  week: {
    title: 'a week of 56 events',
    of: ownCalendars,
    operation: 'week',
    callers: 1,
    requests: 100 * share,
  },
  patch20: {
    title: 'patches, 20 callers',
    of: ownCalendars,
    operation: 'patch',
    callers: 20,
    requests: 800 * share,
  },
  week20: {
    title: 'weeks, 20 callers',
    of: ownCalendars,
    operation: 'week',
    callers: 20,
    requests: 600 * share,
  },
};
const selectedOperations = Object.keys(operations).filter((name) => !ops || ops.split(',').includes(name));
const requestOf = {};
for (const name of selectedOperations)
  requestOf[name] = requestsFor(
    operations[name].of,
    await tokensOf(operations[name].of),
    operations[name].operation,
  );

const citusSettings = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 400',
  'max_worker_processes = 32',
  "citus.local_hostname = '127.0.0.1'",
];
const nodesByLayout = { 'one server': 0, 'Citus, one node': 1, 'Citus, three nodes': 3 };
const cleanups = [];
const close = async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void close().finally(() => process.exit(1)));

async function run(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  for (const text of statements) await client.query(text);
  await client.end();
}

/** Starts the servers of a layout, the coordinator first. */
async function startServers(nodes) {
  const servers = [];
  for (let index = 0; index < Math.max(1, nodes); index += 1) {
    const server = await startPostgres({
      bin,
      settings: ['max_connections = 300', ...(nodes > 0 ? citusSettings : [])],
    });
    cleanups.push(() => server.remove());
    servers.push(server);
  }
  if (nodes > 0) {
    for (const { url } of servers) await run(url, 'CREATE EXTENSION citus');
    const [{ url, port }, ...workers] = servers;
    // A single node holds the shards itself.
    if (workers.length > 0)
      await run(
        url,
        `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`,
        ...workers.map((worker) => `SELECT citus_add_node('127.0.0.1', ${worker.port})`),
      );
  }
  return servers;
}

/** Returns the CPU time in µs of each process of a server. */
function cpuByProcess({ folder }) {
  const master = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
  const cpu = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === master)
        cpu.set(pid, cpuOf(pid));
    } catch {
      // The process has ended.
    }
  }
  return cpu;
}

const cpuSince = (server, before) =>
  [...cpuByProcess(server)].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0);

async function measure({ subject, servers }, name) {
  const { callers, requests } = operations[name];
  await subject.run({ callers, requests: Math.max(20, callers * 2), requestOf: requestOf[name] });
  const [before, cpu, startedAt] = [servers.map(cpuByProcess), subject.cpu(), performance.now()];
  const times = (await subject.run({ callers, requests, requestOf: requestOf[name] })).sort((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const [coordinator, ...workers] = servers.map(
    (server, index) => cpuSince(server, before[index]) / times.length / 1000,
  );
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    gateway: (subject.cpu() - cpu) / times.length / 1000,
    coordinator,
    workers: workers.reduce((sum, cpuMs) => sum + cpuMs, 0),
  };
}

try {
  const subjects = [];
  for (const [name, nodes] of Object.entries(nodesByLayout)) {
    const servers = await startServers(nodes);
    const [{ url }] = servers;
    await fill(url, [...ownCalendars, ...guestCalendars, ...hostCalendars]);
    await run(url, 'VACUUM ANALYZE');
    const subject = createSubject({ name, servers: [await startServerOn(url, 'gateway')] });
    cleanups.push(() => subject.stop());
    subjects.push({ name, servers, subject });
  }
  const figuresByKey = new Map();
  for (const name of selectedOperations) {
    const { callers } = operations[name];
    for (const { subject } of subjects)
      await subject.run({ callers, requests: 400 * share, requestOf: requestOf[name] });
    for (let round = 0; round < rounds; round += 1) {
      for (const measured of round % 2 ? subjects.toReversed() : subjects) {
        const key = `${name} ${measured.name}`;
        figuresByKey.set(key, [...(figuresByKey.get(key) ?? []), await measure(measured, name)]);
      }
    }
  }
  console.log(
    `\n${events} events on each of ${ownCalendars.length} calendars; medians of ${rounds} rounds, multiples of one server with the least and the most. CPU in ms an operation.`,
  );
  console.log(
    '\n| operation | over | median ms | × one server | p95 ms | a second | CPU of the gateway | of the coordinator or server | of the workers |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of selectedOperations) {
    const base = figuresByKey.get(`${name} one server`);
    for (const layout of Object.keys(nodesByLayout)) {
      const figures = figuresByKey.get(`${name} ${layout}`);
      const formatMedian = (figure, digits = 2) =>
        median(figures.map((round) => round[figure])).toFixed(digits);
      console.log(
        `| ${operations[name].title} | ${layout} | ${formatMedian('median')} | ${spread(
          figures.map((round, index) => round.median / base[index].median),
          2,
        )} | ${formatMedian('p95')} | ${formatMedian('rate', 0)} | ${formatMedian('gateway')} | ${formatMedian('coordinator')} | ${formatMedian('workers')} |`,
      );
    }
  }
} finally {
  await close();
}
