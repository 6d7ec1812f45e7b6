// Process that runs a lane of attacks and sends the rows of the table to its parent: `lane.js costs|rules [quick] [row …]`.
// quick: without slow rows, and without those that measure time or memory, which a busy machine can fail.
import { listSeed, mailSeed, seed, smallSeed } from './seed.js';
import { startGateway, tokenOf } from './gateway.js';
import { allFields, introspection, schemaOf } from './selection.js';
import { costAttacks, listAttacks, mailAttacks, runCostAttack } from './costs.js';
import { identityChecks, slowIdentityChecks } from './identity.js';
import { legitimateChecks } from './legitimate.js';
import { randomChecks } from './random.js';
import { restChecks, slowRestChecks } from './rest.js';
import { slowTransportChecks, transportChecks } from './transport.js';
import { webhookChecks } from './webhooks.js';

const [lane, ...args] = process.argv.slice(2);
const isQuick = args.includes('quick');
const selectedRows = args.filter((arg) => arg !== 'quick');
const isSelected = (row) => selectedRows.length === 0 || selectedRows.includes(row);
const tokens = await Promise.all(
  Array.from({ length: 10 }, (_, index) => tokenOf('alice@example.com', { sub: `alice ${index}` })),
);

/** Runs checks on a new gateway. */
async function withGateway(settings, checks) {
  const gateway = await startGateway(settings);
  try {
    await checks(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Runs a check and sends its rows. A check that throws has failed. */
async function reportCheck(row, attack, check) {
  if (!isSelected(row)) return;
  try {
    process.send([await check()].flat());
  } catch (error) {
    process.send([
      { row, attack, criterion: 'the check runs', figure: String(error).slice(0, 200), held: false },
    ]);
  }
}

async function loadSchema() {
  let schema;
  await withGateway(
    { seed: smallSeed },
    async (gateway) => (schema = schemaOf(await gateway.ask(introspection, undefined, { token: tokens[0] }))),
  );
  return schema;
}

async function costs() {
  const mailServer = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'calendar@example.com' };
  const attacks = [
    ...costAttacks(allFields((await loadSchema()).getType('Event'))),
    ...listAttacks,
    ...mailAttacks,
  ].filter(([row]) => isSelected(row));
  const seeds = attacks.map((attack) =>
    mailAttacks.includes(attack)
      ? mailSeed
      : listAttacks.includes(attack)
        ? listSeed
        : /^C2|^graph/.test(attack[0])
          ? seed
          : smallSeed,
  );
  const start = (index) =>
    startGateway({
      seed: seeds[index],
      env: {
        ...([listSeed, mailSeed].includes(seeds[index]) && { RATE_LIMIT: 'off' }),
        ...(seeds[index] === mailSeed && mailServer),
      },
    });
  // Attacks leave data and use the rate limit, so each gets a new gateway. Only list attacks can share one.
  const needsNewGateway = (index) => seeds[index] !== listSeed || seeds[index - 1] !== listSeed;
  let gateway;
  // The next gateway starts during the current attack.
  let next = attacks.length > 0 ? start(0) : undefined;
  for (const [index, [row, attack]] of attacks.entries()) {
    await reportCheck(row, attack, async () => {
      if (needsNewGateway(index) || !gateway?.alive()) {
        await gateway?.stop();
        gateway = await (next ?? start(index));
        next = undefined;
      }
      if (index + 1 < attacks.length && needsNewGateway(index + 1)) next ??= start(index + 1);
      return runCostAttack(gateway, attacks[index], tokens);
    });
  }
  await gateway?.stop();
}

/** Runs checks that take 15 s or more, in parallel with the others and on their own gateways. */
const slowRules = () =>
  Promise.all([
    withGateway({}, (gateway) =>
      Promise.all(
        slowTransportChecks.map(([row, attack, check]) => reportCheck(row, attack, () => check(gateway))),
      ),
    ),
    withGateway({ env: { REST: 'on' } }, (gateway) =>
      Promise.all(
        slowRestChecks.map(([row, attack, check]) => reportCheck(row, attack, () => check(gateway))),
      ),
    ),
    ...slowIdentityChecks.map(([row, attack, check]) =>
      reportCheck(row, attack, () => check({ start: startGateway })),
    ),
  ]);

async function rules() {
  const slowChecks = isQuick ? undefined : slowRules();
  for (const [row, attack, check, settings] of [...identityChecks, ...transportChecks])
    await reportCheck(row, attack, () => check({ start: startGateway, seed: smallSeed, settings }));
  if (!isQuick)
    for (const [row, attack, check] of legitimateChecks)
      await reportCheck(row, attack, () => check({ start: startGateway, seed }));
  if (isSelected('rest'))
    await restChecks({
      reportCheck,
      withGateway,
      costs: isQuick ? undefined : (gateway, attack) => runCostAttack(gateway, attack, tokens),
      start: startGateway,
      seed,
      smallSeed,
    });
  if (isQuick) return;
  for (const [row, attack, check] of webhookChecks)
    await reportCheck(row, attack, () => check({ start: startGateway, seed: smallSeed }));
  await reportCheck('random', 'requests made from the schema', async () =>
    randomChecks({ start: startGateway, schema: await loadSchema() }),
  );
  await slowChecks;
}

await { costs, rules }[lane]();
process.disconnect();
