// Attacks a built gateway from outside and prints a table: attack | criterion | figure | verdict. Exits with 1 if a criterion
// does not hold. `npm run test:hardening [-- row …]` runs only the named rows, `-- quick` only fast rows that measure no
// time. Expensive requests and all other attacks run in two parallel processes.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const isQuick = process.argv.includes('quick');
/** More time for quick rows, which may run on a busy machine. */
const maxMinutes = isQuick ? 20 : 5;
const started = Date.now();
const children = (isQuick ? ['rules'] : ['costs', 'rules']).map((lane) =>
  fork(fileURLToPath(new URL('lane.js', import.meta.url)), [lane, ...process.argv.slice(2)]),
);
const overdue = setTimeout(() => {
  report();
  console.error(`It took more than ${maxMinutes} minutes.`);
  for (const child of children) child.kill();
  process.exit(1);
}, maxMinutes * 60_000);

const results = [];
const add = (rows) => {
  results.push(...rows);
  for (const { row, attack, held } of rows) console.error(`${held ? 'holds' : 'FAILS'}  ${row}  ${attack}`);
};

function report() {
  console.log('\n| row | attack | criterion | figure | verdict |\n|---|---|---|---|---|');
  for (const { row, attack, criterion, figure, held } of results)
    console.log(`| ${row} | ${attack} | ${criterion} | ${figure} | ${held ? 'holds' : 'FAILS'} |`);
  const failed = results.filter(({ held }) => !held);
  console.log(
    `\n${results.length - failed.length} of ${results.length} hold, in ${Math.round((Date.now() - started) / 1000)} s.`,
  );
  return failed.length;
}

await Promise.all(
  children.map(async (child) => {
    child.on('message', add);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0)
      add([
        {
          row: 'all',
          attack: 'the checks run to their end',
          criterion: 'ended with 0',
          figure: String(code),
          held: false,
        },
      ]);
  }),
);
clearTimeout(overdue);
process.exit(report() > 0 ? 1 : 0);
