import { alice, berlin, bob, startEvents, type EventGateway } from './event-http.harness.ts';

const carl = 'carl@example.com';
const wanda = 'wanda@example.com';
const zoned = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });
const lockedEvent = {
  summary: 'Training', description: 'What to bring', location: 'Hall', start: zoned('09:00'), end: zoned('12:00'),
  locked: true, organizer: { email: 'training@elsewhere.example' }, creator: { email: 'training@elsewhere.example' },
  attendees: [{ email: bob }], guestsCanModify: true,
};
const writer = (email: string) => [{ email, role: 'writer' }];
const seed = {
  calendars: [
    {
      id: alice, owner: alice, timeZone: berlin, acl: writer(carl),
      events: [{ ...lockedEvent, id: 'lockedhome', organizer: { email: alice }, creator: { email: alice } }],
    },
    {
      id: bob, owner: bob, timeZone: berlin, acl: writer(wanda),
      events: [{ ...lockedEvent, id: 'lockedcopy' }, { ...lockedEvent, id: 'lockedown', privateCopy: true, attendees: [] }],
    },
  ],
};

describe('a locked copy', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents([], { seed });
  });
  afterAll(() => gateway.close());

  const six = {
    summary: 'Other', description: null, location: 'Other', start: zoned('09:30'), end: zoned('11:30'), recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  };
  const copies = [
    ["a guest's", 'lockedcopy', bob, bob],
    ["a guest's", 'lockedcopy', wanda, bob],
    ["a private one's", 'lockedown', bob, bob],
    ["the organizer's", 'lockedhome', alice, alice],
    ["the organizer's", 'lockedhome', carl, alice],
  ] as const;
  test.each(copies.flatMap(([whose, id, as, calendarId]) => Object.entries(six).map(([name, value]) => [whose, name, as, id, calendarId, value] as const)))(
    'as %s keeps its %s, whatever %s sends',
    async (_whose, name, as, id, calendarId, value) => {
      const answer = await gateway.patch(id, { [name]: value }, { as, calendarId });
      const [first] = answer.problems;
      expect(first).toMatch(new RegExp(`^FORBIDDEN event\\.${name}[.\\w]* forbidden$`));
      expect(answer.errors?.[0]?.extensions.issues[0]?.message).toContain('locked');
    },
  );

  test('takes every other change its owner may make', async () => {
    const answer = await gateway.patch('lockedcopy', { colorId: '3', sequence: 4 }, { as: bob });
    expect(answer).toMatchObject({ problems: [], event: { colorId: '3', sequence: 4, locked: true } });
  });

  test('may be sent back as it is', async () => {
    const { event } = await gateway.read('lockedcopy', { as: bob });
    expect(await gateway.patch('lockedcopy', event, { as: bob })).toMatchObject({ problems: [], notes: [], event });
  });
});
