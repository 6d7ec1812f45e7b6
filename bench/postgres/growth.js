// Measures how the gateway on PostgreSQL scales: a patch and a week with more events, guests, gateways and callers. The steps
// of one part of the table are measured in alternating rounds.
//   npm run bench:postgres:growth [-- --rounds=8 --quick]
// Uses the empty database at DATABASE_URL, or starts a server.
import { parseArgs } from 'node:util';
import { median, spread } from '../compare/table.js';
import { openDatabase } from './database.js';
import { calendarOf, fill, tokensOf } from './data.js';
import { everyWeek, measure, requestsFor } from './measure.js';
import { createSubject, startServerOn } from './subjects.js';

const { quick, ...amounts } = parseArgs({
  options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
}).values;
const rounds = Number(amounts.rounds ?? (quick ? 3 : 8));
const sequentialRequests = quick ? 30 : 60;
const concurrentRequests = quick ? 300 : 1000;

const threeWeeks = 168;
const localGuests = Array.from({ length: 200 }, (_, index) => `guest${index}`);
const externalGuests = (count) => (event) =>
  Array.from({ length: count }, (_, index) => `guest${index}of${event}@elsewhere.example`);
const localGuestsOf = (count) => () => localGuests.slice(0, count).map((name) => `${name}@example.com`);
const withGuests = (name, guests) => [calendarOf({ name, events: threeWeeks, guests })];
const withEvents = (value) => ({ value, calendars: [calendarOf({ name: `e${value}`, events: value })] });
const busyCalendars = Array.from({ length: 20 }, (_, index) =>
  calendarOf({ name: `c${index}`, events: 500 }),
);

/** Parts of the table: the growing dimension and its steps. Steps default to one caller and one gateway. */
const parts = [
  { grows: 'events on the calendar', steps: [500, 5_000, 15_000].map(withEvents) },
  // A separate part, because a gateway caches some 20,000 events: this step would evict the events of the others.
  ...(quick ? [] : [{ grows: 'events, more than a gateway keeps', steps: [501, 100_000].map(withEvents) }]),
  {
    grows: 'guests on an event, elsewhere',
    steps: [0, 20, 200].map((value) => ({
      value,
      calendars: withGuests(`g${value}`, externalGuests(value)),
    })),
  },
  {
    grows: 'guests on an event, with calendars here',
    steps: [0, 20, 200].map((value) => ({ value, calendars: withGuests(`h${value}`, localGuestsOf(value)) })),
  },
  {
    grows: 'gateways on the database, 64 callers',
    throughput: true,
    steps: [1, 2, 4].map((value) => ({ value, calendars: busyCalendars, gateways: value, callers: 64 })),
  },
  {
    grows: 'callers',
    throughput: true,
    steps: [1, 8, 64].map((value) => ({ value, calendars: busyCalendars, callers: value })),
  },
];

const stored = [...new Set(parts.flatMap(({ steps }) => steps.flatMap(({ calendars }) => calendars)))];
const tokens = new Map((await tokensOf(stored)).map((token, index) => [stored[index], token]));

/** Measures the rounds of each step, by operation. */
async function measurePart({ steps }, { readFirst, measureStep }) {
  const figures = steps.map(() => ({ patch: [], firstWeek: [], week: [] }));
  const order = [...steps.keys()];
  // Reads each week once, while none is cached. The smallest step comes last, when all code is compiled.
  for (const index of order.toReversed()) figures[index].firstWeek.push(await readFirst(steps[index]));
  for (const operation of ['patch', 'week']) {
    for (const index of order) await measureStep(steps[index], operation); // Warm-up.
    for (let round = 0; round < rounds; round += 1) {
      for (const index of round % 2 ? order.toReversed() : order)
        figures[index][operation].push(await measureStep(steps[index], operation));
    }
  }
  return figures;
}

function printPart({ grows, throughput, steps }, figures) {
  for (const [index, { value }] of steps.entries()) {
    const cells = Object.keys(figures[index]).flatMap((operation) => {
      const [stepRounds, firstStep] = [figures[index][operation], figures[0][operation]];
      const times = [
        median(stepRounds.map((round) => round.median)).toFixed(2),
        spread(
          stepRounds.map((round, at) => round.median / firstStep[at].median),
          2,
        ),
      ];
      if (operation === 'firstWeek') return times;
      return [...times, throughput ? median(stepRounds.map((round) => round.rate)).toFixed(0) : ''];
    });
    console.log(`| ${grows} | ${value.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
}

const database = await openDatabase();
const gateways = [];
try {
  await fill(database.urlFor('fill'), stored, localGuests);
  await database.query('VACUUM ANALYZE');
  const application = 'bench gateways';
  while (gateways.length < 4) gateways.push(await startServerOn(database.urlFor(application), 'gateway'));
  const subjectOf = (servers) => createSubject({ name: 'gateway', application, servers });
  const tokensFor = (calendars) => calendars.map((calendar) => tokens.get(calendar));
  const measureStep = ({ calendars, gateways: count = 1, callers = 1 }, operation) => {
    const requestOf = requestsFor(calendars, tokensFor(calendars), operation);
    return measure(database, subjectOf(gateways.slice(0, count)), {
      callers,
      requests: callers === 1 ? sequentialRequests : concurrentRequests,
      requestOf,
    });
  };
  const readFirst = async ({ calendars, gateways: count = 1 }) => {
    const requests = everyWeek(calendars, tokensFor(calendars));
    const times = [];
    for (const server of gateways.slice(0, count)) {
      let next = 0;
      times.push(
        ...(await subjectOf([server]).run({
          callers: 1,
          requests: requests.length,
          requestOf: () => requests[next++],
        })),
      );
    }
    return { median: median(times) };
  };
  console.log(
    '| what grows | | patch, ms | × the first | patches a second | week at first, ms | × the first | week, ms | × the first | weeks a second |\n|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const part of parts) printPart(part, await measurePart(part, { readFirst, measureStep }));
} finally {
  for (const gateway of gateways) await gateway.stop('SIGKILL');
  await database.close();
}
