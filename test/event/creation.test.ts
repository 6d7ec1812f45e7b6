import { alice, berlin, bob, calendars, day, hour, startEvents, text, type EventGateway } from './event-http.harness.ts';

const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;
const taken = ['CONFLICT event.id duplicate'];
const zoned = { start: { ...hour.start, timeZone: berlin }, end: { ...hour.end, timeZone: berlin } };

describe('a new event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    // Bob may write to Alice's calendar.
    const [first, ...others] = calendars();
    const seed = { calendars: [{ ...first, acl: [{ email: bob, role: 'writer' }] }, ...others] };
    gateway = await startEvents([], { seed });
  });
  afterAll(() => gateway.close());

  describe('identifiers', () => {
    test.each([
      ['5 characters', 'abcde'],
      ['1024 characters', `${'0123456789abcdefghijklmnopqrstuv'.repeat(32)}`],
      ['the first and last of the alphabet', '09av0'],
    ])('an id of %s is taken over, and makes the iCalUID', async (_name, id) => {
      const { event, problems } = await gateway.insert({ ...hour, id });
      expect(problems).toEqual([]);
      expect(event).toMatchObject({ id, iCalUID: `${id}@calendar.example.com` });
      expect((await gateway.read(id)).event).toEqual(event);
    });

    test.each<[string, string, string[]]>([
      ['4 characters', 'abcd', [bad('id', 'invalid')]],
      ['no character', '', [bad('id', 'invalid')]],
      ['1025 characters', text(1025).replaceAll('x', 'a'), [bad('id', 'tooLong')]],
      ['w, the first letter behind the alphabet', 'abcdw', [bad('id', 'invalid')]],
      ['upper-case letters', 'ABCDE', [bad('id', 'invalid')]],
      ['hyphens, as in a UUID', '123e4567-e89b-12d3', [bad('id', 'invalid')]],
      ['a line feed at its end', 'abcde\n', [bad('id', 'invalid')]],
      ['letters that are no letters of base32hex', 'äbcde', [bad('id', 'invalid')]],
      ['a character too few, and a wrong one', 'w', [bad('id', 'invalid'), bad('id', 'invalid')]],
    ])('an id of %s is refused', async (_name, id, problems) => {
      expect((await gateway.insert({ ...hour, id })).problems).toEqual(problems);
      expect((await gateway.read(id)).problems).toEqual(['NOT_FOUND eventId notFound']);
    });

    test.each([undefined, null])('id %s: the server makes one that follows the rules, another each time', async (id) => {
      const made = await Promise.all(Array.from({ length: 20 }, () => gateway.insert({ ...hour, id })));
      const ids = made.map(({ event }) => event.id);
      expect(new Set(ids).size).toBe(20);
      for (const one of ids) expect(one).toMatch(/^[a-v0-9]{5,1024}$/);
    });

    test('an id that the calendar has is a conflict, and changes nothing', async () => {
      const { event } = await gateway.insert({ ...hour, id: 'taken', summary: 'First' });
      expect((await gateway.insert({ ...hour, id: 'taken' })).problems).toEqual(taken);
      expect((await gateway.insert({ ...hour, id: 'taken' }, { validateOnly: true })).problems).toEqual(taken);
      expect((await gateway.read('taken')).event).toEqual(event);
      expect((await gateway.insert({ ...hour, id: 'taken' }, { as: bob })).problems).toEqual([]);
    });

    test('of a hundred at once with one id, one is stored', async () => {
      const made = await Promise.all(
        Array.from({ length: 100 }, (_, index) => gateway.insert({ ...hour, id: 'rush0', summary: `${index}` })),
      );
      const stored = made.filter(({ event }) => event);
      expect(stored).toHaveLength(1);
      expect(made.filter(({ problems }) => problems[0] === taken[0])).toHaveLength(99);
      expect((await gateway.read('rush0')).event).toEqual(stored[0]?.event);
    });

    test('an iCalUID can be chosen instead, not beside an id', async () => {
      const { event } = await gateway.insert({ ...hour, iCalUID: 'meeting@elsewhere.example' });
      expect(event.iCalUID).toBe('meeting@elsewhere.example');
      expect(event.id).toMatch(/^[a-v0-9]{5,}$/);
      expect((await gateway.insert({ ...hour, id: 'chosen', iCalUID: 'a@b.example' })).problems).toEqual([
        bad('iCalUID', 'invalid'),
      ]);
      expect((await gateway.insert({ ...hour, iCalUID: '' })).problems).toEqual([bad('iCalUID', 'invalid')]);
      expect((await gateway.insert({ ...hour, iCalUID: text(1024) })).problems).toEqual([]);
      expect((await gateway.insert({ ...hour, iCalUID: text(1025) })).problems).toEqual([bad('iCalUID', 'tooLong')]);
    });
  });

  test('has the defaults of the resource, and null for everything else', async () => {
    const { event, problems, notes } = await gateway.insert(hour);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    const { id, iCalUID, etag, created, updated, htmlLink, ...rest } = event;
    expect(iCalUID).toBe(`${id}@calendar.example.com`);
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(created).toBe(updated);
    expect(created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(htmlLink).toMatch(/^https:/);
    const self = { id: null, displayName: null, email: alice, self: true };
    expect(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))).toEqual({
      kind: 'calendar#event',
      status: 'confirmed',
      transparency: 'opaque',
      visibility: 'default',
      anyoneCanAddSelf: false,
      attendeesOmitted: false,
      endTimeUnspecified: false,
      guestsCanInviteOthers: true,
      guestsCanModify: false,
      guestsCanSeeOtherGuests: true,
      locked: false,
      privateCopy: false,
      sequence: 0,
      creator: self,
      organizer: self,
      start: { ...hour.start, date: null, timeZone: null },
      end: { ...hour.end, date: null, timeZone: null },
    });
  });

  test('belongs to the calendar’s owner, and was made by the caller', async () => {
    const { event } = await gateway.insert(hour, { as: bob, calendarId: alice });
    expect(event).toMatchObject({ creator: { email: bob, self: false }, organizer: { email: alice, self: true } });
  });

  test.each<[string, object, string[]]>([
    ['nothing', {}, [bad('start', 'required'), bad('end', 'required')]],
    ['no end', { start: hour.start }, [bad('end', 'required')]],
    ['a start of null', { ...hour, start: null }, [bad('start', 'required')]],
    ['an empty start', { ...hour, start: {} }, [bad('start', 'required')]],
    ['an end with only a zone', { ...hour, end: { timeZone: berlin } }, [bad('end', 'required')]],
    ['start and end of different kinds', { start: hour.start, end: day.end }, [bad('end', 'invalid')]],
  ])('with %s is refused', async (_name, body, problems) => {
    expect((await gateway.insert(body)).problems).toEqual(problems);
  });

  test('null is as good as absent, except inside a map: there it is an error that names the key', async () => {
    const nulls = {
      id: null,
      summary: null,
      status: null,
      reminders: null,
      gadget: { title: null },
      attendees: null,
      recurringEventId: null,
      sequence: null,
      extendedProperties: { private: null },
    };
    expect((await gateway.insert({ ...hour, ...nulls })).problems).toEqual([]);
    const entry = await gateway.insert(
      {
        ...hour,
        extendedProperties: { private: { a: '1', b: null }, shared: { c: null } },
        gadget: { preferences: { d: null } },
        conferenceData: { parameters: { addOnParameters: { parameters: { e: null } } } },
      },
      { conferenceDataVersion: 1 },
    );
    expect([...entry.problems].sort()).toEqual([
      bad('conferenceData.parameters.addOnParameters.parameters.e', 'required'),
      bad('extendedProperties.private.b', 'required'),
      bad('extendedProperties.shared.c', 'required'),
      bad('gadget.preferences.d', 'required'),
    ]);
  });

  test('read-only fields in its body are ignored, with a warning where they differ from what the server sets', async () => {
    const { event, notes } = await gateway.insert({
      ...hour,
      kind: 'calendar#event',
      etag: '"mine"',
      created: '2020-01-01T00:00:00Z',
      updated: '2020-01-01T00:00:00Z',
      htmlLink: 'https://mine.example',
      callLink: 'https://mine.example',
      locked: true,
      creator: { email: bob },
      organizer: { email: bob, self: false },
    });
    expect([...notes].sort()).toEqual(
      ['callLink', 'created', 'creator', 'etag', 'htmlLink', 'locked', 'organizer', 'updated'].map(
        (field) => `event.${field} readOnly`,
      ),
    );
    expect(event).toMatchObject({ creator: { email: alice }, organizer: { email: alice }, locked: false, callLink: null });
    expect(event.created).not.toBe('2020-01-01T00:00:00Z');
    const same = { locked: false, creator: { email: alice, self: true }, organizer: { email: alice, self: true } };
    expect((await gateway.insert({ ...hour, ...same })).notes).toEqual([]);
  });

  test('can be cancelled or tentative from the start, and can be a private copy', async () => {
    expect((await gateway.insert({ ...hour, status: 'tentative', privateCopy: true })).event).toMatchObject({
      status: 'tentative',
      privateCopy: true,
    });
    expect((await gateway.insert({ ...hour, status: 'cancelled' })).event.status).toBe('cancelled');
  });

  describe('as an instance of a recurring event', () => {
    const series = async () => (await gateway.insert({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] })).event;
    const moved = { start: { dateTime: '2026-12-03T15:00:00+01:00' }, end: { dateTime: '2026-12-03T16:00:00+01:00' } };
    const originalStartTime = { dateTime: '2026-12-03T10:00:00+01:00', timeZone: berlin };

    test('shares the iCalUID, has an id of its own, and exists once', async () => {
      const parent = await series();
      const instance = { ...moved, recurringEventId: parent.id, originalStartTime };
      const { event, problems } = await gateway.insert(instance);
      expect(problems).toEqual([]);
      expect(event).toMatchObject({ ...instance, iCalUID: parent.iCalUID });
      expect(event.id).not.toBe(parent.id);
      expect((await gateway.insert(instance)).problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
      expect(
        (
          await gateway.insert({
            ...instance,
            originalStartTime: { ...originalStartTime, dateTime: '2026-12-04T10:00:00+01:00' },
          })
        ).problems,
      ).toEqual([]);
      expect(
        (
          await gateway.insert({
            ...instance,
            iCalUID: parent.iCalUID,
            originalStartTime: { ...originalStartTime, dateTime: '2026-12-05T10:00:00+01:00' },
          })
        ).problems,
      ).toEqual([]);
    });

    test.each<[string, object, string]>([
      ['of an event that is not there', { recurringEventId: 'nothere', originalStartTime }, 'recurringEventId invalid'],
      ['without the original start', { originalStartTime: null }, 'originalStartTime required'],
      ['with another iCalUID', { iCalUID: 'other@elsewhere.example' }, 'iCalUID invalid'],
      ['without the recurring event', { recurringEventId: null }, 'originalStartTime invalid'],
    ])('%s: refused', async (_name, change, problem) => {
      const parent = await series();
      const { problems } = await gateway.insert({ ...moved, recurringEventId: parent.id, originalStartTime, ...change });
      expect(problems).toEqual([`BAD_USER_INPUT event.${problem}`]);
    });

    test('of an event that does not recur, or of one on another calendar: refused', async () => {
      const single = (await gateway.insert(hour)).event;
      const bobs = (await gateway.insert({ ...zoned, recurrence: ['RRULE:FREQ=DAILY'] }, { as: bob })).event;
      for (const { id } of [single, bobs]) {
        expect((await gateway.insert({ ...moved, recurringEventId: id, originalStartTime })).problems).toEqual([
          bad('recurringEventId', 'invalid'),
        ]);
      }
    });
  });

  test('by a caller whose token has no address: made by that subject', async () => {
    const { stores } = gateway;
    const service = 'robot-17';
    await stores.events.addCalendar({
      id: 'team',
      owner: 'team@example.com',
      timeZone: berlin,
      defaultReminders: [],
      acl: [{ email: service, role: 'writer' }],
    });
    const { event } = await gateway.insert(hour, { as: service, calendarId: 'team' });
    expect(event).toMatchObject({ creator: { id: service, email: null, self: false }, organizer: { email: 'team@example.com' } });
  });
});
