// Profiles the gateway: node bench/profile.js [operation] prints the functions by CPU time; with a face, such as
// node bench/profile.js smallPatch rest, a request of bench/rest.js. Build first. Times are shares of non-idle samples.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenOf } from './hardening/gateway.js';
import { secret } from './compare/data.js';
import { pairs } from './compare/faces.js';
import { load } from './compare/load.js';
import { operations } from './compare/operations.js';
import { startServer } from './compare/process.js';

const [name = 'smallPatch', kind = 'gateway', maxLines = '60'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'profile-'));
const faceRequest = pairs[name]?.[kind];
const server = await startServer({
  name: faceRequest ? 'gateway' : kind,
  env: faceRequest ? { REST: 'on' } : {},
  core: 0,
  count: 1000,
  nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'],
});
const token = await tokenOf('alice@example.com', { sub: 'alice@example.com' }, secret);
const { query, variables } = operations[name] ?? {};
let sent = 0;
const bodyOf = (round) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(round) }),
});
const requestOf = () => ({ token, ...(faceRequest ?? bodyOf)(sent++) });
await load({ port: server.port, connections: 50, ms: 6000, requestOf });
await server.stop('SIGTERM');
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
rmSync(folder, { recursive: true });

// Only the last part of the profile counts, without the start of the process and its first requests.
const measuredUs = 4_500_000;
const byId = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
const functionOf = (id) => {
  const { functionName, url, lineNumber } = byId.get(id).callFrame;
  return `${functionName || '(anonymous)'} ${url.replace(/^.*\/(dist|node_modules)\//, '')}:${lineNumber + 1}`;
};
const groupOf = (label) =>
  / (node:\w+)/.exec(label)?.[1] ?? / ((?:@[\w-]+\/)?[\w-]+)\//.exec(label)?.[1] ?? label;
const [selfTimes, totalTimes, groupTimes] = [new Map(), new Map(), new Map()];
const add = (sums, label, time) => sums.set(label, (sums.get(label) ?? 0) + time);
const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
let [busy, elapsed] = [0, 0];
samples.forEach((leaf, index) => {
  const delta = timeDeltas[index];
  elapsed += delta;
  if (elapsed < total - measuredUs || functionOf(leaf).startsWith('(idle)')) return;
  busy += delta;
  add(selfTimes, functionOf(leaf), delta);
  add(groupTimes, groupOf(functionOf(leaf)), delta);
  const seen = new Set();
  for (let id = leaf; id !== undefined; id = parents.get(id)) seen.add(functionOf(id));
  for (const label of seen) add(totalTimes, label, delta);
});
for (const [title, sums] of [
  ['in groups', groupTimes],
  ['of their own', selfTimes],
  ['with what they call', totalTimes],
]) {
  console.log(`\nFunctions by time ${title}:`);
  for (const [label, time] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, Number(maxLines)))
    console.log(`${((100 * time) / busy).toFixed(1).padStart(5)} %  ${label}`);
}
