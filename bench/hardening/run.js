// Attacks a built gateway from outside and prints a table: group | attack | criterion | figure | verdict. Exits with 1 if a
// criterion is not met. `npm run test:hardening [-- GROUP …]` runs only these groups: `rest-fields`, or `rest` for all that
// begin with `rest-`. `-- quick` runs only fast checks that measure no time. Suites run in parallel processes.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const isQuick = process.argv.includes('quick');
/** Time after which a suite must have got stuck, even on a busy machine. */
const maxMinutes = 20;
const startedAt = Date.now();
const suiteProcesses = (isQuick ? ['checks'] : ['costs', 'checks']).map((suite) =>
  fork(fileURLToPath(new URL('suite.js', import.meta.url)), [suite, ...process.argv.slice(2)]),
);
const overdueTimer = setTimeout(() => {
  printTable();
  console.error(`The attacks took more than ${maxMinutes} minutes.`);
  for (const suite of suiteProcesses) suite.kill();
  process.exit(1);
}, maxMinutes * 60_000);

const resultRows = [];
const verdictOf = ({ isMet }) => (isMet ? 'holds' : 'FAILS');
const addRows = (rows) => {
  resultRows.push(...rows);
  for (const row of rows) console.error(`${verdictOf(row)}  ${row.group}  ${row.attack}`);
};

/** Prints the table and returns the number of failed rows. */
function printTable() {
  console.log('\n| group | attack | criterion | figure | verdict |\n|---|---|---|---|---|');
  for (const row of resultRows)
    console.log(`| ${row.group} | ${row.attack} | ${row.criterion} | ${row.figure} | ${verdictOf(row)} |`);
  const failedCount = resultRows.filter(({ isMet }) => !isMet).length;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`\n${resultRows.length - failedCount} of ${resultRows.length} hold, in ${seconds} s.`);
  return failedCount;
}

await Promise.all(
  suiteProcesses.map(async (suite) => {
    suite.on('message', addRows);
    const exitCode = await new Promise((resolve) => suite.once('close', resolve));
    if (exitCode !== 0)
      addRows([
        {
          group: 'suite',
          attack: 'all checks of a suite',
          criterion: 'the process exits with 0',
          figure: String(exitCode),
          isMet: false,
        },
      ]);
  }),
);
clearTimeout(overdueTimer);
process.exit(printTable() > 0 ? 1 : 0);
