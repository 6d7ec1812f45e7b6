// Compares the gateway with other servers on the same PostgreSQL server and bodies, in alternating rounds:
//   npm run bench:postgres [-- --events=500 --calendars=20 --rounds=8 --ops=patch,week20 --only=gateway,apollo,gateway@/another/checkout --fsync-ms=2 --quick]
// `events`: per calendar. `fsync-ms`: additional time of each flush to the disk. Responses are compared first. Uses the
// empty database at DATABASE_URL, or starts a server.
import { deepStrictEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import { median, spread } from '../compare/table.js';
import { openDatabase } from './database.js';
import { calendarOf, fill, tokensOf } from './data.js';
import { goals, slowDiskGoals } from './goals.js';
import { measure, requestsFor } from './measure.js';
import { plainTables } from './plain.js';
import { createSubject, startServerOn, createLimitSubject } from './subjects.js';

const { quick, only, ops, ...amounts } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    ops: { type: 'string' },
    events: { type: 'string' },
    calendars: { type: 'string' },
    rounds: { type: 'string' },
    'fsync-ms': { type: 'string' },
  },
}).values;
const events = Number(amounts.events ?? 500);
const flushMs = Number(amounts['fsync-ms'] ?? 0);
const rounds = Number(amounts.rounds ?? (quick ? 3 : 8));
const share = quick ? 0.5 : 1;
const operations = {
  patch: { title: 'a patch', operation: 'patch', callers: 1, requests: 100 * share },
  week: { title: 'a week', operation: 'week', callers: 1, requests: 100 * share },
  patch20: { title: 'patches, 20 callers', operation: 'patch', callers: 20, requests: 1000 * share },
  week20: { title: 'weeks, 20 callers', operation: 'week', callers: 20, requests: 600 * share },
};
const names = only?.split(',') ?? ['gateway', 'apollo', 'http', 'counted', 'limit'];
const titles = {
  apollo: '@apollo/server, kysely',
  http: "the limit with the calendar's counter, behind http",
  counted: "the limit with the calendar's counter",
  limit: 'the limit',
};
const selectedOperations = Object.keys(operations).filter((name) => !ops || ops.split(',').includes(name));
const warmRequests = 600 * share;

const calendars = Array.from({ length: Number(amounts.calendars ?? 20) }, (_, index) =>
  calendarOf({ name: `c${index}`, events }),
);
const tokens = await tokensOf(calendars);
const requestOf = {
  patch: requestsFor(calendars, tokens, 'patch'),
  week: requestsFor(calendars, tokens, 'week'),
};

/** Removes etags, which differ between servers. */
const comparable = (answer) =>
  JSON.parse(JSON.stringify(answer), (key, value) => (key === 'etag' ? typeof value : value));

async function compareAnswers(subjects) {
  for (const nextRequest of Object.values(requestOf)) {
    const request = nextRequest();
    const answers = [];
    for (const subject of subjects) answers.push(comparable(await subject.ask(request)));
    for (const [index, answer] of answers.entries())
      deepStrictEqual(
        answer,
        answers[0],
        `${subjects[index].name} answers ${request.operation} in another way`,
      );
    if (request.operation === 'week' && answers[0].events.nodes.length !== 56)
      throw new Error(`a week of ${answers[0].events.nodes.length} events`);
  }
}

function print(figures) {
  console.log(
    `\n${events} events on each of ${calendars.length} calendars${flushMs ? `, each flush ${flushMs} ms slower` : ''}; medians of ${rounds} rounds, multiples with the least and the most.`,
  );
  console.log(
    '\n| operation | server | median ms | × limit | p95 ms | a second | CPU of node, ms | CPU of PostgreSQL, ms | × limit |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of selectedOperations) {
    for (const server of names) {
      const formatMedian = (figure, digits = 2) =>
        median(figures(name, server).map((round) => round[figure])).toFixed(digits);
      const ratioToLimit = (figure) =>
        names.includes('limit') ? ratio(figures, name, server, 'limit', figure) : '';
      console.log(
        `| ${operations[name].title} | ${titles[server] ?? server} | ${formatMedian('median')} | ${ratioToLimit('median')} | ${formatMedian('p95')} | ${formatMedian('rate', 0)} | ${formatMedian('server')} | ${formatMedian('database')} | ${ratioToLimit('database')} |`,
      );
    }
  }
  const checkedGoals = (flushMs ? slowDiskGoals : goals).filter(
    ({ operation, of }) =>
      selectedOperations.includes(operation) && names.includes('gateway') && names.includes(of),
  );
  if (checkedGoals.length > 0) console.log('\n| the gateway | ratio | goal | |\n|---|---|---|---|');
  for (const { title, figure, operation, of, most, least } of checkedGoals) {
    const medianRatio = median(ratios(figures, operation, 'gateway', of, figure));
    const holds = most === undefined ? medianRatio >= least : medianRatio <= most;
    console.log(
      `| ${title} | ${ratio(figures, operation, 'gateway', of, figure)} | ${most === undefined ? `≥ ${least}` : `≤ ${most}`} | ${holds ? 'reached' : 'not reached'} |`,
    );
  }
}

/** Returns the ratios of a figure of two servers, round by round. */
const ratios = (figures, name, server, other, figure) =>
  figures(name, server).map((round, index) => round[figure] / figures(name, other)[index][figure]);
const ratio = (...args) => spread(ratios(...args), 2);

const database = await openDatabase({ flushMs });
const subjects = [];
try {
  await fill(database.urlFor('fill'), calendars);
  await database.query(plainTables);
  await database.query('VACUUM ANALYZE');
  for (const name of names) {
    const application = `bench ${subjects.length}`;
    const url = database.urlFor(application);
    subjects.push(
      ['limit', 'counted'].includes(name)
        ? createLimitSubject({ name, application, url, counted: name === 'counted' })
        : createSubject({ name, application, servers: [await startServerOn(url, name)] }),
    );
  }
  await compareAnswers(subjects);
  const figuresByKey = new Map();
  for (const name of selectedOperations) {
    const { operation, callers, requests } = operations[name];
    for (const subject of subjects)
      await subject.run({ callers, requests: warmRequests, requestOf: requestOf[operation] });
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of round % 2 ? subjects.toReversed() : subjects) {
        const key = `${name} ${subject.name}`;
        figuresByKey.set(key, [
          ...(figuresByKey.get(key) ?? []),
          await measure(database, subject, { callers, requests, requestOf: requestOf[operation] }),
        ]);
      }
    }
  }
  print((name, server) => figuresByKey.get(`${name} ${server}`));
} finally {
  for (const subject of subjects) await subject.stop();
  await database.close();
}
