// Process that runs a suite of attacks and sends the rows of the table to its parent:
//   suite.js costs|checks [quick] [GROUP …]
// quick: without slow checks, and without checks that measure time or memory, which fail on a busy machine.
import { channelChecks } from './channels.js';
import { createCostAttacks, listSettings, runCostAttack } from './costs.js';
import { feedChecks, slowFeedChecks } from './feeds.js';
import { fileChecks } from './icalendar-files.js';
import { isQuick, signToken, startGateway, withGateway } from './gateway.js';
import { identityChecks, slowIdentityChecks } from './identity.js';
import { legitimateChecks } from './legitimate.js';
import { checkRandomRequests } from './random.js';
import { largeRest, rest, slowRestChecks } from './rest.js';
import { restCostAttacks } from './rest-batch.js';
import { smallSeed } from './seed.js';
import { buildFullSelection, introspectionQuery, buildIntrospectedSchema } from './selection.js';
import { slowTransportChecks, transportChecks } from './transport.js';
import { webhookChecks } from './webhooks.js';

const [suite, ...args] = process.argv.slice(2);
const selectedGroups = args.filter((arg) => arg !== 'quick');
const isSelected = (group) =>
  selectedGroups.length === 0 ||
  selectedGroups.some((selectedGroup) => group === selectedGroup || group.startsWith(`${selectedGroup}-`));
/** Tokens of ten callers, because rate limits apply to each caller. */
const tokens = await Promise.all(
  Array.from({ length: 10 }, (_, index) => signToken('alice@example.com', { sub: `alice ${index}` })),
);

/** Runs a check and sends its rows. A check that throws has failed. */
async function reportCheck(group, check) {
  let rows;
  try {
    rows = [await check()].flat();
  } catch (error) {
    const figure = String(error).slice(0, 200);
    rows = [{ attack: 'the check itself', criterion: 'does not throw', figure, isMet: false }];
  }
  process.send(rows.map((row) => ({ group, ...row })));
}

/** Runs the selected checks one after another. `checks`: functions by group, which get `gateway`. */
async function runChecks(checks, gateway) {
  for (const [group, check] of Object.entries(checks))
    if (isSelected(group)) await reportCheck(group, () => check(gateway));
}

/** Runs checks on one gateway, which starts only if one of them is selected. */
async function runChecksOn(settings, checks) {
  if (Object.keys(checks).some(isSelected))
    await withGateway(settings, (gateway) => runChecks(checks, gateway));
}

/** Reads the schema from a gateway by introspection. */
const loadSchema = () =>
  withGateway({ seed: smallSeed }, async (gateway) =>
    buildIntrospectedSchema(await gateway.sendGraphql(introspectionQuery, undefined, { token: tokens[0] })),
  );

/** Runs attacks that measure the cost of expensive requests. */
async function runCosts() {
  const eventFields = buildFullSelection((await loadSchema()).getType('Event'));
  const attacks = createCostAttacks(eventFields).filter(({ group }) => isSelected(group));
  // Attacks leave data and use up the rate limit, so each gets a new gateway. Only list attacks share one,
  // which has no limit.
  const needsNewGateway = (index) =>
    attacks[index].settings !== listSettings || attacks[index - 1]?.settings !== listSettings;
  let gateway;
  let nextGateway;
  for (const [index, attack] of attacks.entries()) {
    await reportCheck(attack.group, async () => {
      if (needsNewGateway(index) || !gateway?.isAlive()) {
        await gateway?.stop();
        gateway = await (nextGateway ?? startGateway(attack.settings));
        nextGateway = undefined;
      }
      // The next gateway starts during this attack.
      if (index + 1 < attacks.length && needsNewGateway(index + 1))
        nextGateway ??= startGateway(attacks[index + 1].settings);
      return runCostAttack(gateway, attack, tokens);
    });
  }
  await gateway?.stop();
}

/** Runs checks that take 15 s or more, in parallel with the others and on their own gateways. */
const runSlowChecks = () =>
  Promise.all([
    runChecksOn({}, slowTransportChecks),
    runChecksOn({ env: { REST: 'on' } }, slowRestChecks),
    runChecks({ ...slowIdentityChecks, ...slowFeedChecks }),
  ]);

async function runRestChecks() {
  await runChecksOn(rest.settings, isQuick ? rest.checks : { ...rest.checks, ...rest.timedChecks });
  await runChecksOn(largeRest.settings, largeRest.checks);
  if (isQuick || !isSelected('rest-costs')) return;
  await withGateway(largeRest.settings, async (gateway) => {
    for (const attack of restCostAttacks)
      await reportCheck('rest-costs', () => runCostAttack(gateway, attack, tokens));
  });
}

/** Runs all groups except costs. Slow ones run beside the others. */
async function runAllChecks() {
  const slowChecks = isQuick ? undefined : runSlowChecks();
  await runChecks({ ...identityChecks, ...feedChecks, ...transportChecks, ...channelChecks });
  if (!isQuick) await runChecks({ ...legitimateChecks, ...fileChecks });
  await runRestChecks();
  if (isQuick) return;
  await runChecks({ ...webhookChecks, random: async () => checkRandomRequests(await loadSchema()) });
  await slowChecks;
}

await { costs: runCosts, checks: runAllChecks }[suite]();
process.disconnect();
