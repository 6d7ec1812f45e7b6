// Measures the CPU of listing a week of a calendar, with few and with many events outside the week. Calls the
// service in this process and reads `id summary start end` of each event. Build first; run: node --expose-gc
// bench/week-list.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { createCalendarLoader } from '../dist/calendar/calendar.loaders.js';
import { WorkBudget } from '../dist/core/runtime/limits.js';
import { createEventService } from '../dist/event/event.service.js';
import { importEvents } from '../dist/event/event.file-import.js';
import { eventFields } from '../dist/event/model/fields.js';
import { compileModel } from '../dist/event/model/model.js';

const owner = 'alice@example.com';
const caller = { sub: owner, identity: owner, key: owner, scopes: new Set() };
const eventTools = {
  model: compileModel(eventFields),
  clock: Date.now,
  signingSecret: 'a secret for measuring that has 32 bytes',
  links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
};
/** Limit for the week among many events, as a multiple of the week among few. */
const maxRatio = 1.5;
/** Measurements of each calendar, and lists in one measurement. */
const measurementCount = 11;
const listsPerMeasurement = 100;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const timeZone = 'Europe/Berlin';
const mondayMs = Date.parse('2026-11-30T00:00:00Z');
const week = { timeMin: '2026-11-30T00:00:00+01:00', timeMax: '2026-12-07T00:00:00+01:00' };
const eventTime = (ms) => ({ dateTime: new Date(ms).toISOString().replace('.000', ''), timeZone });
const createEvent = (id, startMs) => ({
  id,
  summary: `Event ${id}`,
  location: 'Room 3',
  start: eventTime(startMs),
  end: eventTime(startMs + hourMs),
});
const createSeries = (id, startMs, rule) => ({ ...createEvent(id, startMs), recurrence: [rule] });

/** Events of both calendars: 40 events in the week, and five series with instances in it. */
const sharedEvents = [
  ...Array.from({ length: 40 }, (_, index) =>
    createEvent(`week${index}`, mondayMs + index * 4 * hourMs + hourMs / 2),
  ),
  ...Array.from({ length: 5 }, (_, index) =>
    createSeries(
      `weekly${index}`,
      mondayMs - (50 + index) * 7 * dayMs + (8 + index) * hourMs,
      index % 2 === 0 ? 'RRULE:FREQ=WEEKLY' : 'RRULE:FREQ=DAILY',
    ),
  ),
];

/** Creates events within ten years, but none in the week or on the days around it. */
function createOtherEvents(count) {
  // A prime spreads the events over 1800 days, half-hourly on each.
  const offsetOf = (index) => ((index * 7919) % 1800) * dayMs + ((index % 20) * hourMs) / 2;
  return Array.from({ length: count }, (_, index) =>
    createEvent(
      `other${index}`,
      index % 2 === 0 ? mondayMs + 9 * dayMs + offsetOf(index) : mondayMs - 3 * dayMs - offsetOf(index),
    ),
  );
}

/** Creates series that end before the week or begin after it. */
const createOtherSeries = (count) =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? createSeries(
          `past${index}`,
          mondayMs - (400 + index) * dayMs,
          `RRULE:FREQ=WEEKLY;COUNT=${4 + (index % 30)}`,
        )
      : createSeries(`future${index}`, mondayMs + (30 + index) * dayMs, 'RRULE:FREQ=WEEKLY'),
  );

/** Creates an event service over a calendar with these events. */
async function createService(inputs) {
  const { calendars, events: store } = createMemoryStores(Date.now);
  const calendar = { id: owner, owner, timeZone, defaultReminders: [], acl: [] };
  await calendars.changeCalendar({ calendar: { id: owner } }, () => ({ next: calendar }));
  for (const input of inputs) {
    const [{ issues }] = await importEvents(store, calendar, [input], eventTools);
    if (issues.length > 0) throw new Error(JSON.stringify(issues));
  }
  return createEventService({
    store,
    calendars,
    readCalendar: createCalendarLoader(calendars),
    notifier: { notify: () => undefined },
    tools: eventTools,
  });
}

async function listWeek(service, orderBy) {
  const { edges } = await service.listEvents(
    caller,
    { calendarId: owner, ...week, singleEvents: true, orderBy, first: 250 },
    {},
    new WorkBudget(),
  );
  return edges.map(({ node: { id, summary, start, end } }) => ({ id, summary, start, end }));
}

/** Returns the mean CPU time of an operation in µs. */
async function measureCpuUs(operation) {
  globalThis.gc?.();
  const usageBefore = process.cpuUsage();
  for (let round = 0; round < listsPerMeasurement; round += 1) await operation();
  const { user, system } = process.cpuUsage(usageBefore);
  return (user + system) / listsPerMeasurement;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const startedAt = performance.now();
// With the 45 shared events, 1,000 and 100,000 events in all.
const smallService = await createService([
  ...sharedEvents,
  ...createOtherEvents(955),
  ...createOtherSeries(0),
]);
const largeService = await createService([
  ...sharedEvents,
  ...createOtherEvents(99_460),
  ...createOtherSeries(495),
]);
console.log(`stored 1,000 and 100,000 events in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
let isMet;
for (const orderBy of ['startTime', undefined]) {
  const [smallWeek, largeWeek] = [
    await listWeek(smallService, orderBy),
    await listWeek(largeService, orderBy),
  ];
  if (
    JSON.stringify(smallWeek.map(({ id }) => id).sort()) !==
    JSON.stringify(largeWeek.map(({ id }) => id).sort())
  )
    throw new Error('the two weeks differ');
  const costsUs = { small: [], large: [] };
  for (let repeat = 0; repeat < measurementCount; repeat += 1) {
    costsUs.small.push(await measureCpuUs(() => listWeek(smallService, orderBy)));
    costsUs.large.push(await measureCpuUs(() => listWeek(largeService, orderBy)));
  }
  const [smallUs, largeUs] = [median(costsUs.small), median(costsUs.large)];
  const ratio = largeUs / smallUs;
  console.log(
    `a week of ${smallWeek.length} entries, ${orderBy ?? 'in no order'}: ${smallUs.toFixed(0)} µs with 1,000 events and 5 series, ${largeUs.toFixed(0)} µs with 100,000 and 500: ${ratio.toFixed(2)} times`,
  );
  // Only the ordered list has a limit.
  if (orderBy) isMet = ratio <= maxRatio;
}
console.log(isMet ? `holds: at most ${maxRatio} times` : `does not hold: more than ${maxRatio} times`);
process.exitCode = isMet ? 0 : 1;
