// Seeds of the attacked gateways: large calendars, many cancelled events, a bucket with ten topics.
const guests = Array.from({ length: 20 }, (_, index) => ({
  email: `guest${index}@example.com`,
  displayName: `Guest ${index}`,
}));

const event = (index, more = {}) => {
  const day = String(1 + (index % 28)).padStart(2, '0');
  const month = String(1 + (Math.floor(index / 28) % 12)).padStart(2, '0');
  return {
    id: `event${String(index).padStart(6, '0')}`,
    summary: `Event ${index}`,
    start: { dateTime: `2027-${month}-${day}T10:00:00Z` },
    end: { dateTime: `2027-${month}-${day}T11:00:00Z` },
    ...more,
  };
};

/** Creates an event that hides its guests from bob: one with a known address, and `more` others. */
const hidingEvent = (id, more) =>
  event(2, {
    id,
    guestsCanSeeOtherGuests: false,
    guestsCanInviteOthers: true,
    organizer: { email: 'alice@example.com' },
    attendees: [
      'bob@example.com',
      'hidden@example.com',
      ...Array.from({ length: more }, (_, index) => `other${index}@example.com`),
    ].map((email) => ({ email })),
  });

const calendar = (id, owner, events, acl = []) => ({
  id,
  owner,
  timeZone: 'Europe/Berlin',
  defaultReminders: [],
  acl,
  events,
});
const createEvents = (count, more) => Array.from({ length: count }, (_, index) => event(index, more));

/** Seed for most attacks, without the large calendars, which take a second to load. */
export const smallSeed = {
  calendars: [
    calendar('alice@example.com', 'alice@example.com', [
      event(0, { id: 'victim' }),
      event(1, {
        id: 'crowd',
        attendees: Array.from({ length: 199 }, (_, index) => ({ email: `crowd${index}@example.com` })),
      }),
      hidingEvent('hiding', 0),
      hidingEvent('hiding200', 198),
    ]),
    calendar('bob@example.com', 'bob@example.com', []),
    calendar('mike@example.com', 'mike@example.com', [event(0, { id: 'private' })]),
  ],
  buckets: [
    {
      name: 'photos',
      project: 'my-project',
      requesterPays: false,
      managers: ['alice@example.com'],
      notifications: Array.from({ length: 10 }, (_, index) => ({
        topic: `projects/my-project/topics/topic-${index}`,
        payload_format: 'JSON_API_V1',
      })),
    },
  ],
};

const largeCalendars = [
  calendar('full', 'alice@example.com', createEvents(2500, { attendees: guests })),
  calendar('large', 'alice@example.com', createEvents(20_000)),
  calendar('cancelled', 'alice@example.com', createEvents(600, { status: 'cancelled' })),
];

const numbers = (count) => Array.from({ length: count }, (_, index) => index).join(',');
const series = (count, recurrence, year = 2020) =>
  Array.from({ length: count }, (_, index) => ({
    id: `series${index}`,
    start: { dateTime: `${year}-01-01T10:00:00`, timeZone: 'Europe/Berlin' },
    end: { dateTime: `${year}-01-01T11:00:00`, timeZone: 'Europe/Berlin' },
    recurrence,
  }));
const aliceCalendar = (id, events) => calendar(id, 'alice@example.com', events);

/** Start of an hour of 2031, for a series with many exceptions. */
const hour = (index) => new Date(Date.UTC(2031, 0, 1, index)).toISOString().replace('.000', '');
const hourly = {
  id: 'each0hour',
  summary: 'Each hour',
  start: { dateTime: hour(0), timeZone: 'UTC' },
  end: { dateTime: hour(1), timeZone: 'UTC' },
  recurrence: ['RRULE:FREQ=HOURLY;COUNT=9000'],
};
const changedHours = Array.from({ length: 2500 }, (_, index) => ({
  id: `each0hour_${hour(index).replaceAll(/[-:]/g, '')}`,
  recurringEventId: 'each0hour',
  originalStartTime: { dateTime: hour(index) },
  start: { dateTime: hour(index) },
  end: { dateTime: hour(index + 1) },
  summary: 'Changed',
}));
const longNames = Array.from({ length: 100 }, (_, index) => ({
  email: `guest${index}@example.com`,
  displayName: 'İ'.repeat(4000),
}));

/** Seed with calendars that are expensive to list, and fifty users to invite. */
export const listSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    aliceCalendar('every second', series(300, ['RRULE:FREQ=SECONDLY'])),
    aliceCalendar(
      'positions among seconds',
      series(30, [`RRULE:FREQ=HOURLY;BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)};BYSETPOS=-1`]),
    ),
    aliceCalendar(
      'a hundred rules each',
      series(
        10,
        Array.from(
          { length: 100 },
          (_, index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 7};BYMONTH=2;BYMONTHDAY=29`,
        ),
      ),
    ),
    aliceCalendar('all excluded', series(30, ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'])),
    aliceCalendar('rare', series(160, ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'], 2029)),
    aliceCalendar('much text', createEvents(16, { attendees: longNames })),
    aliceCalendar('many changed', [hourly, ...changedHours]),
    aliceCalendar('large', createEvents(20_000)),
    ...Array.from({ length: 50 }, (_, index) =>
      calendar(`user${index}@example.com`, `user${index}@example.com`, []),
    ),
  ],
};

/** Seed with a series that has the maximum number of guests and many exceptions. */
export const mailSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    aliceCalendar('many told', [
      {
        ...hourly,
        organizer: { email: 'alice@example.com' },
        attendees: Array.from({ length: 200 }, (_, index) => ({ email: `told${index}@example.com` })),
      },
      ...changedHours,
    ]),
  ],
};

export const seed = { ...smallSeed, calendars: [...smallSeed.calendars, ...largeCalendars] };
