// Compares the gateway with other servers on the same PostgreSQL server and bodies, in alternating rounds:
//   npm run bench:postgres [-- --events=500 --calendars=20 --rounds=8 --ops=patch,week20
//     --only=gateway,apollo,gateway@/another/checkout --fsync-ms=2 --quick]
// `events`: number on each calendar. `fsync-ms`: additional time of each flush to the disk. Responses are
// compared first. Uses the empty database at DATABASE_URL, or starts a server.
import { deepStrictEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import { median, formatSpread } from '../compare/table.js';
import { openDatabase } from './database.js';
import { describeCalendar, eventsPerWeek, fillDatabase, signTokens } from './data.js';
import { goals, slowDiskGoals } from './goals.js';
import { createRequestSource, measureRound } from './measure.js';
import { plainTablesSql } from './limit.js';
import { createSubject, startServerOn, createLimitSubject } from './subjects.js';

const {
  quick: isQuick,
  only: onlyOption,
  ops: opsOption,
  ...options
} = parseArgs({
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
const eventsPerCalendar = Number(options.events ?? 500);
const flushMs = Number(options['fsync-ms'] ?? 0);
const rounds = Number(options.rounds ?? (isQuick ? 3 : 8));
const requestScale = isQuick ? 0.5 : 1;
const operations = {
  patch: { title: 'a patch', operation: 'patch', callers: 1, requests: 100 * requestScale },
  week: { title: 'a week', operation: 'week', callers: 1, requests: 100 * requestScale },
  patch20: { title: 'patches, 20 callers', operation: 'patch', callers: 20, requests: 1000 * requestScale },
  week20: { title: 'weeks, 20 callers', operation: 'week', callers: 20, requests: 600 * requestScale },
};
/** Servers, and the limit of limit.js with and without the revision counter of each calendar. */
const serverNames = onlyOption?.split(',') ?? ['gateway', 'apollo', 'http', 'counted', 'limit'];
const serverTitles = {
  apollo: '@apollo/server, kysely',
  http: "the limit with the calendar's counter, behind http",
  counted: "the limit with the calendar's counter",
  limit: 'the limit',
};
const selectedOperations = Object.keys(operations).filter(
  (name) => !opsOption || opsOption.split(',').includes(name),
);
const warmUpRequests = 600 * requestScale;

const calendars = Array.from({ length: Number(options.calendars ?? 20) }, (_, index) =>
  describeCalendar({ name: `c${index}`, events: eventsPerCalendar }),
);
const tokens = await signTokens(calendars);
const requestSources = {
  patch: createRequestSource(calendars, tokens, 'patch'),
  week: createRequestSource(calendars, tokens, 'week'),
};

/** Replaces the values of etags, which differ between servers, by their type. */
const maskEtags = (data) =>
  JSON.parse(JSON.stringify(data), (key, value) => (key === 'etag' ? typeof value : value));

/** Throws if servers respond differently. */
async function compareResponses(subjects) {
  for (const nextRequest of Object.values(requestSources)) {
    const request = nextRequest();
    let expected;
    for (const subject of subjects) {
      const data = maskEtags(await subject.send(request));
      expected ??= data;
      deepStrictEqual(data, expected, `${subject.name} responds differently to ${request.operation}`);
    }
    if (request.operation === 'week' && expected.events.nodes.length !== eventsPerWeek)
      throw new Error(`a week of ${expected.events.nodes.length} events`);
  }
}

/** Prints the figures and goals. `figuresOf`: returns the rounds of an operation on a server. */
function printTables(figuresOf) {
  console.log(
    `\n${eventsPerCalendar} events on each of ${calendars.length} calendars${flushMs ? `, each flush ${flushMs} ms slower` : ''}; medians of ${rounds} rounds, multiples with minimum and maximum.`,
  );
  console.log(
    '\n| operation | server | median ms | × limit | p95 ms | a second | CPU of node, ms | CPU of PostgreSQL, ms | × limit |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of selectedOperations) {
    for (const server of serverNames) {
      const formatMedian = (figure, digits = 2) =>
        median(figuresOf(name, server).map((round) => round[figure])).toFixed(digits);
      const ratioToLimit = (figure) =>
        serverNames.includes('limit') ? formatRatio(figuresOf, name, server, 'limit', figure) : '';
      console.log(
        `| ${operations[name].title} | ${serverTitles[server] ?? server} | ${formatMedian('median')} | ${ratioToLimit('median')} | ${formatMedian('p95')} | ${formatMedian('rate', 0)} | ${formatMedian('server')} | ${formatMedian('database')} | ${ratioToLimit('database')} |`,
      );
    }
  }
  const checkedGoals = (flushMs ? slowDiskGoals : goals).filter(
    ({ operation, otherServer }) =>
      selectedOperations.includes(operation) &&
      serverNames.includes('gateway') &&
      serverNames.includes(otherServer),
  );
  if (checkedGoals.length > 0) console.log('\n| the gateway | ratio | goal | |\n|---|---|---|---|');
  for (const { title, figure, operation, otherServer, max, min } of checkedGoals) {
    const medianRatio = median(ratiosOf(figuresOf, operation, 'gateway', otherServer, figure));
    const isReached = max === undefined ? medianRatio >= min : medianRatio <= max;
    console.log(
      `| ${title} | ${formatRatio(figuresOf, operation, 'gateway', otherServer, figure)} | ${max === undefined ? `≥ ${min}` : `≤ ${max}`} | ${isReached ? 'reached' : 'not reached'} |`,
    );
  }
}

/** Returns the ratios of a figure of two servers, round by round. */
const ratiosOf = (figuresOf, name, server, otherServer, figure) =>
  figuresOf(name, server).map((round, index) => round[figure] / figuresOf(name, otherServer)[index][figure]);
const formatRatio = (...args) => formatSpread(ratiosOf(...args), 2);

const database = await openDatabase({ flushMs });
const subjects = [];
try {
  await fillDatabase(database.urlFor('fill'), calendars);
  await database.query(plainTablesSql);
  await database.query('VACUUM ANALYZE');
  for (const name of serverNames) {
    const application = `bench ${subjects.length}`;
    const url = database.urlFor(application);
    subjects.push(
      ['limit', 'counted'].includes(name)
        ? createLimitSubject({ name, application, url, countsChanges: name === 'counted' })
        : createSubject({ name, application, servers: [await startServerOn(url, name)] }),
    );
  }
  await compareResponses(subjects);
  const figuresByKey = new Map();
  for (const name of selectedOperations) {
    const { operation, callers, requests } = operations[name];
    for (const subject of subjects)
      await subject.run({ callers, requests: warmUpRequests, requestOf: requestSources[operation] });
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of round % 2 ? subjects.toReversed() : subjects) {
        const key = `${name} ${subject.name}`;
        figuresByKey.set(key, [
          ...(figuresByKey.get(key) ?? []),
          await measureRound(database, subject, { callers, requests, requestOf: requestSources[operation] }),
        ]);
      }
    }
  }
  printTables((name, server) => figuresByKey.get(`${name} ${server}`));
} finally {
  for (const subject of subjects) await subject.stop();
  await database.close();
}
