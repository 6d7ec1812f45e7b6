// Attacks a built gateway from outside and prints a table: attack | criterion | figure | verdict. Ends with 1 when a
// criterion does not hold. `npm run test:hardening [row …]` runs the rows of these names only.
import { listSeed, mailSeed, seed, smallSeed } from './seed.js';
import { startGateway, tokenOf } from './gateway.js';
import { allFields, introspection, schemaOf } from './selection.js';
import { costAttacks, listAttacks, mailAttacks, runCostAttack } from './costs.js';
import { identityChecks, slowIdentityChecks } from './identity.js';
import { legitimateChecks } from './legitimate.js';
import { randomChecks } from './random.js';
import { restChecks, slowRestChecks } from './rest.js';
import { shutdownChecks } from './shutdown.js';
import { transportChecks } from './transport.js';
import { webhookChecks } from './webhooks.js';

const budgetMs = 5 * 60_000;
const started = Date.now();
const wanted = process.argv.slice(2);
const isWanted = (row) => wanted.length === 0 || wanted.includes(row);
const overdue = setTimeout(() => {
  report();
  console.error('It took more than 5 minutes.');
  process.exit(1);
}, budgetMs);

const results = [];
const add = (...rows) => {
  results.push(...rows);
  for (const { row, attack, held } of rows) console.error(`${held ? 'holds' : 'FAILS'}  ${row}  ${attack}`);
};

function report() {
  console.log('\n| row | attack | criterion | figure | verdict |\n|---|---|---|---|---|');
  for (const { row, attack, criterion, figure, held } of results) console.log(`| ${row} | ${attack} | ${criterion} | ${figure} | ${held ? 'holds' : 'FAILS'} |`);
  const failed = results.filter(({ held }) => !held);
  console.log(`\n${results.length - failed.length} of ${results.length} hold, in ${Math.round((Date.now() - started) / 1000)} s.`);
  return failed.length;
}

/** Runs checks on a gateway of their own; a check that throws has failed. */
async function onGateway(settings, checks) {
  const gateway = await startGateway(settings);
  try {
    await checks(gateway);
  } finally {
    await gateway.stop();
  }
}

async function guarded(row, attack, check) {
  if (!isWanted(row)) return;
  try {
    add(...[await check()].flat());
  } catch (error) {
    add({ row, attack, criterion: 'the check runs', figure: String(error).slice(0, 200), held: false });
  }
}

const tokens = await Promise.all(Array.from({ length: 10 }, (_, index) => tokenOf('alice@example.com', { sub: `alice ${index}` })));

// Slow clients take 15 s each: they run beside the rest, on a gateway of their own.
const slow = Promise.all([
  onGateway({}, (gateway) => Promise.all(transportChecks.slow.map(([row, attack, check]) => guarded(row, attack, () => check(gateway))))),
  onGateway({ env: { REST: 'on' } }, (gateway) => Promise.all(slowRestChecks.map(([row, attack, check]) => guarded(row, attack, () => check(gateway))))),
  ...slowIdentityChecks.map(([row, attack, check]) => guarded(row, attack, () => check({ start: startGateway }))),
]);

for (const group of [identityChecks, transportChecks.quick, legitimateChecks, shutdownChecks]) {
  for (const [row, attack, check, settings] of group) await guarded(row, attack, () => check({ start: startGateway, seed, settings }));
}

const mailServer = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'calendar@example.com' };
const seedOf = (attack) => (mailAttacks.includes(attack) ? mailSeed : listAttacks.includes(attack) ? listSeed : attack[0].startsWith('C2') ? seed : smallSeed);
let gateway = await startGateway({ seed: smallSeed });
const schema = schemaOf(await gateway.ask(introspection, undefined, { token: tokens[0] }));
const eventFields = allFields(schema.getType('Event'));
let held;
for (const attack of [...costAttacks(eventFields), ...listAttacks, ...mailAttacks]) {
  await guarded(attack[0], attack[1], async () => {
    // What an attack leaves behind, and what it used of the rate limit, is not for the next one; reading lists leaves nothing.
    if (held !== listSeed || seedOf(attack) !== listSeed || !gateway.alive()) {
      await gateway.stop();
      held = seedOf(attack);
      gateway = await startGateway({ seed: held, env: { ...((held === listSeed || held === mailSeed) && { RATE_LIMIT: 'off' }), ...(held === mailSeed && mailServer) } });
    }
    return runCostAttack(gateway, attack, tokens);
  });
}
await gateway.stop();
if (isWanted('rest')) await restChecks({ guarded, onGateway, costs: (of, attack) => runCostAttack(of, attack, tokens), start: startGateway, seed, smallSeed });
for (const [row, attack, check] of webhookChecks) await guarded(row, attack, () => check({ start: startGateway, seed: smallSeed }));
await guarded('random', 'requests made from the schema', () => randomChecks({ start: startGateway, schema }));
await slow;

clearTimeout(overdue);
process.exit(report() > 0 ? 1 : 0);
