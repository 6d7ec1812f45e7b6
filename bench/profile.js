// Profiles a server and prints its functions by CPU time, as shares of non-idle samples. Build first; run:
//   node bench/profile.js [OPERATION] [SERVER or FACE] [LINES]
// Examples: `smallPatch limit` (operation and server of bench/compare), `smallPatch rest` (request of
// bench/rest.js).
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signToken } from './hardening/gateway.js';
import { secret } from './compare/data.js';
import { requestPairs } from './compare/request-pairs.js';
import { generateLoad } from './compare/load.js';
import { operations } from './compare/operations.js';
import { startServer } from './compare/process.js';

const [operationName = 'smallPatch', serverOrFace = 'gateway', maxLines = '60'] = process.argv.slice(2);
const loadMs = 6000;
/** Only the end of the profile counts, without the start of the process and its first requests. */
const measuredUs = 4_500_000;
const folder = mkdtempSync(join(tmpdir(), 'profile-'));
const faceRequest = requestPairs[operationName]?.[serverOrFace];
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
const createGraphqlRequest = (round) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(round) }),
});
const requestOf = () => ({ token, ...(faceRequest ?? createGraphqlRequest)(sentCount++) });
await generateLoad({ port: server.port, connections: 50, ms: loadMs, requestOf });
await server.stop('SIGTERM');
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
rmSync(folder, { recursive: true });

const parentIds = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
/** Lines of the bundles, by URL. */
const bundleLines = new Map();
/** Finds the source of a function in a bundle: esbuild writes the path of each source before its code. */
function findSource(url, lineNumber) {
  if (!bundleLines.has(url)) bundleLines.set(url, readFileSync(new URL(url), 'utf8').split('\n'));
  const sourceLine = bundleLines
    .get(url)
    .findLast((line, index) => index <= lineNumber && sourcePattern.test(line));
  return sourcePattern.exec(sourceLine ?? '')?.[1] ?? url;
}
const sourcePattern = /^\/\/ ((?:src|node_modules)\/\S+)$/;

/** Describes the function of a node with its source and, for the gateway, its line in the bundle. */
const describeNode = ({ callFrame: { functionName, url, lineNumber } }) => {
  const file = url.includes('/dist/') ? findSource(url, lineNumber) : url;
  return `${functionName || '(anonymous)'} ${file.replace(/^.*\/node_modules\/|^node_modules\//, '')}:${lineNumber + 1}`;
};
const labels = new Map(nodes.map((node) => [node.id, describeNode(node)]));
const labelOf = (id) => labels.get(id);
/** Returns the package or built-in module of a function; files of the gateway by themselves. */
const packageOf = (label) =>
  / (node:\w+)/.exec(label)?.[1] ?? / ((?:@[\w-]+\/)?[\w-]+)\//.exec(label)?.[1] ?? label;
const [selfTimes, totalTimes, packageTimes] = [new Map(), new Map(), new Map()];
const addTime = (sums, label, time) => sums.set(label, (sums.get(label) ?? 0) + time);
const totalUs = timeDeltas.reduce((sum, delta) => sum + delta, 0);
let [busyUs, elapsedUs] = [0, 0];
samples.forEach((leafId, index) => {
  const deltaUs = timeDeltas[index];
  elapsedUs += deltaUs;
  if (elapsedUs < totalUs - measuredUs || labelOf(leafId).startsWith('(idle)')) return;
  busyUs += deltaUs;
  addTime(selfTimes, labelOf(leafId), deltaUs);
  addTime(packageTimes, packageOf(labelOf(leafId)), deltaUs);
  const stackLabels = new Set();
  for (let id = leafId; id !== undefined; id = parentIds.get(id)) stackLabels.add(labelOf(id));
  for (const label of stackLabels) addTime(totalTimes, label, deltaUs);
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
