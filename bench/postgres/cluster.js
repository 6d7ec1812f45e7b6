// The gateway over one server of PostgreSQL, over Citus on one node and over Citus on three nodes, in turns, in one run, all on this machine:
//   CITUS_BIN=/folder/of/initdb npm run bench:cluster [-- --events=500 --calendars=20 --rounds=8 --ops=patch,week20 --quick]
// CITUS_BIN: the programs of a PostgreSQL that has Citus; all servers are those.
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cpuOf } from '../compare/process.js';
import { median, percentile, spread } from '../compare/table.js';
import { calendarOf, fill, tokensOf } from './data.js';
import { startPostgres } from './database.js';
import { requestsFor } from './measure.js';
import { sharing, startOn } from './subjects.js';

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
const named = (letter, count, guests) =>
  Array.from({ length: count }, (_, index) =>
    calendarOf({ name: `${letter}${index}`, events, ...(guests && { guests }) }),
  );
const own = named('c', Number(amounts.calendars ?? 20));
// Calendars of guests, and those whose events they are invited to.
const invited = named('g', 10);
const shared = named('s', 5, (index) =>
  [0, 1].map((guest) => `g${(2 * index + guest) % invited.length}@example.com`),
);
const operations = {
  patch: { title: 'a patch', of: own, operation: 'patch', callers: 1, requests: 100 * share },
  guests: {
    title: 'a patch that reaches two calendars more',
    of: shared,
    operation: 'patch',
    callers: 1,
    requests: 100 * share,
  },
  guestsWeek: {
    title: 'a week of 112 events, half of them of five other calendars',
    of: invited,
    operation: 'week',
    callers: 1,
    requests: 100 * share,
  },
  week: { title: 'a week of 56 events', of: own, operation: 'week', callers: 1, requests: 100 * share },
  patch20: { title: 'patches, 20 callers', of: own, operation: 'patch', callers: 20, requests: 800 * share },
  week20: { title: 'weeks, 20 callers', of: own, operation: 'week', callers: 20, requests: 600 * share },
};
const asked = Object.keys(operations).filter((name) => !ops || ops.split(',').includes(name));
const requestOf = {};
for (const name of asked)
  requestOf[name] = requestsFor(
    operations[name].of,
    await tokensOf(operations[name].of),
    operations[name].operation,
  );

const citus = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 400',
  'max_worker_processes = 32',
  "citus.local_hostname = '127.0.0.1'",
];
const layouts = { 'one server': 0, 'Citus, one node': 1, 'Citus, three nodes': 3 };
const undos = [];
const close = async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void close().finally(() => process.exit(1)));

async function run(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  for (const text of statements) await client.query(text);
  await client.end();
}

/** Servers of a layout, the coordinator first. */
async function start(nodes) {
  const servers = [];
  for (let index = 0; index < Math.max(1, nodes); index += 1) {
    const server = await startPostgres({
      bin,
      settings: ['max_connections = 300', ...(nodes > 0 ? citus : [])],
    });
    undos.push(() => server.remove());
    servers.push(server);
  }
  if (nodes > 0) {
    for (const { url } of servers) await run(url, 'CREATE EXTENSION citus');
    const [{ url, port }, ...workers] = servers;
    // A node alone has the shards itself.
    if (workers.length > 0)
      await run(
        url,
        `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`,
        ...workers.map((worker) => `SELECT citus_add_node('127.0.0.1', ${worker.port})`),
      );
  }
  return servers;
}

/** Microseconds of CPU by process of a server. */
function usedBy({ folder }) {
  const master = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
  const used = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === master)
        used.set(pid, cpuOf(pid));
    } catch {
      // It has ended meanwhile.
    }
  }
  return used;
}

const usedSince = (server, before) =>
  [...usedBy(server)].reduce((sum, [pid, now]) => sum + now - (before.get(pid) ?? 0), 0);

async function measure({ subject, servers }, name) {
  const { callers, requests } = operations[name];
  await subject.run({ callers, requests: Math.max(20, callers * 2), requestOf: requestOf[name] });
  const [before, cpu, begun] = [servers.map(usedBy), subject.cpu(), performance.now()];
  const times = (await subject.run({ callers, requests, requestOf: requestOf[name] })).sort((a, b) => a - b);
  const seconds = (performance.now() - begun) / 1000;
  const [first, ...others] = servers.map(
    (server, index) => usedSince(server, before[index]) / times.length / 1000,
  );
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    gateway: (subject.cpu() - cpu) / times.length / 1000,
    coordinator: first,
    workers: others.reduce((sum, one) => sum + one, 0),
  };
}

try {
  const all = [];
  for (const [name, nodes] of Object.entries(layouts)) {
    const servers = await start(nodes);
    const [{ url }] = servers;
    await fill(url, [...own, ...invited, ...shared]);
    await run(url, 'VACUUM ANALYZE');
    const subject = sharing({ name, servers: [await startOn(url, 'gateway')] });
    undos.push(() => subject.stop());
    all.push({ name, servers, subject });
  }
  const found = new Map();
  for (const name of asked) {
    const { callers } = operations[name];
    for (const { subject } of all)
      await subject.run({ callers, requests: 400 * share, requestOf: requestOf[name] });
    for (let round = 0; round < rounds; round += 1) {
      for (const one of round % 2 ? all.toReversed() : all) {
        const key = `${name} ${one.name}`;
        found.set(key, [...(found.get(key) ?? []), await measure(one, name)]);
      }
    }
  }
  console.log(
    `\n${events} events on each of ${own.length} calendars; medians of ${rounds} rounds, multiples of one server with the least and the most. CPU in ms an operation.`,
  );
  console.log(
    '\n| operation | over | median ms | × one server | p95 ms | a second | CPU of the gateway | of the coordinator or server | of the workers |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of asked) {
    const base = found.get(`${name} one server`);
    for (const layout of Object.keys(layouts)) {
      const figures = found.get(`${name} ${layout}`);
      const of = (figure, digits = 2) => median(figures.map((round) => round[figure])).toFixed(digits);
      console.log(
        `| ${operations[name].title} | ${layout} | ${of('median')} | ${spread(
          figures.map((round, index) => round.median / base[index].median),
          2,
        )} | ${of('p95')} | ${of('rate', 0)} | ${of('gateway')} | ${of('coordinator')} | ${of('workers')} |`,
      );
    }
  }
} finally {
  await close();
}
