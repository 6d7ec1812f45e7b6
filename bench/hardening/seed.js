// What the attacked gateway holds: a large calendar, one with many cancelled events, a bucket with ten topics.
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

/** An event that hides its guests from bob: one of a known address, and so many more. */
const hiding = (id, more) =>
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
const many = (count, more) => Array.from({ length: count }, (_, index) => event(index, more));

/** What most attacks need: the large calendars take a second to read in. */
export const smallSeed = {
  calendars: [
    calendar('alice@example.com', 'alice@example.com', [
      event(0, { id: 'victim' }),
      event(1, {
        id: 'crowd',
        attendees: Array.from({ length: 199 }, (_, index) => ({ email: `crowd${index}@example.com` })),
      }),
      hiding('hiding', 0),
      hiding('hiding200', 198),
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

const large = [
  calendar('full', 'alice@example.com', many(2500, { attendees: guests })),
  calendar('large', 'alice@example.com', many(20_000)),
  calendar('cancelled', 'alice@example.com', many(600, { status: 'cancelled' })),
];

const numbers = (count) => Array.from({ length: count }, (_, index) => index).join(',');
const series = (count, recurrence, year = 2020) =>
  Array.from({ length: count }, (_, index) => ({
    id: `series${index}`,
    start: { dateTime: `${year}-01-01T10:00:00`, timeZone: 'Europe/Berlin' },
    end: { dateTime: `${year}-01-01T11:00:00`, timeZone: 'Europe/Berlin' },
    recurrence,
  }));
const alice = (id, events) => calendar(id, 'alice@example.com', events);

/** Hours of 2031, of which most were changed by themselves. */
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

/** Calendars that are dear to list, and fifty users to invite. */
export const listSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    alice('every second', series(300, ['RRULE:FREQ=SECONDLY'])),
    alice(
      'positions among seconds',
      series(30, [`RRULE:FREQ=HOURLY;BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)};BYSETPOS=-1`]),
    ),
    alice(
      'a hundred rules each',
      series(
        10,
        Array.from(
          { length: 100 },
          (_, index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 7};BYMONTH=2;BYMONTHDAY=29`,
        ),
      ),
    ),
    alice('all excluded', series(30, ['RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY'])),
    alice('rare', series(160, ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'], 2029)),
    alice('much text', many(16, { attendees: longNames })),
    alice('many changed', [hourly, ...changedHours]),
    alice('large', many(20_000)),
    ...Array.from({ length: 50 }, (_, index) =>
      calendar(`user${index}@example.com`, `user${index}@example.com`, []),
    ),
  ],
};

/** A series with as many guests as a list may have, of which most instances were changed by themselves. */
export const mailSeed = {
  ...smallSeed,
  calendars: [
    ...smallSeed.calendars,
    alice('many told', [
      {
        ...hourly,
        organizer: { email: 'alice@example.com' },
        attendees: Array.from({ length: 200 }, (_, index) => ({ email: `told${index}@example.com` })),
      },
      ...changedHours,
    ]),
  ],
};

export const seed = { ...smallSeed, calendars: [...smallSeed.calendars, ...large] };
