import { alice, berlin, bob, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';
import { everyField } from '../selections.ts';

const carol = 'carol@example.com';
const dana = 'dana@elsewhere.example';
const [rita, fritz, wanda] = ['rita@example.com', 'fritz@example.com', 'wanda@example.com'] as [string, string, string];
const all = [alice, bob, carol, dana];
const guests = all.map((email) => ({ email, responseStatus: 'accepted' }));
const acl = [{ email: rita, role: 'reader' }, { email: bob, role: 'reader' }, { email: carol, role: 'freeBusyReader' }, { email: fritz, role: 'freeBusyReader' }, { email: wanda, role: 'writer' }];

const read = `query ($calendarId: String!, $eventId: String!, $maxAttendees: Int, $alwaysIncludeEmail: Boolean) {
  result: event(calendarId: $calendarId, eventId: $eventId, maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail)
  ${everyField('Event')} }`;
const list = `query ($calendarId: String!, $maxAttendees: Int, $alwaysIncludeEmail: Boolean) {
  result: events(calendarId: $calendarId, maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail) { nodes ${everyField('Event')} } }`;

describe('what a copy shows to whom', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const calendars = [
      { id: alice, owner: alice, timeZone: berlin, acl },
      { id: bob, owner: bob, timeZone: berlin, acl: [{ email: rita, role: 'reader' }, { email: alice, role: 'reader' }, { email: carol, role: 'writer' }] },
      { id: carol, owner: carol, timeZone: berlin },
    ];
    gateway = await startEvents([], { seed: { calendars } });
  });
  afterAll(() => gateway.close());

  const make = async (more: object = {}): Promise<string> =>
    (await gateway.insert({ ...hour, summary: 'Plan', attendees: guests, ...more })).event.id;
  const view = (id: string, as: string, calendarId = as, more: object = {}): Promise<Outcome> =>
    gateway.run(read, { calendarId, eventId: id, ...more }, as);
  const emails = ({ event }: Outcome): string[] => event.attendees.map(({ email }: { email: string }) => email);
  const inList = async (id: string, as: string, calendarId = as, more: object = {}) =>
    (await gateway.run(list, { calendarId, ...more }, as)).event.nodes.find((event: { id: string }) => event.id === id);

  describe('guestsCanSeeOtherGuests: false', () => {
    test.each<[string, string, string, string[]]>([
      ['the organizer sees all', alice, alice, all],
      ['a writer on the organizer’s calendar sees all', wanda, alice, all],
      ['a reader of it who is no guest sees all', rita, alice, all],
      ['a guest sees the organizer and the own entry', bob, bob, [alice, bob]],
      ['a reader of a guest’s calendar sees no more than the guest', rita, bob, [alice, bob]],
      ['a guest who reads the organizer’s calendar does not see the others there', bob, alice, [alice, bob]],
      ['a guest who writes to another guest’s calendar sees the own entry too', carol, bob, [alice, bob, carol]],
    ])('%s', async (_name, as, calendarId, seen) => {
      const id = await make({ guestsCanSeeOtherGuests: false });
      const answer = await view(id, as, calendarId);
      expect(emails(answer)).toEqual(seen);
      expect(answer.event.attendeesOmitted).toBe(seen.length < all.length);
      expect(await inList(id, as, calendarId)).toEqual(answer.event);
    });

    test('all see all when it is true', async () => {
      const id = await make();
      for (const as of [alice, bob, carol]) expect(emails(await view(id, as))).toEqual(all);
    });

    test.each<[string, object, string[]]>([
      ['the list as it was shown', { attendees: guests.slice(0, 2) }, all],
      ['the own response alone', { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'declined' }] }, all],
      ['one more guest', { attendees: [...guests.slice(0, 2), { email: 'new@elsewhere.example' }] }, [alice, bob, 'new@elsewhere.example', carol, dana]],
    ])('a guest’s patch never removes those who are hidden: %s', async (_name, change, left) => {
      const id = await make({ guestsCanSeeOtherGuests: false });
      expect((await gateway.patch(id, change, { as: bob })).problems).toEqual([]);
      expect(emails(await view(id, alice))).toEqual(left);
      expect((await view(id, carol)).event.status).toBe('confirmed');
    });

    test('not even where guests may modify: the hidden stay, and keep their answers', async () => {
      const id = await make({ guestsCanSeeOtherGuests: false, guestsCanModify: true });
      expect((await gateway.patch(id, { attendees: [{ email: bob }] }, { as: bob })).problems).toEqual([]);
      const { event } = await view(id, alice);
      expect(event.attendees.map(({ email, responseStatus }: Record<string, string>) => `${email} ${responseStatus}`)).toEqual(
        [bob, carol, dana].map((email) => `${email} accepted`),
      );
    });
  });

  describe.each(['private', 'confidential'])('visibility: %s', (visibility) => {
    const timeOnly = ['end', 'endTimeUnspecified', 'etag', 'id', 'kind', 'start', 'status', 'transparency', 'updated', 'visibility'];
    const filled = (event: object): string[] => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();

    test('a mere reader sees the time only, alone and in the list', async () => {
      const id = await make({ visibility, attendees: [{ email: dana }], location: 'Secret', recurrence: null });
      const { event } = await view(id, rita, alice);
      expect(filled(event)).toEqual(timeOnly);
      expect(event).toMatchObject({ start: hour.start, end: hour.end, status: 'confirmed', transparency: 'opaque', visibility });
      expect(await inList(id, rita, alice)).toEqual(event);
    });

    test('a reader who takes part sees the details, and so does a writer', async () => {
      const id = await make({ visibility });
      expect((await view(id, bob, alice)).event.summary).toBe('Plan');
      expect((await view(id, wanda, alice)).event.summary).toBe('Plan');
      expect((await view(id, alice)).event.summary).toBe('Plan');
    });

    test('a free/busy reader who takes part sees the time only on the calendar of another', async () => {
      const id = await make({ visibility });
      expect(filled((await view(id, carol, alice)).event)).toEqual(timeOnly);
      expect((await view(id, carol)).event.summary).toBe('Plan');
    });

    test('it belongs to the copy: a reader of another copy sees the details', async () => {
      const id = await make({ visibility });
      expect((await view(id, rita, alice)).event.summary).toBeNull();
      expect((await view(id, rita, bob)).event.summary).toBe('Plan');
    });

    test('the organizer who reads another copy takes part, guest or not', async () => {
      const id = await make({ attendees: [{ email: bob }] });
      await gateway.patch(id, { visibility }, { as: bob });
      expect(filled((await view(id, rita, bob)).event)).toEqual(timeOnly);
      expect((await view(id, alice, bob)).event).toMatchObject({ summary: 'Plan', visibility });
    });
  });

  test('a free/busy reader sees times only, be the visibility what it may', async () => {
    for (const visibility of ['default', 'public', 'private']) {
      const zoned = { start: { ...hour.start, timeZone: berlin }, end: { ...hour.end, timeZone: berlin } };
      const id = await make({ visibility, ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], transparency: 'transparent' });
      const { event } = await view(id, fritz, alice);
      expect(event).toMatchObject({ ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], transparency: 'transparent', visibility });
      for (const name of ['summary', 'iCalUID', 'attendees', 'organizer', 'creator', 'htmlLink', 'sequence']) expect(event[name]).toBeNull();
    }
  });

  describe('maxAttendees', () => {
    test.each([[1, [bob], true], [3, [bob], true], [4, all, false], [5, all, false]] as const)('%i of four guests', async (maxAttendees, seen, omitted) => {
      const id = await make();
      const answer = await view(id, bob, bob, { maxAttendees });
      expect(emails(answer)).toEqual(seen);
      expect(answer.event.attendeesOmitted).toBe(omitted);
      expect(await inList(id, bob, bob, { maxAttendees })).toEqual(answer.event);
      const patched = await gateway.patch(id, { colorId: '1' }, { as: bob, maxAttendees });
      expect(emails(patched)).toEqual(seen);
    });

    test('leaves nobody where the calendar’s owner is no guest', async () => {
      const id = await make({ attendees: guests.slice(1) });
      const answer = await view(id, alice, alice, { maxAttendees: 2 });
      expect(emails(answer)).toEqual([]);
      expect(answer.event.attendeesOmitted).toBe(true);
    });

    test('says nothing of an event without guests', async () => {
      const id = await make({ attendees: null });
      expect((await view(id, alice, alice, { maxAttendees: 1 })).event).toMatchObject({ attendees: null, attendeesOmitted: false });
    });

    test('a shortened list that is sent back removes nobody', async () => {
      const id = await make();
      const { event } = await view(id, alice, alice, { maxAttendees: 1 });
      const back = await gateway.patch(id, { ...event, summary: 'New' }, {});
      expect({ problems: back.problems, notes: back.notes, emails: emails(back) }).toEqual({ problems: [], notes: [], emails: all });
    });

    test.each([0, -1])('%i is refused', async (maxAttendees) => {
      const id = await make();
      expect((await view(id, alice, alice, { maxAttendees })).problems).toEqual(['BAD_USER_INPUT maxAttendees invalid']);
      expect((await gateway.run(list, { calendarId: alice, maxAttendees })).problems).toEqual(['BAD_USER_INPUT maxAttendees invalid']);
    });
  });

  describe('alwaysIncludeEmail', () => {
    const people = { attendees: [{ id: 'profile-7', displayName: 'Nobody' }, { email: bob }], creator: { id: 'profile-1' } };
    const nameless = async (): Promise<string> => {
      const id = await make({ attendees: [{ email: bob }] });
      await gateway.disturb(id, people);
      return id;
    };

    test('makes up addresses that cannot work, for whoever has none', async () => {
      const id = await nameless();
      const { event } = await view(id, alice, alice, { alwaysIncludeEmail: true });
      expect(event.attendees).toMatchObject([{ email: expect.stringMatching(/@[a-z.-]+\.invalid$/) }, { email: bob }]);
      expect(event.creator).toMatchObject({ id: 'profile-1', email: expect.stringMatching(/\.invalid$/) });
      expect(event.organizer.email).toBe(alice);
      expect(await inList(id, alice, alice, { alwaysIncludeEmail: true })).toEqual(event);
    });

    test('without it there are none', async () => {
      const { event } = await view(await nameless(), alice);
      expect([event.attendees[0].email, event.creator.email]).toEqual([null, null]);
    });

    test('an organizer without an address gets one, and nobody is taken for the organizer', async () => {
      const id = await make({ attendees: [{ email: bob }] });
      await gateway.disturb(id, { ...people, attendees: [{ displayName: 'Nobody' }, { email: bob }], organizer: { displayName: 'Somebody' } });
      const { event } = await view(id, alice, alice, { alwaysIncludeEmail: true });
      expect(event.organizer).toMatchObject({ displayName: 'Somebody', self: false, email: expect.stringMatching(/\.invalid$/) });
      expect(event.attendees.map(({ organizer }: { organizer: boolean }) => organizer)).toEqual([false, false]);
    });

    test('sent back, made-up addresses are not stored', async () => {
      const id = await nameless();
      const before = await gateway.stored(id);
      const { event } = await view(id, alice, alice, { alwaysIncludeEmail: true });
      expect((await gateway.patch(id, { attendees: event.attendees })).problems).toEqual([]);
      expect((await gateway.patch(id, event, { alwaysIncludeEmail: true })).problems).toEqual([]);
      expect(await gateway.stored(id)).toBe(before);
    });
  });

  test('a locked copy says so; other copies are not locked', async () => {
    const locked = await startEvents([], {
      seed: {
        calendars: [alice, bob].map((id) => ({
          id, owner: id, timeZone: berlin,
          events: [{ id: 'shut', iCalUID: 'shut@x', summary: 'Shut', ...hour, organizer: { email: alice }, attendees: [{ email: bob }], locked: id === bob, guestsCanModify: true }],
        })),
      },
    });
    expect((await locked.read('shut', { as: bob })).event.locked).toBe(true);
    expect((await locked.patch('shut', { summary: 'x' }, { as: bob })).problems).toEqual(['FORBIDDEN event.summary forbidden']);
    expect((await locked.patch('shut', { summary: 'Shut' }, { as: bob })).problems).toEqual([]);
    expect((await locked.read('shut')).event.locked).toBe(false);
    expect((await locked.patch('shut', { summary: 'Hers' })).problems).toEqual([]);
    expect((await locked.read('shut', { as: bob })).event.summary).toBe('Hers');
    await locked.close();
  });
});
