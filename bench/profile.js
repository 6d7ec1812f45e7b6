// Where the gateway's time goes: node bench/profile.js [operation] prints the functions with the most time of their own;
// node bench/profile.js smallPatch rest (or graphql) those of what bench/rest.js compares.
// Build first. Times are shares of all samples that are not idle.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenOf } from './hardening/gateway.js';
import { secret } from './compare/data.js';
import { pairs } from './compare/faces.js';
import { load } from './compare/load.js';
import { operations } from './compare/operations.js';
import { startServer } from './compare/process.js';

const [name = 'smallPatch', kind = 'gateway', lines = '60'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'profile-'));
const asked = pairs[name]?.[kind];
const server = await startServer({
  name: asked ? 'gateway' : kind,
  env: asked ? { REST: 'on' } : {},
  core: 0,
  count: 1000,
  nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'],
});
const token = await tokenOf('alice@example.com', { sub: 'alice@example.com' }, secret);
const { query, variables } = operations[name] ?? {};
let n = 0;
const bodyOf = (of) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables: variables(of) }),
});
const requestOf = () => ({ token, ...(asked ?? bodyOf)(n++) });
await load({ port: server.port, connections: 50, ms: 6000, requestOf });
await server.stop('SIGTERM');
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
rmSync(folder, { recursive: true });

// What comes before is the start of the process, and its first requests.
const warmUs = 4_500_000;
const byId = new Map(nodes.map((node) => [node.id, node]));
const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
const placeOf = (id) => {
  const { functionName, url, lineNumber } = byId.get(id).callFrame;
  return `${functionName || '(anonymous)'} ${url.replace(/^.*\/(dist|node_modules)\//, '')}:${lineNumber + 1}`;
};
const groupOf = (place) =>
  / (node:\w+)/.exec(place)?.[1] ?? / ((?:@[\w-]+\/)?[\w-]+)\//.exec(place)?.[1] ?? place;
const [own, whole, groups] = [new Map(), new Map(), new Map()];
const add = (sums, place, time) => sums.set(place, (sums.get(place) ?? 0) + time);
const total = timeDeltas.reduce((sum, delta) => sum + delta, 0);
let [busy, passed] = [0, 0];
samples.forEach((leaf, index) => {
  const delta = timeDeltas[index];
  passed += delta;
  if (passed < total - warmUs || placeOf(leaf).startsWith('(idle)')) return;
  busy += delta;
  add(own, placeOf(leaf), delta);
  add(groups, groupOf(placeOf(leaf)), delta);
  const seen = new Set();
  for (let id = leaf; id !== undefined; id = parents.get(id)) seen.add(placeOf(id));
  for (const place of seen) add(whole, place, delta);
});
for (const [title, sums] of [
  ['in groups', groups],
  ['of their own', own],
  ['with what they call', whole],
]) {
  console.log(`\nFunctions by time ${title}:`);
  for (const [place, time] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, Number(lines)))
    console.log(`${((100 * time) / busy).toFixed(1).padStart(5)} %  ${place}`);
}
