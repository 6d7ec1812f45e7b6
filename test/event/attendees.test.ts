import { bad, carol, emails, entryOf, guests, room } from './attendees.harness.ts';
import { alice, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';

describe('the guest list', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const withGuests = async (attendees: object[] = guests): Promise<string> =>
    (await gateway.insert({ ...hour, attendees })).event.id;

  test('a new guest has the defaults, and the organizer’s and one’s own entry are marked', async () => {
    const { event } = await gateway.insert({ ...hour, attendees: [{ email: bob }, { email: alice }] });
    const plain = {
      id: null,
      displayName: null,
      comment: null,
      optional: false,
      resource: false,
      responseStatus: 'needsAction',
      additionalGuests: 0,
    };
    expect(event.attendees).toEqual([
      { email: bob, organizer: false, self: false, ...plain },
      { email: alice, organizer: true, self: true, ...plain },
    ]);
  });

  test('is replaced as a whole, in the order sent; who is not listed is removed', async () => {
    const id = await withGuests();
    const sorted = await gateway.patch(id, { attendees: [{ email: room }, { email: 'new@example.org' }, { email: bob }] });
    expect(emails(sorted)).toEqual([room, 'new@example.org', bob]);
    expect(emails(await gateway.read(id))).toEqual([room, 'new@example.org', bob]);
    expect((await gateway.patch(id, { attendees: [] })).event.attendees).toEqual([]);
    expect((await gateway.patch(id, { attendees: null })).event.attendees).toBeNull();
  });

  test('a listed guest keeps the stored response when none is sent, and loses what else is not repeated', async () => {
    const id = await withGuests();
    const patched = await gateway.patch(id, { attendees: [{ email: bob }, { email: carol, responseStatus: 'declined' }] });
    expect(entryOf(patched, bob)).toMatchObject({
      responseStatus: 'accepted',
      comment: null,
      additionalGuests: 0,
      displayName: null,
    });
    expect(entryOf(patched, carol)).toMatchObject({ responseStatus: 'declined', optional: false });
  });

  test('null inside an entry clears the field, the response too', async () => {
    const id = await withGuests();
    const [first] = guests;
    const patched = await gateway.patch(id, {
      attendees: [{ ...first, comment: null, displayName: null, responseStatus: null, additionalGuests: null }],
    });
    expect(entryOf(patched, bob)).toMatchObject({
      responseStatus: 'needsAction',
      comment: null,
      displayName: null,
      additionalGuests: 0,
    });
  });

  test('a guest who was removed and comes again has to respond again', async () => {
    const id = await withGuests();
    await gateway.patch(id, { attendees: [{ email: carol }] });
    expect(entryOf(await gateway.patch(id, { attendees: [{ email: bob }] }), bob).responseStatus).toBe('needsAction');
  });

  describe('addresses', () => {
    test('in another case it is the same guest, and shown as it was sent last', async () => {
      const id = await withGuests();
      const patched = await gateway.patch(id, { attendees: [{ email: 'BOB@Example.com' }] });
      expect(patched.event.attendees).toMatchObject([{ email: 'BOB@Example.com', responseStatus: 'accepted' }]);
      expect((await gateway.read(id, { as: bob })).event.attendees).toMatchObject([{ self: true }]);
    });

    test.each<[string, object[], string[]]>([
      ['the same address twice', [{ email: bob }, { email: carol }, { email: bob }], [bad('.2.email', 'invalid')]],
      ['the same address in another case', [{ email: bob }, { email: 'Bob@EXAMPLE.com' }], [bad('.1.email', 'invalid')]],
      [
        'the same address three times',
        [{ email: bob }, { email: 'BOB@example.com' }, { email: bob }],
        [bad('.1.email', 'invalid'), bad('.2.email', 'invalid')],
      ],
      ['no address', [{ email: bob }, { displayName: 'Carol' }], [bad('.1.email', 'required')]],
      ['an address of null', [{ email: null }], [bad('.0.email', 'required')]],
      ['an empty entry', [{}], [bad('.0.email', 'required')]],
      ['an empty address', [{ email: '' }], [bad('.0.email', 'invalid')]],
      ['a list entry of null', [{ email: bob }, null as never], [bad('.1', 'required')]],
      ['no address at all', [{ email: 'Bob' }], [bad('.0.email', 'invalid')]],
      ['an address with a name', [{ email: 'Bob <bob@example.com>' }], [bad('.0.email', 'invalid')]],
      ['two addresses in one', [{ email: 'bob@example.com, carol@example.com' }], [bad('.0.email', 'invalid')]],
      ['a line break', [{ email: 'bob@example.com\r\nBcc: all@example.com' }], [bad('.0.email', 'invalid')]],
      ['255 octets', [{ email: `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}cccc` }], [bad('.0.email', 'invalid')]],
    ])('%s: refused', async (_name, attendees, problems) => {
      const id = await withGuests();
      const before = await gateway.stored(id);
      expect((await gateway.patch(id, { attendees })).problems).toEqual(problems);
      expect(await gateway.stored(id)).toBe(before);
      expect((await gateway.insert({ ...hour, attendees })).problems).toEqual(problems);
    });

    test.each(['"quoted @ part"@example.org', 'grüße@müller.example', `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}ccc`])(
      '%s: stored',
      async (email) => {
        expect((await gateway.insert({ ...hour, attendees: [{ email }] })).event.attendees).toMatchObject([{ email }]);
      },
    );
  });

  describe('resource', () => {
    test('can be set for whoever is new, in an insert and in a patch', async () => {
      const id = await withGuests([{ email: bob }]);
      const patched = await gateway.patch(id, { attendees: [{ email: bob }, { email: room, resource: true }] });
      expect(patched.notes).toEqual([]);
      expect(entryOf(patched, room).resource).toBe(true);
    });

    test('is ignored with a warning later, whatever the case of the address', async () => {
      const id = await withGuests();
      const patched = await gateway.patch(id, {
        attendees: [
          { email: 'BOB@example.com', resource: true },
          { email: room, resource: false },
          { email: carol, resource: false },
        ],
      });
      expect(patched.notes).toEqual(['event.attendees.0.resource ignored', 'event.attendees.1.resource ignored']);
      expect(patched.event.attendees).toMatchObject([{ resource: false }, { resource: true }, { resource: false }]);
    });

    test('stays when it is left out, or sent as it is', async () => {
      const id = await withGuests();
      for (const entry of [{ email: room }, { email: room, resource: true }]) {
        const patched = await gateway.patch(id, { attendees: [entry] });
        expect(patched.notes).toEqual([]);
        expect(patched.event.attendees).toMatchObject([{ resource: true }]);
      }
    });
  });

  describe('read-only marks', () => {
    test('self and organizer pass silently where they are true, else with a warning', async () => {
      const id = await withGuests([{ email: bob }, { email: alice }]);
      const right = {
        attendees: [
          { email: bob, self: false, organizer: false },
          { email: alice, self: true, organizer: true },
        ],
      };
      expect((await gateway.patch(id, right)).notes).toEqual([]);
      const wrong = {
        attendees: [
          { email: bob, self: true, organizer: true },
          { email: alice, self: false, organizer: false },
        ],
      };
      const patched = await gateway.patch(id, wrong);
      expect(patched.notes).toEqual([
        'event.attendees.0.organizer readOnly',
        'event.attendees.0.self readOnly',
        'event.attendees.1.organizer readOnly',
        'event.attendees.1.self readOnly',
      ]);
      expect(patched.event.attendees).toMatchObject([
        { self: false, organizer: false },
        { self: true, organizer: true },
      ]);
    });

    test('of a new entry they pass silently where they will be true', async () => {
      const attendees = [{ email: 'Alice@Example.com', self: true, organizer: true }];
      expect((await gateway.insert({ ...hour, attendees })).notes).toEqual([]);
      const id = await withGuests();
      expect((await gateway.patch(id, { attendees })).notes).toEqual([]);
      expect((await gateway.insert({ ...hour, attendees: [{ email: bob, self: true, organizer: true }] })).notes).toEqual([
        'event.attendees.0.organizer readOnly',
        'event.attendees.0.self readOnly',
      ]);
    });
  });

  test('addresses that were made up for entries without one are not taken over', async () => {
    const id = await withGuests([{ email: bob }]);
    await gateway.disturb(id, { attendees: [{ id: 'profile-7', displayName: 'Nobody' }, { email: bob }] });
    const shown = await gateway.patch(id, {}, { alwaysIncludeEmail: true });
    expect(shown.event.attendees[0].email).toMatch(/\.invalid$/);
    const same = await gateway.patch(id, { attendees: shown.event.attendees });
    expect(same.problems).toEqual([]);
    expect(same.event.etag).toBe(shown.event.etag);
    expect(same.event.attendees[0].email).toBeNull();
  });

  test('old oddities on the list stay where they are not touched, wherever they move', async () => {
    const id = await withGuests([{ email: carol }]);
    const odd = [{ email: 'not an address', comment: 'c'.repeat(9000) }, { email: bob }, { email: 'BOB@example.com' }];
    await gateway.disturb(id, { attendees: [{ email: carol }, ...odd] });
    expect((await gateway.patch(id, { attendees: [...odd, { email: 'new@example.org' }] })).problems).toEqual([]);
    expect((await gateway.patch(id, { attendees: [{ ...odd[0], optional: true }, ...odd.slice(1)] })).problems).toEqual([]);
    expect((await gateway.patch(id, { attendees: [...odd, { email: bob }] })).problems).toEqual([bad('.3.email', 'invalid')]);
    expect((await gateway.patch(id, { attendees: [{ ...odd[0], comment: 'd'.repeat(9000) }] })).problems).toEqual([
      bad('.0.comment', 'tooLong'),
    ]);
    expect((await gateway.patch(id, { attendees: [...odd, { email: 'another wrong one' }] })).problems).toEqual([
      bad('.3.email', 'invalid'),
    ]);
  });
});
