// Compares the gateway with alternative servers over the same services, in interleaved rounds; responses are compared first.
//   npm run bench [-- --quick] [--rounds=8] [--only=gateway,limit,gateway@/another/checkout]
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { tokenOf } from '../hardening/gateway.js';
import { secret } from './data.js';
import { load } from './load.js';
import { operations } from './operations.js';
import { startServer } from './process.js';
import { percentile, printTable } from './table.js';

const {
  quick,
  rounds: roundsOption,
  only,
  ops,
  off,
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
const [defaultRounds, requests, warmRequests] = quick ? [3, 1500, 6000] : [5, 8000, 30_000];
const rounds = Number(roundsOption ?? defaultRounds);
const maxRoundMs = 30_000;
const names = only?.split(',') ?? [
  'gateway',
  'apollo',
  'yoga',
  'mercuriusJit',
  'mercuriusJitDuties',
  'limit',
  'limitDuties',
  'echo',
  ...(off ? ['gatewayPlain'] : []),
];
const selectedOperations = Object.entries(operations).filter(
  ([name]) => !ops || ops.split(',').includes(name),
);
const connections = 50;
// Servers and the load generator run on separate cores.
const [serverCore, loadCore] = cpus().length > 1 ? [0, 1] : [0, 0];

execFileSync('taskset', ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
const token = await tokenOf('alice@example.com', { sub: 'alice@example.com' }, secret);
const counters = new Map();

/** Creates the next body of an operation for a server. Bodies never repeat. */
function nextBody(server, name) {
  const { query, variables } = operations[name];
  const key = `${server} ${name}`;
  const n = counters.get(key) ?? 0;
  counters.set(key, n + 1);
  return JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(n) });
}

async function post(port, path, body) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  return response.json();
}

/** Removes the values of fields that differ between servers. */
const comparable = (answer, changing) =>
  JSON.parse(JSON.stringify(answer.data), (key, value) => (changing.includes(key) ? typeof value : value));

async function compareAnswers(servers) {
  for (const [name, { query, changing }] of selectedOperations) {
    let expected;
    for (const server of servers.filter(({ name }) => name !== 'echo')) {
      const answer = await post(server.port, '/graphql', nextBody(server.name, name));
      if (answer.errors)
        throw new Error(`${server.name}, ${name}: ${JSON.stringify(answer.errors).slice(0, 1000)}`);
      expected ??= answer;
      deepStrictEqual(
        comparable(answer, changing),
        comparable(expected, changing),
        `${server.name} answers ${name} in another way`,
      );
    }
    const echo = servers.find((server) => server.name === 'echo');
    if (echo)
      await post(
        echo.port,
        '/answers',
        JSON.stringify({ operationName: /\w+ (\w+)/.exec(query)[1], answer: expected }),
      );
  }
}

async function measure(server, name, amount) {
  const requests = amount / (operations[name].weight ?? 1);
  const [before, start] = [server.cpu(), performance.now()];
  const times = await load({
    port: server.port,
    connections,
    ms: maxRoundMs,
    requests,
    requestOf: () => ({ token, body: nextBody(server.name, name) }),
  });
  const seconds = (performance.now() - start) / 1000;
  return {
    cpu: (server.cpu() - before) / times.length,
    rps: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

const servers = [];
try {
  for (const name of names) {
    const env = name === 'gatewayPlain' ? { COMPILED_OPERATIONS: 'off' } : {};
    servers.push(await startServer({ name, core: serverCore, count: 1000, env }));
  }
  await compareAnswers(servers);
  for (const [name] of selectedOperations)
    for (const server of servers) await measure(server, name, warmRequests);
  const figures = new Map();
  for (const [name] of selectedOperations) {
    for (let round = 0; round < rounds; round += 1) {
      for (const server of servers) {
        const key = `${name} ${server.name}`;
        figures.set(key, [...(figures.get(key) ?? []), await measure(server, name, requests)]);
      }
    }
  }
  const memory = new Map(servers.map((server) => [server.name, server.memory()]));
  for (const [name, { title }] of selectedOperations) {
    const rows = servers.map((server) => ({
      server: server.name,
      rounds: figures.get(`${name} ${server.name}`),
      memory: memory.get(server.name),
    }));
    printTable(title, rows);
  }
} finally {
  for (const server of servers) await server.stop('SIGKILL');
}
