// Compares the times of a patch and of a week of a calendar with few and with many stored events. Two
// gateways take turns, so that other load on the machine affects both. They store in memory, and with
// DATABASE_URL also in PostgreSQL, in two temporary databases.
//   npm run build && npm run bench:growth [events]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const largeEventCount = Number(process.argv[2] ?? 1_000_000);
const rounds = 12;
/** Patches of a round. */
const patchesPerRound = 100;
/** Limits for each store: events of the smaller gateway, and the maximum ratio of the larger one's times to its times. */
const limits = { memory: [1000, 1.2], PostgreSQL: [10_000, 1.3] };
const operations = ['patch', 'week'];
const databaseUrl = process.env.DATABASE_URL;

/** Starts a gateway with `count` events, in memory or in the database `url`. */
async function startGateway(count, url) {
  const env = { PATH: process.env.PATH, ...(url && { DATABASE_URL: url }) };
  const child = fork(fileURLToPath(new URL('growth-gateway.js', import.meta.url)), [String(count)], {
    env,
    execArgv: ['--expose-gc', '--max-old-space-size=8192'],
  });
  child.on('exit', (code) => code && process.exit(code));
  const [loadResult] = await once(child, 'message');
  return {
    loadResult,
    /** Returns the times of each operation in ms. */
    async measureRound() {
      child.send({ samples: patchesPerRound });
      return (await once(child, 'message'))[0];
    },
    async stop() {
      child.send({ samples: 0 });
      await once(child, 'exit');
    },
  };
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** Measures both gateways and returns rows of the table. `urls`: addresses of their databases. */
async function compareGateways(store, urls = []) {
  const [smallEventCount, maxRatio] = limits[store];
  const gateways = [
    await startGateway(smallEventCount, urls[0]),
    await startGateway(largeEventCount, urls[1]),
  ];
  for (const url of urls) await runStatements(url, 'VACUUM ANALYZE');
  for (const { measureRound } of gateways) await measureRound(); // Warm-up.
  const timesByGateway = gateways.map(() => ({ patch: [], week: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { measureRound }] of gateways.entries()) {
      const times = await measureRound();
      for (const operation of operations) timesByGateway[index][operation].push(...times[operation]);
    }
  }
  for (const { stop } of gateways) await stop();
  const memoryText =
    store === 'memory'
      ? gateways.map(({ loadResult }) => `${Math.round(loadResult.bytes)} B`).join(' → ')
      : '';
  const seconds = gateways[1].loadResult.seconds.toFixed(0);
  console.error(
    `${store}: ${largeEventCount} events loaded in ${seconds} s${memoryText && `, memory per event ${memoryText}`}`,
  );
  return operations.map((operation) => {
    const [smallMs, largeMs] = timesByGateway.map((times) => median(times[operation]));
    const ratio = largeMs / smallMs;
    return `| ${store} | ${operation} | ${smallEventCount} | ${smallMs.toFixed(2)} ms | ${largeEventCount} | ${largeMs.toFixed(2)} ms | ${ratio.toFixed(2)} | ≤ ${maxRatio} | ${ratio <= maxRatio ? 'holds' : 'FAILS'} |`;
  });
}

async function runStatements(url, ...statements) {
  const client = new pg.Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const rows = await compareGateways('memory');
if (databaseUrl) {
  const databaseNames = ['growth_few', 'growth_many'];
  const dropStatements = databaseNames.map((name) => `DROP DATABASE IF EXISTS ${name}`);
  await runStatements(
    databaseUrl,
    ...dropStatements,
    ...databaseNames.map((name) => `CREATE DATABASE ${name}`),
  );
  const urls = databaseNames.map(
    (name) => Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href,
  );
  rows.push(...(await compareGateways('PostgreSQL', urls)));
  await runStatements(databaseUrl, ...dropStatements);
} else console.error('PostgreSQL was left out: DATABASE_URL is not set.');

console.log(
  '| store | operation | events | median | events | median | ratio | limit | verdict |\n|---|---|---|---|---|---|---|---|---|',
);
for (const row of rows) console.log(row);
process.exitCode = rows.some((row) => row.includes('FAILS')) ? 1 : 0;
