// Measures the event service in process, without HTTP or GraphQL, relative to JSON.parse + JSON.stringify of the same event;
// and its growth with the number of stored events. Build first; run: node --expose-gc bench/service.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { createCalendarLoader } from '../dist/calendar/calendar.loaders.js';
import { createEventService } from '../dist/event/event.service.js';
import { importEvents } from '../dist/event/event.import.js';
import { eventFields } from '../dist/event/model/fields.js';
import { compileModel } from '../dist/event/model/model.js';

const owner = 'alice@example.com';
const viewer = { sub: owner, identity: owner, scopes: new Set() };
const model = compileModel(eventFields);
const tools = {
  model,
  clock: Date.now,
  signingSecret: 'a secret for measuring that has 32 bytes',
  links: { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' },
};
const rounds = 20_000;
const repeats = 7;

const bodyOf = (id) => ({
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

async function createService(count) {
  const { calendars, events: store } = createMemoryStores(Date.now);
  const calendar = { id: owner, owner, timeZone: 'Europe/Berlin', defaultReminders: [], acl: [] };
  await calendars.changeCalendar({ calendar: { id: owner } }, () => ({ next: calendar }));
  for (let index = 0; index < count; index += 1) {
    const [{ issues }] = await importEvents(store, calendar, [bodyOf(`event${index}`)], tools);
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

/** Reads every field of a view and its guests, like a response with all fields. */
const readAll = (view, fields = model.fields) => {
  const result = {};
  for (const [name, node] of fields)
    result[name] =
      name === 'attendees' ? view[name]?.map((guest) => readAll(guest, node.fields)) : view[name];
  return result;
};

const cases = {
  'patch of two strings, all fields read': (service, round) =>
    service.patchEvent(viewer, {
      calendarId: owner,
      eventId: 'event0',
      event: { summary: `Planning ${round}`, location: `Room ${round % 9}` },
    }),
  'one guest more, one less, by attendeeChanges, all fields read': (service, round) =>
    service.patchEvent(viewer, {
      calendarId: owner,
      eventId: 'event1',
      event: {},
      attendeeChanges: {
        add: [{ email: `more${round % 50}@elsewhere.example` }],
        remove: [`more${(round + 49) % 50}@elsewhere.example`],
      },
    }),
  'patch that changes nothing, all fields read': (service) =>
    service.patchEvent(viewer, {
      calendarId: owner,
      eventId: 'event0',
      event: { summary: 'Same', location: 'Same' },
    }),
};

async function measureCpuUs(run) {
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await run(round);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

globalThis.gc?.();
const emptyHeapBytes = process.memoryUsage().heapUsed;
const [small, large] = [await createService(1_000), await createService(100_000)];
globalThis.gc?.();
const bytesPerEvent = (process.memoryUsage().heapUsed - emptyHeapBytes) / 101_000;

const { event } = await small.patchEvent(viewer, {
  calendarId: owner,
  eventId: 'event0',
  event: { summary: 'Same', location: 'Same' },
});
const json = JSON.stringify(readAll(event));
const figures = { json: [], ...Object.fromEntries(Object.keys(cases).map((name) => [name, []])), growth: [] };
for (let repeat = 0; repeat < repeats; repeat += 1) {
  figures.json.push(await measureCpuUs(() => JSON.stringify(JSON.parse(json))));
  for (const [name, run] of Object.entries(cases)) {
    await run(small, 0);
    if (name.includes('nothing'))
      await small.patchEvent(viewer, {
        calendarId: owner,
        eventId: 'event0',
        event: { summary: 'Same', location: 'Same' },
      });
    figures[name].push(await measureCpuUs(async (round) => readAll((await run(small, round)).event)));
  }
  const [patch] = Object.values(cases);
  const [few, many] = [
    await measureCpuUs((round) => patch(small, round)),
    await measureCpuUs((round) => patch(large, round)),
  ];
  figures.growth.push(many / few);
}
const jsonUs = median(figures.json);
console.log(`JSON.parse + JSON.stringify of the event (${json.length} bytes): ${jsonUs.toFixed(1)} µs`);
for (const name of Object.keys(cases)) {
  console.log(
    `${name}: ${median(figures[name]).toFixed(1)} µs, ${(median(figures[name]) / jsonUs).toFixed(2)} times that`,
  );
}
console.log(`patch over 100,000 stored events to that over 1,000: ${median(figures.growth).toFixed(2)}`);
console.log(`memory for each stored event: ${(bytesPerEvent / 1024).toFixed(1)} kB`);
