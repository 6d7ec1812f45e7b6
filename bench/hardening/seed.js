// Seeds of the attacked gateways: large calendars, many cancelled events, a bucket with ten topics.
/** Maximum number of guests of an event. */
const maxGuests = 200;
const twentyGuests = Array.from({ length: 20 }, (_, index) => ({
  email: `guest${index}@example.com`,
  displayName: `Guest ${index}`,
}));

/**
 * Creates an event of an hour on one of the first 28 days of a month of 2027. `fields` override the default
 * fields.
 */
const createEvent = (index, fields = {}) => {
  const day = String(1 + (index % 28)).padStart(2, '0');
  const month = String(1 + (Math.floor(index / 28) % 12)).padStart(2, '0');
  return {
    id: `event${String(index).padStart(6, '0')}`,
    summary: `Event ${index}`,
    start: { dateTime: `2027-${month}-${day}T10:00:00Z` },
    end: { dateTime: `2027-${month}-${day}T11:00:00Z` },
    ...fields,
  };
};

/** Creates an event that hides its guests from bob: hidden@example.com, and `count` others. */
const createHidingEvent = (id, count) =>
  createEvent(2, {
    id,
    guestsCanSeeOtherGuests: false,
    guestsCanInviteOthers: true,
    organizer: { email: 'alice@example.com' },
    attendees: [
      'bob@example.com',
      'hidden@example.com',
      ...Array.from({ length: count }, (_, index) => `other${index}@example.com`),
    ].map((email) => ({ email })),
  });

/** Creates a calendar that nobody but its owner may see. */
const createCalendar = (id, owner, events) => ({
  id,
  owner,
  timeZone: 'Europe/Berlin',
  defaultReminders: [],
  acl: [],
  events,
});
const createEvents = (count, fields) =>
  Array.from({ length: count }, (_, index) => createEvent(index, fields));

/** Seed for most attacks, without the large calendars, which take a second to load. */
export const smallSeed = {
  calendars: [
    createCalendar('alice@example.com', 'alice@example.com', [
      createEvent(0, { id: 'victim' }),
      createEvent(1, {
        id: 'crowd',
        attendees: Array.from({ length: maxGuests - 1 }, (_, index) => ({
          email: `crowd${index}@example.com`,
        })),
      }),
      createHidingEvent('hiding', 0),
      createHidingEvent('hiding200', maxGuests - 2),
    ]),
    createCalendar('bob@example.com', 'bob@example.com', []),
    createCalendar('mike@example.com', 'mike@example.com', [createEvent(0, { id: 'private' })]),
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
  createCalendar('full', 'alice@example.com', createEvents(2500, { attendees: twentyGuests })),
  createCalendar('large', 'alice@example.com', createEvents(20_000)),
  createCalendar('cancelled', 'alice@example.com', createEvents(600, { status: 'cancelled' })),
];

/** Lists the numbers below `count` for a rule: `0,1,2`. */
const listNumbers = (count) => Array.from({ length: count }, (_, index) => index).join(',');
/** Creates `count` series with the same rules. `year`: of the first instance. */
const createSeries = (count, recurrence, year = 2020) =>
  Array.from({ length: count }, (_, index) => ({
    id: `series${index}`,
    start: { dateTime: `${year}-01-01T10:00:00`, timeZone: 'Europe/Berlin' },
    end: { dateTime: `${year}-01-01T11:00:00`, timeZone: 'Europe/Berlin' },
    recurrence,
  }));
const createAliceCalendar = (id, events) => createCalendar(id, 'alice@example.com', events);

/** Returns the start of an hour of 2031, for a series with many exceptions. */
const hourStartOf = (index) => new Date(Date.UTC(2031, 0, 1, index)).toISOString().replace('.000', '');
const hourlySeries = {
  id: 'each0hour',
  summary: 'Each hour',
  start: { dateTime: hourStartOf(0), timeZone: 'UTC' },
  end: { dateTime: hourStartOf(1), timeZone: 'UTC' },
  recurrence: ['RRULE:FREQ=HOURLY;COUNT=9000'],
};
const exceptions = Array.from({ length: 2500 }, (_, index) => ({
  id: `each0hour_${hourStartOf(index).replaceAll(/[-:]/g, '')}`,
  recurringEventId: 'each0hour',
  originalStartTime: { dateTime: hourStartOf(index) },
  start: { dateTime: hourStartOf(index) },
  end: { dateTime: hourStartOf(index + 1) },
  summary: 'Changed',
}));
/** Guests whose names have 400,000 letters together. The lowercase form of `İ` is longer than the letter. */
const guestsWithLongNames = Array.from({ length: 100 }, (_, index) => ({
  email: `guest${index}@example.com`,
  displayName: 'İ'.repeat(4000),
}));

/** Seed with calendars that are expensive to list, and fifty users to invite. */
export const listSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    createAliceCalendar('every second', createSeries(300, ['RRULE:FREQ=SECONDLY'])),
    createAliceCalendar(
      'positions among seconds',
      createSeries(30, [
        `RRULE:FREQ=HOURLY;BYMINUTE=${listNumbers(60)};BYSECOND=${listNumbers(60)};BYSETPOS=-1`,
      ]),
    ),
    createAliceCalendar(
      'a hundred rules each',
      createSeries(
        10,
        Array.from(
          { length: 100 },
          (_, index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 7};BYMONTH=2;BYMONTHDAY=29`,
        ),
      ),
    ),
    createAliceCalendar('all excluded', createSeries(30, ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'])),
    createAliceCalendar(
      'rare',
      createSeries(160, ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'], 2029),
    ),
    createAliceCalendar('much text', createEvents(16, { attendees: guestsWithLongNames })),
    createAliceCalendar('many changed', [hourlySeries, ...exceptions]),
    createAliceCalendar('large', createEvents(20_000)),
    ...Array.from({ length: 50 }, (_, index) =>
      createCalendar(`user${index}@example.com`, `user${index}@example.com`, []),
    ),
  ],
};

/** Seed with a series that has the maximum number of guests and many exceptions. */
export const mailSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    createAliceCalendar('many notified', [
      {
        ...hourlySeries,
        organizer: { email: 'alice@example.com' },
        attendees: Array.from({ length: maxGuests }, (_, index) => ({
          email: `notified${index}@example.com`,
        })),
      },
      ...exceptions,
    ]),
  ],
};

/** Seed with calendars of many events. */
export const largeSeed = { ...smallSeed, calendars: [...smallSeed.calendars, ...largeCalendars] };
