// A lane of attacks, as a process that sends its parent the rows of the table: `lane.js costs|rules [quick] [row …]`.
// quick: without the rows that take long, and without those whose verdict is a time or
// the size of a process, which a busy machine can fail.
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
const wanted = args.filter((arg) => arg !== 'quick');
const isWanted = (row) => wanted.length === 0 || wanted.includes(row);
const tokens = await Promise.all(
  Array.from({ length: 10 }, (_, index) => tokenOf('alice@example.com', { sub: `alice ${index}` })),
);

/** Runs checks on a gateway of their own. */
async function onGateway(settings, checks) {
  const gateway = await startGateway(settings);
  try {
    await checks(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Sends the rows of a check; one that throws has failed. */
async function guarded(row, attack, check) {
  if (!isWanted(row)) return;
  try {
    process.send([await check()].flat());
  } catch (error) {
    process.send([
      { row, attack, criterion: 'the check runs', figure: String(error).slice(0, 200), held: false },
    ]);
  }
}

async function schemaFor() {
  let schema;
  await onGateway(
    { seed: smallSeed },
    async (gateway) => (schema = schemaOf(await gateway.ask(introspection, undefined, { token: tokens[0] }))),
  );
  return schema;
}

async function costs() {
  const mailServer = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'calendar@example.com' };
  const attacks = [
    ...costAttacks(allFields((await schemaFor()).getType('Event'))),
    ...listAttacks,
    ...mailAttacks,
  ].filter(([row]) => isWanted(row));
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
  // What an attack leaves behind, and what it used of the rate limit, is not for the next one; reading lists leaves nothing.
  const needsAnother = (index) => seeds[index] !== listSeed || seeds[index - 1] !== listSeed;
  let gateway;
  // The next gateway starts while the last one is attacked.
  let next = attacks.length > 0 ? start(0) : undefined;
  for (const [index, [row, attack]] of attacks.entries()) {
    await guarded(row, attack, async () => {
      if (needsAnother(index) || !gateway?.alive()) {
        await gateway?.stop();
        gateway = await (next ?? start(index));
        next = undefined;
      }
      if (index + 1 < attacks.length && needsAnother(index + 1)) next ??= start(index + 1);
      return runCostAttack(gateway, attacks[index], tokens);
    });
  }
  await gateway?.stop();
}

/** Slow clients take 15 s each: they run beside the rest, on gateways of their own. */
const slowRules = () =>
  Promise.all([
    onGateway({}, (gateway) =>
      Promise.all(
        slowTransportChecks.map(([row, attack, check]) => guarded(row, attack, () => check(gateway))),
      ),
    ),
    onGateway({ env: { REST: 'on' } }, (gateway) =>
      Promise.all(slowRestChecks.map(([row, attack, check]) => guarded(row, attack, () => check(gateway)))),
    ),
    ...slowIdentityChecks.map(([row, attack, check]) =>
      guarded(row, attack, () => check({ start: startGateway })),
    ),
  ]);

async function rules() {
  const slow = isQuick ? undefined : slowRules();
  for (const [row, attack, check, settings] of [...identityChecks, ...transportChecks])
    await guarded(row, attack, () => check({ start: startGateway, seed: smallSeed, settings }));
  if (!isQuick)
    for (const [row, attack, check] of legitimateChecks)
      await guarded(row, attack, () => check({ start: startGateway, seed }));
  if (isWanted('rest'))
    await restChecks({
      guarded,
      onGateway,
      costs: isQuick ? undefined : (of, attack) => runCostAttack(of, attack, tokens),
      start: startGateway,
      seed,
      smallSeed,
    });
  if (isQuick) return;
  for (const [row, attack, check] of webhookChecks)
    await guarded(row, attack, () => check({ start: startGateway, seed: smallSeed }));
  await guarded('random', 'requests made from the schema', async () =>
    randomChecks({ start: startGateway, schema: await schemaFor() }),
  );
  await slow;
}

await { costs, rules }[lane]();
process.disconnect();
