// Data of the benches over PostgreSQL: calendars with an event every three hours, 56 a week.
import { compose } from '../../dist/app.js';
import { readConfig } from '../../dist/config.js';
import { signToken } from '../hardening/gateway.js';
import { secret } from '../compare/data.js';

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const intervalMs = 3 * hourMs;
export const eventsPerWeek = weekMs / intervalMs;
const firstMondayMs = Date.UTC(2030, 0, 7);

const createEventTime = (ms) => ({ dateTime: new Date(ms).toISOString().replace('.000', '') });

/**
 * Describes a calendar of `name@example.com`. `events`: their number. `guests`: returns the addresses of the
 * guests of an event. `createSeed`: creates the calendar's seed.
 */
export const describeCalendar = ({
  name,
  events,
  guests = (index) => [`first${index}@elsewhere.example`, `second${index}@elsewhere.example`],
}) => ({
  name,
  events,
  createSeed: () => ({
    id: `${name}@example.com`,
    owner: `${name}@example.com`,
    timeZone: 'UTC',
    events: Array.from({ length: events }, (_, index) => {
      const startMs = firstMondayMs + index * intervalMs;
      return {
        id: `${name}e${index}`,
        summary: `Event ${index}`,
        location: `Room ${index % 50}`,
        start: createEventTime(startMs),
        end: createEventTime(startMs + hourMs),
        attendees: guests(index).map((email) => ({ email, responseStatus: 'needsAction' })),
      };
    }),
  }),
});

/** Fills an empty database through the gateway. `emptyNames`: owners of calendars without events. */
export async function fillDatabase(url, calendars, emptyNames = []) {
  const config = readConfig({ DATABASE_URL: url, AUTH_JWT_SECRET: secret, SIGNING_SECRET: secret });
  const emptyCalendars = emptyNames.map((name) => ({
    id: `${name}@example.com`,
    owner: `${name}@example.com`,
    timeZone: 'UTC',
  }));
  const startedAt = performance.now();
  const { app } = await compose(config, {
    logLevel: 'silent',
    seed: { calendars: [...emptyCalendars, ...calendars.map(({ createSeed }) => createSeed())], buckets: [] },
  });
  await app.close();
  const eventCount = calendars.reduce((sum, { events }) => sum + events, 0);
  console.error(`${eventCount} events stored in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** Signs a token for the owner of each calendar. */
export const signTokens = (calendars) =>
  Promise.all(calendars.map(({ name }) => signToken(`${name}@example.com`, { sub: name }, secret)));

const pickRandomIndex = (count) => Math.floor(Math.random() * count);

/** Creates the variables of the week query, by the number of the week: `from` and `to` are its bounds. */
const createWeekVariables = (index) => {
  const fromMs = firstMondayMs + index * weekMs;
  return { from: createEventTime(fromMs).dateTime, to: createEventTime(fromMs + weekMs).dateTime };
};
const countWeeks = ({ events }) => Math.floor(events / eventsPerWeek);

const patchFields = 'event: { summary: $text, location: $text }) { id etag summary location }';
const createPatchVariables = ({ name, events }) => ({
  id: `${name}e${pickRandomIndex(events)}`,
  text: `Text ${Math.random()}`,
});

/** Measured operations. `randomVariables`: of a random event or week of a calendar; `allVariables`: of each week. */
export const operations = {
  patch: {
    field: 'patchEvent',
    query: `mutation Patch($id: String!, $text: String!) { patchEvent(calendarId: "primary", eventId: $id, ${patchFields} }`,
    randomVariables: createPatchVariables,
  },
  mailedPatch: {
    field: 'patchEvent',
    query: `mutation MailedPatch($id: String!, $text: String!) { patchEvent(calendarId: "primary", eventId: $id, sendUpdates: all, ${patchFields} }`,
    randomVariables: createPatchVariables,
  },
  week: {
    field: 'events',
    query:
      'query Week($from: DateTime!, $to: DateTime!) { events(calendarId: "primary", timeMin: $from, timeMax: $to, singleEvents: true, orderBy: startTime) { nodes { id summary start { dateTime } } } }',
    randomVariables: (calendar) => createWeekVariables(pickRandomIndex(countWeeks(calendar))),
    allVariables: (calendar) =>
      Array.from({ length: countWeeks(calendar) }, (_, index) => createWeekVariables(index)),
  },
};
