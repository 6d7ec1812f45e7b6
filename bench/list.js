// Measures the CPU of listing a week of a calendar, with few and with many events outside the week. Calls the service in
// process and reads `id summary start end` of each event. Build first; run: node --expose-gc bench/list.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { createCalendarLoader } from '../dist/calendar/calendar.loaders.js';
import { WorkBudget } from '../dist/core/runtime/limits.js';
import { createEventService } from '../dist/event/event.service.js';
import { importEvents } from '../dist/event/event.import.js';
import { eventFields } from '../dist/event/model/fields.js';
import { compileModel } from '../dist/event/model/model.js';

const owner = 'alice@example.com';
const viewer = { sub: owner, identity: owner, key: owner, scopes: new Set() };
const tools = {
  model: compileModel(eventFields),
  clock: Date.now,
  signingSecret: 'a secret for measuring that has 32 bytes',
  links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
};
const maxRatio = 1.5;
const repeats = 11;
const rounds = 100;
const dayMs = 86_400_000;
const zone = 'Europe/Berlin';
const monday = Date.parse('2026-11-30T00:00:00Z');
const week = { timeMin: '2026-11-30T00:00:00+01:00', timeMax: '2026-12-07T00:00:00+01:00' };
const timeOf = (moment) => ({ dateTime: new Date(moment).toISOString().replace('.000', ''), timeZone: zone });
const single = (id, start) => ({
  id,
  summary: `Event ${id}`,
  location: 'Room 3',
  start: timeOf(start),
  end: timeOf(start + 3_600_000),
});
const series = (id, start, rule) => ({ ...single(id, start), recurrence: [rule] });

/** Events of both calendars: 40 events in the week, and five series with instances in it. */
const sharedEvents = [
  ...Array.from({ length: 40 }, (_, index) =>
    single(`week${index}`, monday + index * 4 * 3_600_000 + 1_800_000),
  ),
  ...Array.from({ length: 5 }, (_, index) =>
    series(
      `weekly${index}`,
      monday - (50 + index) * 7 * dayMs + (8 + index) * 3_600_000,
      index % 2 === 0 ? 'RRULE:FREQ=WEEKLY' : 'RRULE:FREQ=DAILY',
    ),
  ),
];

/** Creates events within ten years, but not in the week or the days around it. */
function otherEvents(count) {
  const offset = (index) => ((index * 7919) % 1800) * dayMs + (index % 20) * 1_800_000;
  return Array.from({ length: count }, (_, index) =>
    single(
      `other${index}`,
      index % 2 === 0 ? monday + 9 * dayMs + offset(index) : monday - 3 * dayMs - offset(index),
    ),
  );
}

/** Creates series that end before the week or begin after it. */
const otherSeries = (count) =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? series(`past${index}`, monday - (400 + index) * dayMs, `RRULE:FREQ=WEEKLY;COUNT=${4 + (index % 30)}`)
      : series(`future${index}`, monday + (30 + index) * dayMs, 'RRULE:FREQ=WEEKLY'),
  );

async function createService(bodies) {
  const { calendars, events: store } = createMemoryStores(Date.now);
  const calendar = { id: owner, owner, timeZone: zone, defaultReminders: [], acl: [] };
  await calendars.changeCalendar({ calendar: { id: owner } }, () => ({ next: calendar }));
  for (const body of bodies) {
    const [{ issues }] = await importEvents(store, calendar, [body], tools);
    if (issues.length > 0) throw new Error(JSON.stringify(issues));
  }
  return createEventService({
    store,
    calendars,
    readCalendar: createCalendarLoader(calendars),
    notifier: { notify: () => undefined },
    tools,
  });
}

async function listWeek(service, orderBy) {
  const { edges } = await service.listEvents(
    viewer,
    { calendarId: owner, ...week, singleEvents: true, orderBy, first: 250 },
    {},
    new WorkBudget(),
  );
  return edges.map(({ node: { id, summary, start, end } }) => ({ id, summary, start, end }));
}

async function measureCpuUs(run) {
  globalThis.gc?.();
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const startedAt = performance.now();
const small = await createService([...sharedEvents, ...otherEvents(955), ...otherSeries(0)]);
const large = await createService([...sharedEvents, ...otherEvents(99_460), ...otherSeries(495)]);
console.log(`stored 1,000 and 100,000 events in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
let holds = true;
for (const orderBy of ['startTime', undefined]) {
  const [few, many] = [await listWeek(small, orderBy), await listWeek(large, orderBy)];
  if (JSON.stringify(few.map(({ id }) => id).sort()) !== JSON.stringify(many.map(({ id }) => id).sort()))
    throw new Error('the two weeks differ');
  const figures = { small: [], large: [] };
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    figures.small.push(await measureCpuUs(() => listWeek(small, orderBy)));
    figures.large.push(await measureCpuUs(() => listWeek(large, orderBy)));
  }
  const ratio = median(figures.large) / median(figures.small);
  console.log(
    `a week of ${few.length} entries, ${orderBy ?? 'in no order'}: ${median(figures.small).toFixed(0)} µs with 1,000 events and 5 series, ${median(figures.large).toFixed(0)} µs with 100,000 and 500: ${ratio.toFixed(2)} times`,
  );
  if (orderBy) holds = ratio <= maxRatio;
}
console.log(holds ? `holds: at most ${maxRatio} times` : `does not hold: more than ${maxRatio} times`);
process.exitCode = holds ? 0 : 1;
