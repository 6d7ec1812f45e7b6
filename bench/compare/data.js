// Seed of every server: a calendar of events with ten guests each, fifty a week, and empty buckets.
export const owner = 'alice@example.com';
export const secret = 'a secret for measuring that has 32 bytes or more';
export const bucketCount = 5_000;

const eventsPerWeek = 50;
const firstDayMs = Date.UTC(2026, 10, 30); // a Monday
const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

const createEventTime = (ms) => ({
  dateTime: new Date(ms).toISOString().replace('.000', ''),
  timeZone: 'Europe/Berlin',
});
/** Start and end of a week, by its number. */
export const formatWeekBounds = (index) =>
  [index, index + 1].map((week) => createEventTime(firstDayMs + week * weekMs).dateTime);

/** Creates an event by its number. The events of a week start every three hours. */
export function createEvent(index) {
  const startMs =
    firstDayMs + Math.floor(index / eventsPerWeek) * weekMs + (index % eventsPerWeek) * 3 * hourMs;
  return {
    id: `event${index}`,
    summary: 'Planning',
    description: 'What we did, what comes next. '.repeat(8),
    location: 'Room 3',
    colorId: '7',
    start: createEventTime(startMs),
    end: createEventTime(startMs + hourMs),
    attendees: Array.from({ length: 10 }, (_, guest) => ({
      email: `guest${guest}@elsewhere.example`,
      displayName: `Guest ${guest}`,
      responseStatus: 'accepted',
      optional: guest % 2 === 0,
    })),
    extendedProperties: { private: { ticket: 'W-17' }, shared: { series: 'autumn' } },
    attachments: [
      { fileUrl: 'https://files.example.com/d/plan', title: 'Plan', mimeType: 'application/pdf' },
    ],
    reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }] },
    source: { title: 'Issue tracker', url: 'https://issues.example.com/42' },
  };
}

/** Creates the seed file of a gateway, with `count` events. */
export const createSeed = (count) => ({
  calendars: [
    {
      id: owner,
      owner,
      timeZone: 'Europe/Berlin',
      defaultReminders: [],
      acl: [],
      events: Array.from({ length: count }, (_, index) => createEvent(index)),
    },
  ],
  buckets: Array.from({ length: bucketCount }, (_, index) => ({
    name: `bucket-${index}`,
    project: 'my-project',
    requesterPays: false,
    managers: [owner],
    notifications: [],
  })),
});
