// Compares the gateway on one PostgreSQL server, on Citus with one node and with three nodes, in alternating rounds:
//   CITUS_BIN=/folder/of/initdb npm run bench:cluster
//     [-- --events=500 --calendars=20 --rounds=8 --ops=patch,week20 --quick]
// CITUS_BIN: programs of a PostgreSQL with Citus, used for all servers. `events`: number on each calendar.
import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { readCpuUs } from '../compare/process.js';
import { median, percentile, formatSpread } from '../compare/table.js';
import { describeCalendar, fillDatabase, signTokens } from './data.js';
import { startPostgres } from './database.js';
import { createRequestSource } from './measure.js';
import { createSubject, startServerOn } from './subjects.js';

const {
  quick: isQuick,
  ops: opsOption,
  ...options
} = parseArgs({
  options: {
    quick: { type: 'boolean' },
    ops: { type: 'string' },
    events: { type: 'string' },
    calendars: { type: 'string' },
    rounds: { type: 'string' },
  },
}).values;
const citusBin = process.env.CITUS_BIN;
if (!citusBin)
  throw new Error('CITUS_BIN: the folder of the programs (initdb, pg_ctl) of a PostgreSQL that has Citus');
const eventsPerCalendar = Number(options.events ?? 500);
const rounds = Number(options.rounds ?? (isQuick ? 3 : 8));
const requestScale = isQuick ? 0.5 : 1;
const warmUpRequests = 400 * requestScale;
const describeCalendars = (prefix, count, guests) =>
  Array.from({ length: count }, (_, index) =>
    describeCalendar({ name: `${prefix}${index}`, events: eventsPerCalendar, ...(guests && { guests }) }),
  );
// Events of these calendars have no guests with a calendar.
const localCalendars = describeCalendars('c', Number(options.calendars ?? 20));
// Hosts invite the owners of the guest calendars to their events.
const guestCalendars = describeCalendars('g', 10);
const hostCalendars = describeCalendars('s', 5, (index) =>
  [0, 1].map((guest) => `g${(2 * index + guest) % guestCalendars.length}@example.com`),
);
const operations = {
  patch: {
    title: 'a patch',
    calendars: localCalendars,
    operation: 'patch',
    callers: 1,
    requests: 100 * requestScale,
  },
  guests: {
    title: 'a patch that also changes two guest calendars',
    calendars: hostCalendars,
    operation: 'patch',
    callers: 1,
    requests: 100 * requestScale,
  },
  guestsWeek: {
    title: 'a week of 112 events, half of them invitations from five calendars',
    calendars: guestCalendars,
    operation: 'week',
    callers: 1,
    requests: 100 * requestScale,
  },
  week: {
    title: 'a week of 56 events',
    calendars: localCalendars,
    operation: 'week',
    callers: 1,
    requests: 100 * requestScale,
  },
  patch20: {
    title: 'patches, 20 callers',
    calendars: localCalendars,
    operation: 'patch',
    callers: 20,
    requests: 800 * requestScale,
  },
  week20: {
    title: 'weeks, 20 callers',
    calendars: localCalendars,
    operation: 'week',
    callers: 20,
    requests: 600 * requestScale,
  },
  // The limit: the writes of a patch in SQL alone, without a gateway.
  sqlPatch: {
    title: 'two UPDATEs of one calendar in a transaction',
    calendars: localCalendars,
    calendarsPerTransaction: 1,
    callers: 1,
    requests: 100 * requestScale,
  },
  sqlGuests: {
    title: 'six UPDATEs of three calendars in a transaction',
    calendars: localCalendars,
    calendarsPerTransaction: 3,
    callers: 1,
    requests: 100 * requestScale,
  },
};
const selectedOperations = Object.keys(operations).filter(
  (name) => !opsOption || opsOption.split(',').includes(name),
);
/** Functions that create the next request, by operation. */
const requestSources = {};
for (const name of selectedOperations.filter((selected) => operations[selected].operation)) {
  const { calendars, operation } = operations[name];
  requestSources[name] = createRequestSource(calendars, await signTokens(calendars), operation);
}

const citusSettings = [
  "shared_preload_libraries = 'citus'",
  'max_prepared_transactions = 400',
  'max_worker_processes = 32',
  "citus.local_hostname = '127.0.0.1'",
];
/** Citus nodes of each layout; 0: no Citus. */
const nodeCountByLayout = { 'one server': 0, 'Citus, one node': 1, 'Citus, three nodes': 3 };
const cleanupSteps = [];
const cleanUp = async () => {
  for (const cleanup of cleanupSteps.splice(0).reverse()) await cleanup();
};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));

async function runStatements(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Starts the servers of a layout, the coordinator first. */
async function startServers(nodeCount) {
  const servers = [];
  while (servers.length < Math.max(1, nodeCount)) {
    const server = await startPostgres({
      bin: citusBin,
      settings: ['max_connections = 300', ...(nodeCount > 0 ? citusSettings : [])],
    });
    cleanupSteps.push(() => server.remove());
    servers.push(server);
  }
  if (nodeCount > 0) {
    for (const { url } of servers) await runStatements(url, 'CREATE EXTENSION citus');
    const [{ url, port }, ...workers] = servers;
    // A single node holds the shards itself.
    if (workers.length > 0)
      await runStatements(
        url,
        `SELECT citus_set_coordinator_host('127.0.0.1', ${port})`,
        ...workers.map((worker) => `SELECT citus_add_node('127.0.0.1', ${worker.port})`),
      );
  }
  return servers;
}

/** Returns the CPU time in µs of each process of a server, by process id: all children of the postmaster. */
function readCpuByProcess({ folder }) {
  const postmaster = Number(readFileSync(`${folder}/postmaster.pid`, 'utf8').split('\n')[0]);
  const cpuByProcess = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // The second field, the name in parentheses, may contain blanks; the parent is the second field after
      // it.
      if (Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1]) === postmaster)
        cpuByProcess.set(pid, readCpuUs(pid));
    } catch {
      // The process has ended.
    }
  }
  return cpuByProcess;
}

/** Returns the CPU time in µs of a server since `before`. Processes that have started since then count from 0. */
const readCpuUsSince = (server, before) =>
  [...readCpuByProcess(server)].reduce((sum, [pid, cpuUs]) => sum + cpuUs - (before.get(pid) ?? 0), 0);

/** Runs transactions in SQL alone, each with the writes of a patch on some calendars. Returns their times in ms. */
async function runTransactions(client, { calendars, calendarsPerTransaction, requests }) {
  const times = [];
  while (times.length < requests) {
    const ids = Array.from(
      { length: calendarsPerTransaction },
      () => `${calendars[Math.floor(Math.random() * calendars.length)].name}@example.com`,
    ).sort();
    const startedAt = performance.now();
    await Promise.all(
      [
        'BEGIN',
        ...ids.flatMap((id) => [
          { name: 'count', text: 'UPDATE calendars SET changes = changes + 1 WHERE id = $1', values: [id] },
          {
            name: 'refresh',
            text: `UPDATE places SET version = version WHERE calendar_id = $1 AND event_id = $2`,
            values: [id, `${id.split('@')[0]}e${Math.floor(Math.random() * eventsPerCalendar)}`],
          },
        ]),
        'COMMIT',
      ].map((statement) => client.query(statement)),
    );
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** Measures one round of an operation. Times and CPU are in ms; the CPU is that of one request. */
async function measureRound({ run, subject, servers }, name) {
  const { callers } = operations[name];
  await run(name, Math.max(20, callers * 2));
  const cpuBefore = servers.map(readCpuByProcess);
  const [gatewayCpuBefore, startedAt] = [subject.readCpuUs(), performance.now()];
  const times = (await run(name)).sort((a, b) => a - b);
  const seconds = (performance.now() - startedAt) / 1000;
  const [coordinator, ...workers] = servers.map(
    (server, index) => readCpuUsSince(server, cpuBefore[index]) / times.length / 1000,
  );
  return {
    median: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    rate: times.length / seconds,
    gateway: (subject.readCpuUs() - gatewayCpuBefore) / times.length / 1000,
    coordinator,
    workers: workers.reduce((sum, cpuMs) => sum + cpuMs, 0),
  };
}

try {
  const layouts = [];
  for (const [name, nodeCount] of Object.entries(nodeCountByLayout)) {
    const servers = await startServers(nodeCount);
    const [{ url }] = servers;
    await fillDatabase(url, [...localCalendars, ...guestCalendars, ...hostCalendars]);
    await runStatements(url, 'VACUUM ANALYZE');
    const subject = createSubject({ name, servers: [await startServerOn(url, 'gateway')] });
    cleanupSteps.push(() => subject.stop());
    const client = new pg.Client({ connectionString: url, pipeline: true });
    await client.connect();
    cleanupSteps.push(() => client.end());
    if (nodeCount === 0) await client.query("SET plan_cache_mode = 'force_generic_plan'");
    /** Runs an operation; `count` replaces its number of requests. */
    const run = (operationName, count = operations[operationName].requests) => {
      const operation = { ...operations[operationName], requests: count };
      return operation.operation
        ? subject.run({ ...operation, requestOf: requestSources[operationName] })
        : runTransactions(client, operation);
    };
    layouts.push({ name, servers, subject, run });
  }
  const figuresByKey = new Map();
  for (const name of selectedOperations) {
    for (const { run } of layouts) await run(name, warmUpRequests);
    for (let round = 0; round < rounds; round += 1) {
      for (const layout of round % 2 ? layouts.toReversed() : layouts) {
        const key = `${name} ${layout.name}`;
        figuresByKey.set(key, [...(figuresByKey.get(key) ?? []), await measureRound(layout, name)]);
      }
    }
  }
  console.log(
    `\n${eventsPerCalendar} events on each of ${localCalendars.length} calendars; medians of ${rounds} rounds, multiples of one server with minimum and maximum. CPU in ms an operation.`,
  );
  console.log(
    '\n| operation | over | median ms | × one server | p95 ms | a second | CPU of the gateway | of the coordinator or server | of the workers |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of selectedOperations) {
    const singleServerFigures = figuresByKey.get(`${name} one server`);
    for (const layout of Object.keys(nodeCountByLayout)) {
      const figures = figuresByKey.get(`${name} ${layout}`);
      const formatMedian = (figure, digits = 2) =>
        median(figures.map((round) => round[figure])).toFixed(digits);
      console.log(
        `| ${operations[name].title} | ${layout} | ${formatMedian('median')} | ${formatSpread(
          figures.map((round, index) => round.median / singleServerFigures[index].median),
          2,
        )} | ${formatMedian('p95')} | ${formatMedian('rate', 0)} | ${formatMedian('gateway')} | ${formatMedian('coordinator')} | ${formatMedian('workers')} |`,
      );
    }
  }
} finally {
  await cleanUp();
}
