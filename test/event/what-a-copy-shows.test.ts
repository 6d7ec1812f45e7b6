import { alice, berlin, bob, documents, startEvents, type EventGateway } from './event-http.harness.ts';

const [carol, carl, rita, fred] = ['carol', 'carl', 'rita', 'fred'].map((name) => `${name}@example.com`) as [string, string, string, string];
const hour = { start: { dateTime: '2026-12-01T10:00:00+01:00' }, end: { dateTime: '2026-12-01T11:00:00+01:00' } };
const acl = [{ email: carl, role: 'writer' }, { email: rita, role: 'reader' }, { email: fred, role: 'freeBusyReader' }, { email: bob, role: 'reader' }];
const listing = documents.read.replace('$eventId: String!', '').replace('event(calendarId: $calendarId, eventId: $eventId)', 'events(calendarId: $calendarId) { nodes').concat(' }');

/** What each role sees of a copy, by itself and in the list: Carl writes, Rita and Bob read, Fred sees when Alice is busy. */
describe('what a copy shows', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const calendars = [alice, bob, carol].map((owner) => ({ id: owner, owner, timeZone: berlin, acl }));
    gateway = await startEvents([], { seed: { calendars } });
  });
  afterAll(() => gateway.close());

  const make = async (body: object = {}, as = alice): Promise<string> => {
    const { event, problems } = await gateway.insert({ summary: 'Planning', ...hour, ...body }, { as, calendarId: alice });
    expect(problems).toEqual([]);
    return event.id;
  };
  /** Read by id; the list must show the very same. */
  const seen = async (id: string, as: string, calendarId = alice) => {
    const { event } = await gateway.read(id, { as, calendarId });
    const { event: list } = await gateway.run(listing, { calendarId }, as);
    expect(list.nodes.find((node: { id: string }) => node.id === id)).toEqual(event);
    return event;
  };
  const told = (event: object) => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();

  const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
  test.each([
    ['its owner', alice, reminders],
    ['a writer', carl, reminders],
    ['a reader', rita, null],
    ['a reader who is a guest', bob, null],
    ['a free/busy reader', fred, null],
  ])('reminders are shown to the people of the calendar: %s', async (_who, as, expected) => {
    const id = await make({ reminders, attendees: [{ email: bob }] });
    expect((await seen(id, as)).reminders).toEqual(expected);
    expect((await seen(id, alice)).reminders).toEqual(reminders);
  });

  describe('source', () => {
    const source = { title: 'Tracker', url: 'https://issues.example.org/1' };
    test.each([[alice, alice], [bob, bob], [rita, alice], [fred, alice]] as const)('is not shown to %s on the calendar of %s', async (as, calendarId) => {
      const id = await make({ source, attendees: [{ email: bob }] }, carl);
      expect((await seen(id, as, calendarId)).source).toBeNull();
      expect((await seen(id, carl)).source).toEqual(source);
    });
    test('is shown to its creator on every calendar the creator reads', async () => {
      const id = await make({ source, attendees: [{ email: bob }] }, carl);
      expect((await seen(id, carl, bob)).source).toEqual(source);
    });
    test.each([[alice, alice], [bob, bob]] as const)('outlasts what %s reads and sends back', async (as, calendarId) => {
      const id = await make({ source, attendees: [{ email: bob }], guestsCanModify: true }, carl);
      const event = await seen(id, as, calendarId);
      const answer = await gateway.patch(id, { ...event, summary: 'Other' }, { as, calendarId });
      expect(answer).toMatchObject({ problems: [], notes: [], event: { summary: 'Other', source: null } });
      expect(await seen(id, carl)).toMatchObject({ summary: 'Other', source });
    });
  });

  describe.each(['private', 'confidential'])('a %s event', (visibility) => {
    const attendees = [{ email: bob }, { email: carol }];
    test.each<[string, string, boolean]>([
      ['the owner', alice, true],
      ['a writer', carl, true],
      ['a reader who is a guest', bob, true],
      ['a mere reader', rita, false],
      ['a free/busy reader', fred, false],
    ])('is open to %s: %s, %s', async (_who, as, open) => {
      const id = await make({ visibility, attendees, location: 'Room 3', sequence: 3, description: 'Secret', extendedProperties: { shared: { a: '1' } } });
      const event = await seen(id, as);
      expect(event).toMatchObject({ ...hour, status: 'confirmed', visibility, transparency: 'opaque' });
      if (open) expect(event).toMatchObject({ summary: 'Planning', location: 'Room 3', attendees: expect.any(Array) });
      else {
        expect(told(event)).toEqual(['end', 'endTimeUnspecified', 'etag', 'id', 'kind', 'start', 'status', 'transparency', 'updated', 'visibility']);
      }
    });
  });

  test.each(['default', 'public'])('a %s event is open to a reader, and shows a free/busy reader its time only', async (visibility) => {
    const id = await make({ visibility });
    expect(await seen(id, rita)).toMatchObject({ summary: 'Planning', visibility });
    expect(await seen(id, fred)).toMatchObject({ summary: null, ...hour });
  });

  describe('maxAttendees', () => {
    const attendees = [alice, bob, carol].map((email) => ({ email }));
    test.each([
      [1, alice, [alice], true], [2, alice, [alice], true], [3, alice, [alice, bob, carol], false], [4, alice, [alice, bob, carol], false],
      [2, bob, [bob], true], [3, bob, [alice, bob, carol], false],
    ] as const)('%i of three guests on the calendar of %s', async (maxAttendees, calendarId, shown, omitted) => {
      const id = await make({ attendees });
      const answer = await gateway.patch(id, {}, { as: calendarId, maxAttendees });
      expect(answer.event.attendees.map(({ email }: { email: string }) => email)).toEqual(shown);
      expect(answer.event.attendeesOmitted).toBe(omitted);
      expect((await seen(id, calendarId)).attendees).toHaveLength(3);
    });
    test('what it cut is sent back without removing anybody', async () => {
      const id = await make({ attendees });
      const { event } = await gateway.patch(id, {}, { maxAttendees: 1 });
      const answer = await gateway.patch(id, { ...event, summary: 'Other' });
      expect(answer.problems).toEqual([]);
      expect((await seen(id, bob, bob))).toMatchObject({ summary: 'Other', attendees: [{}, {}, {}] });
    });
  });

  test('addresses made up by alwaysIncludeEmail are not stored when they are sent back', async () => {
    const id = await make({ attendees: [{ email: bob }] });
    await gateway.disturb(id, { attendees: [{ id: 'profile-1' }, { id: 'profile-2', email: bob }], creator: { id: 'someone' } });
    const before = await gateway.stored(id);
    const { event } = await gateway.patch(id, {}, { alwaysIncludeEmail: true });
    expect(event.attendees[0]).toMatchObject({ id: 'profile-1', email: expect.stringMatching(/@[\w.-]+\.invalid$/) });
    expect(event.creator.email).toMatch(/\.invalid$/);
    const answer = await gateway.patch(id, event, { alwaysIncludeEmail: true });
    expect(answer.problems).toEqual([]);
    expect(answer.event).toEqual(event);
    expect((await gateway.stored(id))?.core).toEqual(before?.core);
    expect((await seen(id, alice)).attendees[0].email).toBeNull();
  });
});
