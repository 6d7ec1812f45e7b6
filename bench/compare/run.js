// Compares the gateway with alternative servers over the same services, in interleaved rounds. Responses are
// compared first.
//   npm run bench:servers [-- --quick] [--rounds=8] [--only=gateway,limit,gateway@/another/checkout] [--ops=weekView]
// [--off]
// `--off` adds the gateway without compiled operations.
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { signToken } from '../hardening/gateway.js';
import { secret } from './data.js';
import { generateLoad } from './load.js';
import { operations } from './operations.js';
import { readCpuUs, startServer } from './process.js';
import { percentile, printGoals, printTable } from './table.js';

const {
  quick: isQuick,
  rounds: roundsOption,
  only: onlyOption,
  ops: opsOption,
  off: includesPlainGateway,
} = parseArgs({
  options: {
    quick: { type: 'boolean' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    ops: { type: 'string' },
    off: { type: 'boolean' },
  },
}).values;
// Rounds have a number of requests, not a time: on a busy machine a timed warm-up would be too short.
const [defaultRounds, requestsPerRound, warmUpRequests] = isQuick ? [3, 1500, 6000] : [9, 8000, 30_000];
const rounds = Number(roundsOption ?? defaultRounds);
const maxRoundMs = 30_000;
/** A round is repeated if other processes used more than this share of a core. */
const maxOtherCores = 0.1;
const maxAttempts = 3;
const serverNames = onlyOption?.split(',') ?? [
  'gateway',
  'apollo',
  'yoga',
  'mercuriusJit',
  'mercuriusJitDuties',
  'limit',
  'limitDuties',
  'echo',
  ...(includesPlainGateway ? ['gatewayPlain'] : []),
];
const selectedOperations = Object.entries(operations).filter(
  ([name]) => !opsOption || opsOption.split(',').includes(name),
);
const connections = 50;
// Servers and the load generator run on separate cores.
const [serverCore, loadCore] = cpus().length > 1 ? [0, 1] : [0, 0];

execFileSync('taskset', ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
const token = await signToken('alice@example.com', { sub: 'alice@example.com' }, secret);
const sentCounts = new Map();

/** Creates the next body of an operation for a server. Bodies never repeat. */
function nextBody(server, name) {
  const { query, variables } = operations[name];
  const key = `${server} ${name}`;
  const index = sentCounts.get(key) ?? 0;
  sentCounts.set(key, index + 1);
  return JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(index) });
}

async function postJson(port, path, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  return response.json();
}

/** Replaces the values of fields that differ between servers by their types. */
const maskChangingFields = ({ data }, changingFields) =>
  JSON.parse(JSON.stringify(data), (key, value) => (changingFields.includes(key) ? typeof value : value));

/** Throws if servers respond differently. Teaches the echo server the common response. */
async function compareResponses(servers) {
  for (const [name, { query, changingFields }] of selectedOperations) {
    let expected;
    for (const server of servers.filter(({ name }) => name !== 'echo')) {
      const response = await postJson(server.port, '/graphql', nextBody(server.name, name));
      if (response.errors)
        throw new Error(`${server.name}, ${name}: ${JSON.stringify(response.errors).slice(0, 1000)}`);
      expected ??= response;
      deepStrictEqual(
        maskChangingFields(response, changingFields),
        maskChangingFields(expected, changingFields),
        `${server.name} responds differently to ${name}`,
      );
    }
    const echo = servers.find((server) => server.name === 'echo');
    if (echo)
      await postJson(
        echo.port,
        '/responses',
        JSON.stringify({ operationName: /\w+ (\w+)/.exec(query)[1], response: expected }),
      );
  }
}

const tickUs = 10_000;
/** Returns the CPU time of all processes of the machine in µs (/proc/stat counts ticks). */
function readMachineUs() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * tickUs;
}

/**
 * Sends the requests of one round and measures them. `smallRequests`: number of requests of an operation of
 * weight 1; heavier operations send fewer.
 */
async function measureRequests(server, name, smallRequests) {
  let startClocks;
  const readClocks = () => ({
    cpuUs: server.readCpuUs(),
    ownUs: readCpuUs(process.pid),
    machineUs: readMachineUs(),
    wallMs: performance.now(),
  });
  const { times, cpuTimes } = await generateLoad({
    port: server.port,
    connections,
    ms: maxRoundMs,
    requests: smallRequests / (operations[name].weight ?? 1),
    requestOf: () => ({ token, body: nextBody(server.name, name) }),
    onStart: () => (startClocks = readClocks()),
    cpuMs: () => server.readMainThreadUs() / 1000,
  });
  const endClocks = readClocks();
  const cpuUs = endClocks.cpuUs - startClocks.cpuUs;
  const wallMs = endClocks.wallMs - startClocks.wallMs;
  const otherUs = endClocks.machineUs - startClocks.machineUs - cpuUs - (endClocks.ownUs - startClocks.ownUs);
  return {
    cpuUs: cpuUs / times.length,
    requestsPerSecond: (times.length / wallMs) * 1000,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    p99CpuMs: percentile(cpuTimes, 0.99),
    /** Cores that other processes used. */
    otherCores: Math.max(0, otherUs) / 1000 / wallMs,
  };
}

/** Measures a round, and repeats it if other processes used the machine. Returns the quietest attempt. */
async function measureRound(server, name) {
  let quietestFigures;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const figures = await measureRequests(server, name, requestsPerRound);
    if (quietestFigures === undefined || figures.otherCores < quietestFigures.otherCores)
      quietestFigures = figures;
    if (quietestFigures.otherCores <= maxOtherCores) break;
  }
  return quietestFigures;
}

/** Goals for the gateway's figures, as multiples of those of another server in the same round. */
const goals = ['p99Ms', 'p99CpuMs', 'cpuUs'].map((figure) => ({
  figure,
  otherServer: 'mercuriusJitDuties',
  max: 0.9,
}));
const weekGoal = { figure: 'cpuUs', otherServer: 'limitDuties', max: 1.1, only: 'weekView' };
const figureTitles = { p99Ms: 'p99', p99CpuMs: "p99 of main thread's CPU", cpuUs: 'CPU' };

/** Prints the goals whose servers were measured. `roundsOf`: returns the rounds of an operation on a server. */
function printServerGoals(roundsOf) {
  const measuredGoals = [...goals, weekGoal].filter(({ otherServer }) =>
    ['gateway', otherServer].every((name) => serverNames.includes(name)),
  );
  if (measuredGoals.length === 0) return;
  const ratiosOf = (figure, name, server, otherServer) =>
    roundsOf(name, server).map((round, index) => round[figure] / roundsOf(name, otherServer)[index][figure]);
  printGoals(
    measuredGoals.flatMap(({ figure, otherServer, max, only }) =>
      selectedOperations
        .filter(([name]) => only === undefined || name === only)
        .map(([name]) => ({
          title: `${name}: ${figureTitles[figure]} ÷ ${otherServer}`,
          values: ratiosOf(figure, name, 'gateway', otherServer),
          max,
          limitValues:
            serverNames.includes('limitDuties') && otherServer !== 'limitDuties'
              ? ratiosOf(figure, name, 'limitDuties', otherServer)
              : undefined,
        })),
    ),
  );
}

const servers = [];
try {
  for (const name of serverNames) {
    const env = name === 'gatewayPlain' ? { COMPILED_OPERATIONS: 'off' } : {};
    servers.push(await startServer({ name, core: serverCore, count: 1000, env }));
  }
  await compareResponses(servers);
  for (const [name] of selectedOperations)
    for (const server of servers) await measureRequests(server, name, warmUpRequests);
  const figuresByKey = new Map();
  for (const [name] of selectedOperations) {
    for (let round = 0; round < rounds; round += 1) {
      for (const server of servers) {
        const key = `${name} ${server.name}`;
        figuresByKey.set(key, [...(figuresByKey.get(key) ?? []), await measureRound(server, name)]);
      }
    }
  }
  const memoryMbByServer = new Map(servers.map((server) => [server.name, server.readMemoryMb()]));
  for (const [name, { title }] of selectedOperations) {
    const rows = servers.map((server) => ({
      server: server.name,
      rounds: figuresByKey.get(`${name} ${server.name}`),
      memoryMb: memoryMbByServer.get(server.name),
    }));
    printTable(title, rows);
  }
  printServerGoals((name, server) => figuresByKey.get(`${name} ${server}`));
} finally {
  for (const server of servers) await server.stop('SIGKILL');
}
