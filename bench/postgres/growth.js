// How the gateway over PostgreSQL grows, as one table: a patch and a week with more events on the calendar, more guests on
// each event, more gateways on the database, more callers.
//   npm run bench:postgres:growth [-- --rounds=8 --quick]
// Whatever stands in one part of the table is measured in turns. With DATABASE_URL in that database, which has to be empty;
// else on a PostgreSQL server of its own.
import { parseArgs } from 'node:util';
import { median, spread } from '../compare/table.js';
import { openDatabase } from './database.js';
import { calendarOf, fill, tokensOf } from './data.js';
import { everyWeek, measure, requestsFor } from './measure.js';
import { sharing, startOn } from './subjects.js';

const { quick, ...amounts } = parseArgs({
  options: { quick: { type: 'boolean' }, rounds: { type: 'string' } },
}).values;
const rounds = Number(amounts.rounds ?? (quick ? 3 : 8));
const oneByOne = quick ? 30 : 60;
const atOnce = quick ? 300 : 1000;

const threeWeeks = 168;
const guestsHere = Array.from({ length: 200 }, (_, index) => `guest${index}`);
const elsewhere = (count) => (event) =>
  Array.from({ length: count }, (_, index) => `guest${index}of${event}@elsewhere.example`);
const here = (count) => () => guestsHere.slice(0, count).map((name) => `${name}@example.com`);
const withGuests = (name, guests) => [calendarOf({ name, events: threeWeeks, guests })];
const withEvents = (value) => ({ value, calendars: [calendarOf({ name: `e${value}`, events: value })] });
const many = Array.from({ length: 20 }, (_, index) => calendarOf({ name: `c${index}`, events: 500 }));

/** Each part of the table: what grows, and its steps; a step is asked by one caller at one gateway if it says nothing else. */
const parts = [
  { grows: 'events on the calendar', steps: [500, 5_000, 15_000].map(withEvents) },
  // Measured apart: a gateway keeps the bodies of some 20,000 events, and would forget those of the others meanwhile.
  ...(quick ? [] : [{ grows: 'events, more than a gateway keeps', steps: [501, 100_000].map(withEvents) }]),
  {
    grows: 'guests on an event, elsewhere',
    steps: [0, 20, 200].map((value) => ({ value, calendars: withGuests(`g${value}`, elsewhere(value)) })),
  },
  {
    grows: 'guests on an event, with calendars here',
    steps: [0, 20, 200].map((value) => ({ value, calendars: withGuests(`h${value}`, here(value)) })),
  },
  {
    grows: 'gateways on the database, 64 callers',
    throughput: true,
    steps: [1, 2, 4].map((value) => ({ value, calendars: many, gateways: value, callers: 64 })),
  },
  {
    grows: 'callers',
    throughput: true,
    steps: [1, 8, 64].map((value) => ({ value, calendars: many, callers: value })),
  },
];

const stored = [...new Set(parts.flatMap(({ steps }) => steps.flatMap(({ calendars }) => calendars)))];
const tokens = new Map((await tokensOf(stored)).map((token, index) => [stored[index], token]));

/** The rounds of each step, by operation. */
async function measurePart({ steps }, { readFirst, measureStep }) {
  const found = steps.map(() => ({ patch: [], firstWeek: [], week: [] }));
  const order = [...steps.keys()];
  // Each week once: those of the rounds were read before. The smallest step comes last, when all code is known.
  for (const index of order.toReversed()) found[index].firstWeek.push(await readFirst(steps[index]));
  for (const operation of ['patch', 'week']) {
    for (const index of order) await measureStep(steps[index], operation); // not counted
    for (let round = 0; round < rounds; round += 1) {
      for (const index of round % 2 ? order.toReversed() : order)
        found[index][operation].push(await measureStep(steps[index], operation));
    }
  }
  return found;
}

function printPart({ grows, throughput, steps }, found) {
  for (const [index, { value }] of steps.entries()) {
    const cells = Object.keys(found[index]).flatMap((operation) => {
      const [all, first] = [found[index][operation], found[0][operation]];
      const times = [
        median(all.map((round) => round.median)).toFixed(2),
        spread(
          all.map((round, at) => round.median / first[at].median),
          2,
        ),
      ];
      if (operation === 'firstWeek') return times;
      return [...times, throughput ? median(all.map((round) => round.rate)).toFixed(0) : ''];
    });
    console.log(`| ${grows} | ${value.toLocaleString('en')} | ${cells.join(' | ')} |`);
  }
}

const database = await openDatabase();
const gateways = [];
try {
  await fill(database.urlFor('fill'), stored, guestsHere);
  await database.query('VACUUM ANALYZE');
  const application = 'bench gateways';
  while (gateways.length < 4) gateways.push(await startOn(database.urlFor(application), 'gateway'));
  const subjectOf = (servers) => sharing({ name: 'gateway', application, servers });
  const tokensFor = (calendars) => calendars.map((calendar) => tokens.get(calendar));
  const measureStep = ({ calendars, gateways: count = 1, callers = 1 }, operation) => {
    const requestOf = requestsFor(calendars, tokensFor(calendars), operation);
    return measure(database, subjectOf(gateways.slice(0, count)), {
      callers,
      requests: callers === 1 ? oneByOne : atOnce,
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
