// Compares the CPU of equivalent requests over REST and GraphQL, for a gateway in memory, in alternating
// rounds. Fails if the small patch costs more over REST. Build first; run: node bench/rest.js [--quick]
// [--only=smallPatch,week]
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { requestPairs } from './compare/request-pairs.js';
import { secret } from './compare/data.js';
import { generateLoad } from './compare/load.js';
import { startServer } from './compare/process.js';
import { formatSpread, median, printGoals } from './compare/table.js';
import { signToken } from './hardening/gateway.js';

const { quick: isQuick, only: onlyOption } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' } },
}).values;
const [rounds, requestsPerRound, warmUpRequests] = isQuick ? [5, 2000, 8000] : [11, 3000, 12_000];
const connections = 50;
const faces = ['graphql', 'rest'];
const selectedPairs = Object.entries(requestPairs).filter(
  ([name]) => !onlyOption || onlyOption.split(',').includes(name),
);
const [serverCore, loadCore] = cpus().length > 1 ? [0, 1] : [0, 0];

execFileSync('taskset', ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' });
const token = await signToken('alice@example.com', { sub: 'alice@example.com' }, secret);
const server = await startServer({ name: 'gateway', core: serverCore, count: 1000, env: { REST: 'on' } });

/** Sends a request and returns the resource of its response. */
async function fetchResource({ requestLine = 'POST /graphql', body }) {
  const [method, path] = requestLine.split(' ');
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const json = await (
    await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, body })
  ).json();
  if (json.error ?? json.errors) throw new Error(JSON.stringify(json).slice(0, 1000));
  return json.data ? Object.values(json.data)[0] : json;
}

let sentCount = 0;
/** Measures the CPU of a request in µs. Heavy requests are sent fewer times. */
async function measureCpuUs({ weight = 1, ...pair }, face, requestCount) {
  let cpuUsBefore;
  const { times } = await generateLoad({
    port: server.port,
    connections,
    requests: requestCount / weight,
    requestOf: () => ({ token, ...pair[face](sentCount++) }),
    onStart: () => (cpuUsBefore = server.readCpuUs()),
  });
  return (server.readCpuUs() - cpuUsBefore) / times.length;
}

let smallPatchRatios;
try {
  console.log('| | GraphQL, µs CPU | REST, µs CPU | REST ÷ GraphQL |\n|---|---|---|---|');
  for (const [name, pair] of selectedPairs) {
    const [graphqlValues, restValues] = [
      await fetchResource(pair.graphql(0)),
      await fetchResource(pair.rest(0)),
    ].map(pair.comparable);
    deepStrictEqual(restValues, graphqlValues);
    for (const face of faces) await measureCpuUs(pair, face, warmUpRequests);
    const costsUs = { graphql: [], rest: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const face of round % 2 === 0 ? faces : faces.toReversed())
        costsUs[face].push(await measureCpuUs(pair, face, requestsPerRound));
    }
    const ratios = costsUs.rest.map((cost, round) => cost / costsUs.graphql[round]);
    console.log(
      `| ${pair.title} | ${formatSpread(costsUs.graphql, 0)} | ${formatSpread(costsUs.rest, 0)} | ${formatSpread(ratios, 2)} |`,
    );
    if (name === 'smallPatch') smallPatchRatios = ratios;
  }
} finally {
  await server.stop('SIGKILL');
}
if (smallPatchRatios)
  printGoals([{ title: 'small patch: CPU over REST ÷ over GraphQL', values: smallPatchRatios, max: 1 }]);
process.exit(smallPatchRatios && median(smallPatchRatios) > 1 ? 1 : 0);
