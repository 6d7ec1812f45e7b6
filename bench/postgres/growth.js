// Measures how the gateway on PostgreSQL scales: a patch and a week with more events, guests, gateways and
// callers. The steps of one part of the table are measured in alternating rounds.
//   npm run bench:postgres:growth [-- --rounds=8 --quick]
// Uses the empty database at DATABASE_URL, or starts a server.
import { parseArgs } from 'node:util';
import { median, formatSpread } from '../compare/table.js';
import { openDatabase } from './database.js';
import { describeCalendar, eventsPerWeek, fillDatabase, signTokens } from './data.js';
import { createRequestSource, listWeekRequests, measureRound } from './measure.js';
import { createSubject, startServerOn } from './subjects.js';

const { quick: isQuick, ...options } = parseArgs({
  options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
}).values;
const rounds = Number(options.rounds ?? (isQuick ? 3 : 8));
const sequentialRequests = isQuick ? 30 : 60;
const concurrentRequests = isQuick ? 300 : 1000;

const gatewayCount = 4;
const eventsInThreeWeeks = 3 * eventsPerWeek;
const localGuests = Array.from({ length: 200 }, (_, index) => `guest${index}`);
const inviteExternal = (count) => (eventIndex) =>
  Array.from({ length: count }, (_, index) => `guest${index}of${eventIndex}@elsewhere.example`);
const inviteLocal = (count) => () => localGuests.slice(0, count).map((name) => `${name}@example.com`);
const createGuestCalendars = (name, guests) => [
  describeCalendar({ name, events: eventsInThreeWeeks, guests }),
];
const createEventsStep = (value) => ({
  value,
  calendars: [describeCalendar({ name: `e${value}`, events: value })],
});
const busyCalendars = Array.from({ length: 20 }, (_, index) =>
  describeCalendar({ name: `c${index}`, events: 500 }),
);

/** Number of events that no step of the first part has, because it is in the name of the calendar. */
const fewEventCount = 501;
/**
 * Parts of the table. `dimension`: what grows. `steps`: its values with their calendars, and the numbers of
 * callers and gateways (by default one). `hasThroughput`: whether operations a second are printed.
 */
const tableParts = [
  { dimension: 'events on the calendar', steps: [500, 5_000, 15_000].map(createEventsStep) },
  // A separate part, because a gateway caches some 20,000 events: this step would evict the events of the others.
  ...(isQuick
    ? []
    : [
        {
          dimension: 'events, more than a gateway keeps',
          steps: [fewEventCount, 100_000].map(createEventsStep),
        },
      ]),
  {
    dimension: 'guests on an event, elsewhere',
    steps: [0, 20, 200].map((value) => ({
      value,
      calendars: createGuestCalendars(`g${value}`, inviteExternal(value)),
    })),
  },
  {
    dimension: 'guests on an event, with calendars here',
    steps: [0, 20, 200].map((value) => ({
      value,
      calendars: createGuestCalendars(`h${value}`, inviteLocal(value)),
    })),
  },
  {
    dimension: 'gateways on the database, 64 callers',
    hasThroughput: true,
    steps: [1, 2, 4].map((value) => ({ value, calendars: busyCalendars, gateways: value, callers: 64 })),
  },
  {
    dimension: 'callers',
    hasThroughput: true,
    steps: [1, 8, 64].map((value) => ({ value, calendars: busyCalendars, callers: value })),
  },
];

const allCalendars = [
  ...new Set(tableParts.flatMap(({ steps }) => steps.flatMap(({ calendars }) => calendars))),
];
const tokens = new Map((await signTokens(allCalendars)).map((token, index) => [allCalendars[index], token]));

/** Measures all rounds of each step, by operation. */
async function measurePart({ steps }, { readAllWeeks, measureStep }) {
  const figures = steps.map(() => ({ patch: [], firstWeek: [], week: [] }));
  const stepIndexes = [...steps.keys()];
  // Reads each week once, while none is cached. The smallest step comes last, when all code is compiled.
  for (const index of stepIndexes.toReversed())
    figures[index].firstWeek.push(await readAllWeeks(steps[index]));
  for (const operation of ['patch', 'week']) {
    for (const index of stepIndexes) await measureStep(steps[index], operation); // Warm-up.
    for (let round = 0; round < rounds; round += 1) {
      for (const index of round % 2 ? stepIndexes.toReversed() : stepIndexes)
        figures[index][operation].push(await measureStep(steps[index], operation));
    }
  }
  return figures;
}

/** Prints a row for each step. Multiples compare it with the first step in the same round. */
function printPart({ dimension, hasThroughput, steps }, figures) {
  for (const [index, { value }] of steps.entries()) {
    const cells = Object.keys(figures[index]).flatMap((operation) => {
      const [stepRounds, firstStepRounds] = [figures[index][operation], figures[0][operation]];
      const times = [
        median(stepRounds.map((round) => round.median)).toFixed(2),
        formatSpread(
          stepRounds.map((round, roundIndex) => round.median / firstStepRounds[roundIndex].median),
          2,
        ),
      ];
      if (operation === 'firstWeek') return times;
      return [...times, hasThroughput ? median(stepRounds.map((round) => round.rate)).toFixed(0) : ''];
    });
    console.log(`| ${dimension} | ${value.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
}

const database = await openDatabase();
const gateways = [];
try {
  await fillDatabase(database.urlFor('fill'), allCalendars, localGuests);
  await database.query('VACUUM ANALYZE');
  const application = 'bench gateways';
  while (gateways.length < gatewayCount)
    gateways.push(await startServerOn(database.urlFor(application), 'gateway'));
  const createGatewaySubject = (servers) => createSubject({ name: 'gateway', application, servers });
  const tokensFor = (calendars) => calendars.map((calendar) => tokens.get(calendar));
  const measureStep = ({ calendars, gateways: count = 1, callers = 1 }, operation) => {
    const requestOf = createRequestSource(calendars, tokensFor(calendars), operation);
    return measureRound(database, createGatewaySubject(gateways.slice(0, count)), {
      callers,
      requests: callers === 1 ? sequentialRequests : concurrentRequests,
      requestOf,
    });
  };
  /** Reads each week once on each gateway. Returns the median time in ms. */
  const readAllWeeks = async ({ calendars, gateways: count = 1 }) => {
    const requests = listWeekRequests(calendars, tokensFor(calendars));
    const times = [];
    for (const server of gateways.slice(0, count)) {
      let nextIndex = 0;
      times.push(
        ...(await createGatewaySubject([server]).run({
          callers: 1,
          requests: requests.length,
          requestOf: () => requests[nextIndex++],
        })),
      );
    }
    return { median: median(times) };
  };
  console.log(
    '| what grows | | patch, ms | × the first | patches a second | week at first, ms | × the first | week, ms | × the first | weeks a second |\n|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const part of tableParts) printPart(part, await measurePart(part, { readAllWeeks, measureStep }));
} finally {
  for (const gateway of gateways) await gateway.stop('SIGKILL');
  await database.close();
}
