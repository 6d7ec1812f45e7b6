/** The subject of the demo's token: the owner of the first calendar and manager of both buckets. */
export const demoUser = 'alice@example.com';

const zone = 'Europe/Berlin';
const at = (date: string, from: string, to: string) => ({
  start: { dateTime: `${date}T${from}:00`, timeZone: zone },
  end: { dateTime: `${date}T${to}:00`, timeZone: zone },
});
const allDay = (from: string, to: string) => ({ start: { date: from }, end: { date: to } });

const aliceEvents = [
  {
    id: 'teammeeting',
    summary: 'Team meeting',
    description: 'What we did, what comes next.',
    location: 'Room 3',
    ...at('2026-12-01', '10:00', '11:00'),
    attendees: [
      { email: demoUser, responseStatus: 'accepted' },
      { email: 'bob@example.com', displayName: 'Bob' },
      { email: 'carol@elsewhere.example', optional: true, responseStatus: 'tentative', additionalGuests: 1 },
      { email: 'room3@resource.example', resource: true, responseStatus: 'accepted' },
    ],
    reminders: { useDefault: true },
  },
  { id: 'holiday', summary: 'Public holiday', transparency: 'transparent', ...allDay('2026-12-25', '2026-12-27') },
  {
    id: 'standup',
    summary: 'Stand-up',
    ...at('2026-12-01', '09:00', '09:15'),
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20270630T220000Z', 'EXDATE;TZID=Europe/Berlin:20261224T090000'],
    iCalUID: 'standup@calendar.example.com',
  },
  {
    id: 'standup_20261203T080000Z',
    status: 'cancelled',
    recurringEventId: 'standup',
    originalStartTime: { dateTime: '2026-12-03T09:00:00+01:00', timeZone: zone },
    iCalUID: 'standup@calendar.example.com',
    summary: 'Stand-up',
    ...at('2026-12-03', '09:00', '09:15'),
  },
  {
    id: 'review',
    summary: 'Design review',
    ...at('2026-12-02', '14:00', '15:30'),
    attachments: [
      { fileUrl: 'https://files.example.com/d/plan', title: 'Plan', mimeType: 'application/pdf', fileId: 'plan' },
      { fileUrl: 'https://files.example.com/d/sketch', title: 'Sketch', mimeType: 'image/png' },
    ],
    source: { title: 'Issue tracker', url: 'https://issues.example.com/42' },
  },
  {
    id: 'callabroad',
    summary: 'Call with the partners',
    start: { dateTime: '2026-12-04T17:00:00+01:00' },
    end: { dateTime: '2026-12-04T18:00:00+01:00' },
    conferenceData: {
      conferenceId: 'abcdefghij',
      conferenceSolution: { key: { type: 'hostedCall' }, name: 'Hosted call', iconUri: 'https://calendar.example.com/call.png' },
      entryPoints: [
        { entryPointType: 'video', uri: 'https://calendar.example.com/call/abcdefghij', label: 'calendar.example.com/call/abcdefghij' },
        { entryPointType: 'phone', uri: 'tel:+49-30-5550100,,123456%23', label: '+49 30 5550100', pin: '123456', regionCode: 'DE' },
      ],
      notes: 'The meeting code is read out at the start.',
    },
    callLink: 'https://calendar.example.com/call/abcdefghij',
  },
  {
    id: 'dentist',
    summary: 'Dentist',
    visibility: 'private',
    ...at('2026-12-07', '08:30', '09:00'),
    reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 60 }, { method: 'email', minutes: 1440 }] },
  },
  { id: 'offsite', summary: 'Offsite', status: 'cancelled', ...allDay('2026-12-14', '2026-12-16') },
  {
    id: 'workshop',
    summary: 'Workshop',
    status: 'tentative',
    colorId: '7',
    ...at('2026-12-10', '13:00', '17:00'),
    guestsCanSeeOtherGuests: false,
    guestsCanInviteOthers: false,
    attendees: [{ email: 'bob@example.com' }, { email: 'dana@elsewhere.example' }],
    extendedProperties: { private: { ticket: 'W-17' }, shared: { series: 'autumn' } },
  },
  {
    id: 'launch',
    summary: 'Launch',
    guestsCanModify: true,
    start: { dateTime: '2026-12-09T09:00:00-05:00', timeZone: 'America/New_York' },
    end: { dateTime: '2026-12-09T10:00:00-05:00', timeZone: 'America/New_York' },
    attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }],
    gadget: { display: 'chip', link: 'https://widgets.example.com/count', height: 120, width: 240, preferences: { theme: 'dark' } },
  },
];

const bobEvents = [
  { id: 'lunch', summary: 'Lunch', ...at('2026-12-01', '12:30', '13:30') },
  {
    id: 'training',
    summary: 'Training',
    locked: true,
    organizer: { email: 'training@elsewhere.example', displayName: 'Training' },
    creator: { email: 'training@elsewhere.example' },
    ...at('2026-12-08', '09:00', '12:00'),
    attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }],
  },
];

/** What the gateway holds when no SEED_FILE is given: two calendars and two buckets, one of which is requester-pays. */
export const demoData = {
  calendars: [
    {
      id: demoUser,
      owner: demoUser,
      timeZone: zone,
      defaultReminders: [{ method: 'popup', minutes: 10 }],
      acl: [{ email: 'bob@example.com', role: 'reader' }],
      events: aliceEvents,
    },
    {
      id: 'bob@example.com',
      owner: 'bob@example.com',
      timeZone: zone,
      acl: [{ email: demoUser, role: 'freeBusyReader' }],
      events: bobEvents,
    },
  ],
  buckets: [
    {
      name: 'demo-photos',
      project: 'demo-project',
      managers: [demoUser],
      notifications: [
        {
          topic: 'projects/demo-project/topics/photos',
          event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
          custom_attributes: { team: 'photos' },
          object_name_prefix: 'albums/',
        },
      ],
    },
    { name: 'demo-archive', project: 'demo-project', requesterPays: true, managers: [demoUser], notifications: [] },
  ],
};
