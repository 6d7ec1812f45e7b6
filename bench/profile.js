// Profiles a server and prints its functions by CPU time, as shares of non-idle samples. Build first; run:
//   node bench/profile.js [OPERATION] [SERVER or FACE] [LINES], such as `smallPatch limit` (operation and server of bench/compare)
//   or `smallPatch rest` (request of bench/rest.js).
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signToken } from './hardening/gateway.js';
import { secret } from './compare/data.js';
import { pairs } from './compare/faces.js';
import { load } from './compare/load.js';
import { operations } from './compare/operations.js';
import { startServer } from './compare/process.js';

const [operationName = 'smallPatch', serverOrFace = 'gateway', maxLines = '60'] = process.argv.slice(2);
const loadMs = 6000;
/** Only the end of the profile counts, without the start of the process and its first requests. */
const measuredUs = 4_500_000;
const folder = mkdtempSync(join(tmpdir(), 'profile-'));
const faceRequest = pairs[operationName]?.[serverOrFace];
const server = await startServer({
  name: faceRequest ? 'gateway' : serverOrFace,
  env: faceRequest ? { REST: 'on' } : {},
  core: 0,
  count: 1000,
  nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'],
});
const token = await signToken('alice@example.com', { sub: 'alice@example.com' }, secret);
const { query, variables } = operations[operationName] ?? {};
let sentCount = 0;
const graphqlRequest = (round) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(round) }),
});
const requestOf = () => ({ token, ...(faceRequest ?? graphqlRequest)(sentCount++) });
await load({ port: server.port, connections: 50, ms: loadMs, requestOf });
await server.stop('SIGTERM');
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
rmSync(folder, { recursive: true });

const nodesById = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
/** Describes the function of a node with its file and line. */
const labelOf = (id) => {
  const { functionName, url, lineNumber } = nodesById.get(id).callFrame;
  return `${functionName || '(anonymous)'} ${url.replace(/^.*\/(dist|node_modules)\//, '')}:${lineNumber + 1}`;
};
/** Returns the package or built-in module of a function; files of the gateway by themselves. */
const packageOf = (label) =>
  / (node:\w+)/.exec(label)?.[1] ?? / ((?:@[\w-]+\/)?[\w-]+)\//.exec(label)?.[1] ?? label;
const [selfTimes, totalTimes, packageTimes] = [new Map(), new Map(), new Map()];
const addTime = (sums, label, time) => sums.set(label, (sums.get(label) ?? 0) + time);
const totalUs = timeDeltas.reduce((sum, delta) => sum + delta, 0);
let [busyUs, elapsedUs] = [0, 0];
samples.forEach((leaf, index) => {
  const delta = timeDeltas[index];
  elapsedUs += delta;
  if (elapsedUs < totalUs - measuredUs || labelOf(leaf).startsWith('(idle)')) return;
  busyUs += delta;
  addTime(selfTimes, labelOf(leaf), delta);
  addTime(packageTimes, packageOf(labelOf(leaf)), delta);
  const labels = new Set();
  for (let id = leaf; id !== undefined; id = parents.get(id)) labels.add(labelOf(id));
  for (const label of labels) addTime(totalTimes, label, delta);
});
for (const [title, sums] of [
  ['of each package', packageTimes],
  ['of their own', selfTimes],
  ['including calls', totalTimes],
]) {
  console.log(`\nFunctions by time ${title}:`);
  for (const [label, time] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, Number(maxLines)))
    console.log(`${((100 * time) / busyUs).toFixed(1).padStart(5)} %  ${label}`);
}
