// Compares a patch and a week of a calendar with few and with many stored events. Two gateways take turns, so that other
// load on the machine affects both. In memory, and with DATABASE_URL also in PostgreSQL, in two temporary databases.
//   npm run build && npm run bench:growth [events]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const many = Number(process.argv[2] ?? 1_000_000);
const rounds = 12;
const amount = 100;
const { DATABASE_URL: url } = process.env;

async function start(count, databaseUrl) {
  const env = { PATH: process.env.PATH, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const child = fork(fileURLToPath(new URL('growth-gateway.js', import.meta.url)), [String(count)], {
    env,
    execArgv: ['--expose-gc', '--max-old-space-size=8192'],
  });
  child.on('exit', (code) => code && process.exit(code));
  const [loaded] = await once(child, 'message');
  const measureRound = async (size) => {
    child.send({ amount: size });
    return (await once(child, size === 0 ? 'exit' : 'message'))[0];
  };
  return { count, loaded, measureRound };
}

const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

/** Measures both gateways and returns rows of the table. */
async function compare(store, few, maxRatio, urls = []) {
  const gateways = [await start(few, urls[0]), await start(many, urls[1])];
  await analyze(urls);
  for (const { measureRound } of gateways) await measureRound(amount); // Warm-up.
  const timesByGateway = gateways.map(() => ({ patch: [], week: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { measureRound }] of gateways.entries()) {
      const times = await measureRound(amount);
      for (const name of ['patch', 'week']) timesByGateway[index][name].push(...times[name]);
    }
  }
  for (const { measureRound } of gateways) await measureRound(0);
  const memory =
    store === 'memory' ? gateways.map(({ loaded }) => `${Math.round(loaded.bytes)} B`).join(' → ') : '';
  const seconds = gateways[1].loaded.seconds.toFixed(0);
  console.error(`${store}: ${many} events loaded in ${seconds} s${memory && `, memory per event ${memory}`}`);
  return ['patch', 'week'].map((name) => {
    const [small, large] = timesByGateway.map((times) => median(times[name]));
    const ratio = large / small;
    return `| ${store} | ${name} | ${few} | ${small.toFixed(2)} ms | ${many} | ${large.toFixed(2)} ms | ${ratio.toFixed(2)} | ≤ ${maxRatio} | ${ratio <= maxRatio ? 'holds' : 'FAILS'} |`;
  });
}

async function analyze(urls) {
  for (const databaseUrl of urls) await run(databaseUrl, 'VACUUM ANALYZE');
}

async function run(databaseUrl, ...statements) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const rows = await compare('memory', 1000, 1.2);
if (url) {
  const names = ['growth_few', 'growth_many'];
  const drop = names.map((name) => `DROP DATABASE IF EXISTS ${name}`);
  await run(url, ...drop, ...names.map((name) => `CREATE DATABASE ${name}`));
  const urls = names.map((name) => Object.assign(new URL(url), { pathname: `/${name}` }).href);
  rows.push(...(await compare('PostgreSQL', 10_000, 1.3, urls)));
  await run(url, ...drop);
} else console.error('PostgreSQL was left out: DATABASE_URL is not set.');

console.log(
  '| store | operation | events | median | events | median | ratio | asked for | verdict |\n|---|---|---|---|---|---|---|---|---|',
);
for (const row of rows) console.log(row);
process.exitCode = rows.some((row) => row.includes('FAILS')) ? 1 : 0;
