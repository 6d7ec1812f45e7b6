// Data of the benches over PostgreSQL: calendars with an event every three hours, 56 a week.
import { compose } from '../../dist/app.js';
import { readConfig } from '../../dist/config.js';
import { tokenOf } from '../hardening/gateway.js';
import { secret } from '../compare/data.js';

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const intervalMs = 3 * hourMs;
const firstDay = Date.UTC(2030, 0, 7); // a Monday

const timeOf = (ms) => ({ dateTime: new Date(ms).toISOString().replace('.000', '') });

/** Describes a calendar to fill, owned by `name@example.com`. `guests`: returns the guests' addresses of an event. */
export const calendarOf = ({
  name,
  events,
  guests = (index) => [`first${index}@elsewhere.example`, `second${index}@elsewhere.example`],
}) => ({
  name,
  events,
  seed: () => ({
    id: `${name}@example.com`,
    owner: `${name}@example.com`,
    timeZone: 'UTC',
    events: Array.from({ length: events }, (_, index) => {
      const start = firstDay + index * intervalMs;
      return {
        id: `${name}e${index}`,
        summary: `Event ${index}`,
        location: `Room ${index % 50}`,
        start: timeOf(start),
        end: timeOf(start + hourMs),
        attendees: guests(index).map((email) => ({ email, responseStatus: 'needsAction' })),
      };
    }),
  }),
});

/** Fills an empty database through the gateway. `emptyNames`: owners of calendars without events. */
export async function fill(url, calendars, emptyNames = []) {
  const config = readConfig({ DATABASE_URL: url, AUTH_JWT_SECRET: secret, SIGNING_SECRET: secret });
  const empty = emptyNames.map((name) => ({
    id: `${name}@example.com`,
    owner: `${name}@example.com`,
    timeZone: 'UTC',
  }));
  const started = performance.now();
  const { app } = await compose(config, {
    logLevel: 'silent',
    seed: { calendars: [...empty, ...calendars.map(({ seed }) => seed())], buckets: [] },
  });
  await app.close();
  const total = calendars.reduce((sum, { events }) => sum + events, 0);
  console.error(`${total} events stored in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

export const tokensOf = (calendars) =>
  Promise.all(calendars.map(({ name }) => tokenOf(`${name}@example.com`, { sub: name }, secret)));

const randomIndex = (count) => Math.floor(Math.random() * count);

const weekAt = (index) => {
  const from = firstDay + index * weekMs;
  return { from: timeOf(from).dateTime, to: timeOf(from + weekMs).dateTime };
};
const weeksOf = ({ events }) => Math.floor((events * intervalMs) / weekMs);

/** Measured operations. `variables`: for a random event or week of a calendar; `all`: for each week. */
export const operations = {
  patch: {
    field: 'patchEvent',
    query:
      'mutation Patch($id: String!, $text: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $text, location: $text }) { id etag summary location } }',
    variables: ({ name, events }) => ({
      id: `${name}e${randomIndex(events)}`,
      text: `Text ${Math.random()}`,
    }),
  },
  week: {
    field: 'events',
    query:
      'query Week($from: DateTime!, $to: DateTime!) { events(calendarId: "primary", timeMin: $from, timeMax: $to, singleEvents: true, orderBy: startTime) { nodes { id summary start { dateTime } } } }',
    variables: (calendar) => weekAt(randomIndex(weeksOf(calendar))),
    all: (calendar) => Array.from({ length: weeksOf(calendar) }, (_, index) => weekAt(index)),
  },
};
