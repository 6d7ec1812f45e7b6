// Measures what guests add to a patch over PostgreSQL, for the gateway and for the limit of limit.js, in alternating
// rounds: an event without guests, with 20 guests who have calendars here, and with mails to ten guests.
//   node bench/postgres/guests.js [--rounds=8 --quick]
// Build first. Mails wait, since the mail server does not answer. Uses the empty database at DATABASE_URL, or
// starts a server.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { median, formatSpread, printGoals } from '../compare/table.js';
import { openDatabase } from './database.js';
import { describeCalendar, eventsPerWeek, fillDatabase, signTokens } from './data.js';
import { createRequestSource, listWeekRequests, measureRound } from './measure.js';
import { plainTablesSql } from './limit.js';
import { createLimitSubject, createSubject, startServerOn } from './subjects.js';

const { quick: isQuick, ...options } = parseArgs({
  options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
}).values;
const rounds = Number(options.rounds ?? (isQuick ? 3 : 8));
const requests = isQuick ? 30 : 60;
/** Each caller may cause 2,000 mails a day. */
const callerCount = 8;

const localGuests = Array.from({ length: 20 }, (_, index) => `guest${index}`);
const createCalendars = (name, guests) =>
  Array.from({ length: callerCount }, (_, index) =>
    describeCalendar({ name: `${name}${index}`, events: eventsPerWeek, guests }),
  );
const externalGuests = (eventIndex) =>
  Array.from({ length: 10 }, (_, index) => `guest${index}of${eventIndex}@elsewhere.example`);
/** Cases by name. `variables`: what the limit has to do. `max`: goal for the median, as a multiple of the case `none`. */
const cases = {
  none: { title: 'no guests', operation: 'patch', calendars: createCalendars('none', () => []) },
  local: {
    title: '20 guests with calendars here',
    operation: 'patch',
    calendars: createCalendars('local', () => localGuests.map((name) => `${name}@example.com`)),
    variables: { changesGuestCalendars: true },
    base: 'none',
    max: 2,
  },
  silent: {
    title: 'ten guests, no mails',
    operation: 'patch',
    calendars: createCalendars('silent', externalGuests),
  },
  mailed: {
    title: 'mails to ten guests',
    operation: 'mailedPatch',
    calendars: createCalendars('mailed', externalGuests),
    variables: { sendsMails: true },
    base: 'silent',
    max: 1.3,
  },
};
const caseNames = Object.keys(cases);
const allCalendars = Object.values(cases).flatMap(({ calendars }) => calendars);
const tokens = new Map((await signTokens(allCalendars)).map((token, index) => [allCalendars[index], token]));
const tokensFor = (calendars) => calendars.map((calendar) => tokens.get(calendar));

const database = await openDatabase();
const sockets = new Set();
const silentServer = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
await once(silentServer.listen(0, '127.0.0.1'), 'listening');
const subjects = [];

/** Returns a function that creates requests of a case. The limit gets more variables than GraphQL declares. */
function createSource({ operation, calendars, variables = {} }, { name }) {
  const createRequest = createRequestSource(calendars, tokensFor(calendars), operation);
  if (name !== 'limit') return createRequest;
  return () => {
    const request = createRequest();
    return { ...request, operation: 'patch', variables: { ...request.variables, ...variables } };
  };
}

const measureCase = (name, subject) =>
  measureRound(database, subject, { callers: 1, requests, requestOf: createSource(cases[name], subject) });

/** Returns the median times in ms of the weeks of a case: of the first read of each, and of the second. The limit is told which it is. */
async function measureFirstWeeks({ calendars }, subject) {
  const weekRequests = listWeekRequests(calendars, tokensFor(calendars));
  const times = [];
  for (let read = 0; read < 2; read += 1) {
    let nextIndex = 0;
    times.push(
      median(
        await subject.run({
          callers: 1,
          requests: weekRequests.length,
          requestOf: () => ({
            ...weekRequests[nextIndex++],
            ...(subject.name === 'limit' && read > 0 && { operation: 'knownWeek' }),
          }),
        }),
      ),
    );
  }
  return times;
}

try {
  await fillDatabase(database.urlFor('fill'), allCalendars, localGuests);
  await database.query(plainTablesSql);
  await database.query('VACUUM ANALYZE');
  const gatewayUrl = database.urlFor('gateway');
  const gateway = await startServerOn(gatewayUrl, 'gateway', {
    SMTP_URL: `smtp://127.0.0.1:${silentServer.address().port}`,
    MAIL_FROM: 'Calendar <calendar@example.com>',
  });
  subjects.push(
    createSubject({ name: 'gateway', servers: [gateway] }),
    createLimitSubject({ name: 'limit', url: database.urlFor('limit'), countsChanges: true }),
  );
  // The first reads of compiled code: the weeks of one case warm up for those of another.
  const firstReads = { gateway: [], limit: [] };
  for (const subject of subjects) await measureFirstWeeks(cases.mailed, subject);
  for (const name of ['silent', 'none', 'local'])
    for (const subject of subjects)
      firstReads[subject.name].push(await measureFirstWeeks(cases[name], subject));
  const firstReadRatios = (name) => firstReads[name].map(([first, repeated]) => first / repeated);
  const figures = Object.fromEntries(subjects.map(({ name }) => [name, {}]));
  for (const subject of subjects) for (const name of caseNames) await measureCase(name, subject);
  for (let round = 0; round < rounds; round += 1)
    for (const subject of subjects)
      for (const name of round % 2 ? caseNames.toReversed() : caseNames)
        (figures[subject.name][name] ??= []).push(await measureCase(name, subject));
  const ratiosOf = (subjectName, name, figure) =>
    figures[subjectName][name].map(
      (round, index) => round[figure] / figures[subjectName][cases[name].base ?? name][index][figure],
    );
  console.log(
    '\n| a patch with | gateway, ms | × | × CPU of PostgreSQL | limit, ms | × | × CPU of PostgreSQL |\n|---|---|---|---|---|---|---|',
  );
  for (const name of caseNames) {
    const cells = subjects.flatMap((subject) => [
      median(figures[subject.name][name].map((round) => round.median)).toFixed(2),
      formatSpread(ratiosOf(subject.name, name, 'median'), 2),
      formatSpread(ratiosOf(subject.name, name, 'database'), 2),
    ]);
    console.log(`| ${cases[name].title} | ${cells.join(' | ')} |`);
  }
  console.log(
    `\nThe limit's first read ÷ a read without bodies: ${formatSpread(firstReadRatios('limit'), 2)}`,
  );
  printGoals([
    ...caseNames
      .filter((name) => cases[name].max)
      .map((name) => ({
        title: `a patch with ${cases[name].title} ÷ ${cases[cases[name].base].title}`,
        values: ratiosOf('gateway', name, 'median'),
        limitValues: ratiosOf('limit', name, 'median'),
        max: cases[name].max,
      })),
    {
      title: 'a week on first read ÷ repeated read',
      values: firstReadRatios('gateway'),
      limitValues: firstReadRatios('limit'),
      max: 1.3,
    },
  ]);
} finally {
  for (const subject of subjects) await subject.stop();
  silentServer.close();
  for (const socket of sockets) socket.destroy();
  await database.close();
}
