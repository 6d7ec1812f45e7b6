// Measures the event service in process, without HTTP or GraphQL, relative to JSON.parse + JSON.stringify of
// the same event; and its growth with the number of stored events. Build first; run: node --expose-gc
// bench/service.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { createCalendarLoader } from '../dist/calendar/calendar.store.js';
import { createEventService } from '../dist/event/event.service.js';
import { importEvents } from '../dist/event/event.file-import.js';
import { eventFields } from '../dist/event/model/fields.js';
import { compileModel } from '../dist/event/model/model.js';

const owner = 'alice@example.com';
const caller = { sub: owner, identity: owner, scopes: new Set() };
const model = compileModel(eventFields);
const eventTools = {
  model,
  clock: Date.now,
  signingSecret: 'a secret for measuring that has 32 bytes',
  links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
};
/** Operations in one measurement, and measurements of each operation. */
const operationsPerMeasurement = 20_000;
const measurementCount = 7;
const [fewEventCount, manyEventCount] = [1000, 100_000];
/** Patch that changes nothing if it is repeated. */
const constantPatch = {
  calendarId: owner,
  eventId: 'event0',
  event: { summary: 'Same', location: 'Same' },
};

const createEventInput = (id) => ({
  id,
  summary: 'Planning',
  description: 'What we did, what comes next. '.repeat(8),
  location: 'Room 3',
  colorId: '7',
  start: { dateTime: '2026-12-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  attendees: Array.from({ length: 10 }, (_, index) => ({
    email: `guest${index}@elsewhere.example`,
    displayName: `Guest ${index}`,
    responseStatus: 'accepted',
    optional: index % 2 === 0,
  })),
  extendedProperties: { private: { ticket: 'W-17' }, shared: { series: 'autumn' } },
  attachments: [{ fileUrl: 'https://files.example.com/d/plan', title: 'Plan', mimeType: 'application/pdf' }],
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }] },
  source: { title: 'Issue tracker', url: 'https://issues.example.com/42' },
});

/** Creates an event service over a calendar with `count` events. */
async function createService(count) {
  const { calendars, events: store } = createMemoryStores(Date.now);
  const calendar = { id: owner, owner, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [] };
  await calendars.changeCalendar({ calendar: { id: owner } }, () => ({ next: calendar }));
  for (let index = 0; index < count; index += 1) {
    const [{ issues }] = await importEvents(store, calendar, [createEventInput(`event${index}`)], eventTools);
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

/** Reads every field of a view and its guests, like a response with all fields. */
const readFields = (view, fields = model.fields) => {
  const result = {};
  for (const [name, node] of fields)
    result[name] =
      name === 'attendees' ? view[name]?.map((guest) => readFields(guest, node.fields)) : view[name];
  return result;
};

/** Measured operations by title. They run on a service, with the number of the round. */
const operations = {
  'patch of two strings, all fields read': (service, round) =>
    service.patchEvent(caller, {
      calendarId: owner,
      eventId: 'event0',
      event: { summary: `Planning ${round}`, location: `Room ${round % 9}` },
    }),
  'one guest more, one less, by attendeeChanges, all fields read': (service, round) =>
    service.patchEvent(caller, {
      calendarId: owner,
      eventId: 'event1',
      event: {},
      attendeeChanges: {
        add: [{ email: `more${round % 50}@elsewhere.example` }],
        remove: [`more${(round + 49) % 50}@elsewhere.example`],
      },
    }),
  'patch that changes nothing, all fields read': (service) => service.patchEvent(caller, constantPatch),
};

async function measureCpuUs(operation) {
  const usageBefore = process.cpuUsage();
  for (let round = 0; round < operationsPerMeasurement; round += 1) await operation(round);
  const { user, system } = process.cpuUsage(usageBefore);
  return (user + system) / operationsPerMeasurement;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

globalThis.gc?.();
const emptyHeapBytes = process.memoryUsage().heapUsed;
const smallService = await createService(fewEventCount);
const largeService = await createService(manyEventCount);
globalThis.gc?.();
const bytesPerEvent = (process.memoryUsage().heapUsed - emptyHeapBytes) / (fewEventCount + manyEventCount);

const { event } = await smallService.patchEvent(caller, constantPatch);
const json = JSON.stringify(readFields(event));
/** Costs of operations in µs, and ratios of growth, one for each repeat. */
const figures = {
  json: [],
  ...Object.fromEntries(Object.keys(operations).map((name) => [name, []])),
  growth: [],
};
for (let repeat = 0; repeat < measurementCount; repeat += 1) {
  figures.json.push(await measureCpuUs(() => JSON.stringify(JSON.parse(json))));
  for (const [name, operation] of Object.entries(operations)) {
    await operation(smallService, 0);
    // The patch that changes nothing repeats this one.
    if (name.includes('nothing')) await smallService.patchEvent(caller, constantPatch);
    figures[name].push(
      await measureCpuUs(async (round) => readFields((await operation(smallService, round)).event)),
    );
  }
  const [patch] = Object.values(operations);
  const smallUs = await measureCpuUs((round) => patch(smallService, round));
  const largeUs = await measureCpuUs((round) => patch(largeService, round));
  figures.growth.push(largeUs / smallUs);
}
const jsonUs = median(figures.json);
console.log(`JSON.parse + JSON.stringify of the event (${json.length} bytes): ${jsonUs.toFixed(1)} µs`);
for (const name of Object.keys(operations)) {
  console.log(
    `${name}: ${median(figures[name]).toFixed(1)} µs, ${(median(figures[name]) / jsonUs).toFixed(2)} times that`,
  );
}
console.log(`patch over 100,000 stored events to that over 1,000: ${median(figures.growth).toFixed(2)}`);
console.log(`memory for each stored event: ${(bytesPerEvent / 1024).toFixed(1)} kB`);
