// What the attacked gateway holds: a large calendar, one with many cancelled events, a bucket with ten topics.
const guests = Array.from({ length: 20 }, (_, index) => ({ email: `guest${index}@example.com`, displayName: `Guest ${index}` }));

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

const calendar = (id, owner, events, acl = []) => ({ id, owner, timeZone: 'Europe/Berlin', defaultReminders: [], acl, events });
const many = (count, more) => Array.from({ length: count }, (_, index) => event(index, more));

/** What most attacks need: the large calendars take a second to read in. */
export const smallSeed = {
  calendars: [
    calendar('alice@example.com', 'alice@example.com', [
      event(0, { id: 'victim' }),
      event(1, { id: 'crowd', attendees: Array.from({ length: 199 }, (_, index) => ({ email: `crowd${index}@example.com` })) }),
      event(2, {
        id: 'hiding',
        guestsCanSeeOtherGuests: false,
        guestsCanInviteOthers: true,
        organizer: { email: 'alice@example.com' },
        attendees: [{ email: 'bob@example.com' }, { email: 'hidden@example.com' }],
      }),
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
      notifications: Array.from({ length: 10 }, (_, index) => ({ topic: `projects/my-project/topics/topic-${index}`, payload_format: 'JSON_API_V1' })),
    },
  ],
};

const large = [
  calendar('full', 'alice@example.com', many(2500, { attendees: guests })),
  calendar('large', 'alice@example.com', many(20_000)),
  calendar('cancelled', 'alice@example.com', many(600, { status: 'cancelled' })),
];

export const seed = { ...smallSeed, calendars: [...smallSeed.calendars, ...large] };
