import {
  alice,
  bad,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  hour,
  many,
  people,
  room,
  startEvents,
  withEntry,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { changeBy, guestListWays } from './guest-list-ways.ts';

const full = {
  email: eve,
  displayName: 'Eve',
  comment: 'Perhaps',
  additionalGuests: 2,
  optional: true,
  responseStatus: 'tentative',
  id: 'profile-7',
};
const guests = [
  { email: bob, displayName: 'Bob' },
  full,
  { email: room, resource: true, responseStatus: 'accepted' },
];
const at = (path: string, reason: string) => bad(`attendees${path}`, reason);
const longest = `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}ccc`;

describe('the list of attendees', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const calendars = people([
      {
        id: 'nobodys',
        ...hour,
        organizer: { displayName: 'Boss' },
        creator: { id: 'profile-1' },
        attendees: [{ email: bob }],
      },
    ]);
    gateway = await startEvents({ seed: { calendars } });
  });
  afterAll(() => gateway.close());
  const make = async (attendees: object[] = guests): Promise<string> =>
    (await gateway.make({ attendees })).id;

  test('shows a new guest with defaults, marks the organizer and the calendar that is asked', async () => {
    const { id, attendees } = await gateway.make({ attendees: [{ email: bob }, { email: alice }] });
    const plain = {
      id: null,
      displayName: null,
      comment: null,
      optional: false,
      resource: false,
      responseStatus: 'needsAction',
      additionalGuests: 0,
    };
    expect(attendees).toEqual([
      { email: bob, organizer: false, self: false, ...plain },
      { email: alice, organizer: true, self: true, ...plain },
    ]);
    expect((await gateway.on(bob, id)).attendees).toMatchObject([
      { self: true, organizer: false },
      { self: false, organizer: true },
    ]);
  });

  test('is replaced as a whole, in the order sent; who is not listed is removed', async () => {
    const id = await make();
    expect(
      emails(await gateway.change(id, { attendees: [{ email: room }, { email: carol }, { email: eve }] })),
    ).toEqual([room, carol, eve]);
    expect((await gateway.change(id, { attendees: [] })).attendees).toEqual([]);
    expect((await gateway.change(id, { attendees: null })).attendees).toBeNull();
  });

  test('can be emptied by a guest; what that guest sees then goes back in as it is', async () => {
    const { id } = await gateway.make({ guestsCanModify: true, attendees: guests });
    const left = await gateway.change(id, { attendees: [] }, { as: bob });
    expect(left).toMatchObject({ status: 'cancelled', attendees: null });
    expect(await gateway.change(id, left, { as: bob })).toEqual(left);
    expect((await gateway.on(alice, id)).attendees).toEqual([]);
  });

  describe.each(guestListWays)('said by %s:', (_way, patchBy) => {
    const patch = patchBy(() => gateway);
    const change = changeBy(patch);

    describe('an entry that is listed again', () => {
      test.each([
        ['displayName', 'Evelyn', null],
        ['comment', 'Sure', null],
        ['additionalGuests', 5, 0],
        ['optional', false, false],
        ['responseStatus', 'declined', 'needsAction'],
        ['id', 'profile-8', null],
      ])(
        '%s: absent keeps the stored value, null clears it, a value replaces it',
        async (field, value, cleared) => {
          const made = await gateway.make({ attendees: guests });
          const { id } = made;
          const others = guests.filter(({ email }) => email !== eve);
          expect(await change(id, { attendees: guests.map(({ email }) => ({ email })) })).toEqual(made);
          const cleaned = await change(id, { attendees: [...others, { email: eve, [field]: null }] });
          expect(entryOf(cleaned, eve)).toMatchObject({ ...full, [field]: cleared });
          const replaced = await change(id, {
            attendees: [...others, { email: 'EVE@Elsewhere.example', [field]: value }],
          });
          expect(replaced.attendees.find(({ email }: Shown) => email.toLowerCase() === eve)).toMatchObject({
            ...full,
            email: expect.stringMatching(/^eve@/i),
            [field]: value,
          });
        },
      );

      test('names of guests alone, with one guest more, lose nothing of the others', async () => {
        const id = await make();
        const { attendees } = await change(id, {
          attendees: [...guests.map(({ email }) => ({ email })), { email: carol }],
        });
        expect(attendees).toMatchObject([...guests, { email: carol }]);
      });

      test('after it was removed is a new one', async () => {
        const id = await make();
        await change(id, { attendees: [] });
        const { attendees } = await change(id, { attendees: [{ email: eve }] });
        expect(attendees).toMatchObject([
          { responseStatus: 'needsAction', comment: null, displayName: null, optional: false },
        ]);
      });
    });

    describe('addresses', () => {
      test.each<[string, (object | null)[], string[]]>([
        ['the same twice', [{ email: bob }, { email: eve }, { email: bob }], [at('.2.email', 'invalid')]],
        [
          'the same in another case',
          [{ email: bob }, { email: 'Bob@EXAMPLE.com' }],
          [at('.1.email', 'invalid')],
        ],
        ['none', [{ email: bob }, { displayName: 'Carol' }], [at('.1.email', 'required')]],
        ['null', [{ email: null }], [at('.0.email', 'required')]],
        ['an entry of null', [{ email: bob }, null], [at('.1', 'required')]],
        [
          'no address',
          [{ email: 'Bob' }, { email: '' }],
          [at('.0.email', 'invalid'), at('.1.email', 'invalid')],
        ],
        ['a name beside it', [{ email: 'Bob <bob@example.com>' }], [at('.0.email', 'invalid')]],
        ['a line break', [{ email: 'bob@example.com\r\nBcc: all@example.com' }], [at('.0.email', 'invalid')]],
        [
          'one that was made up for somebody without',
          [{ email: bob }, { email: 'organizer@no-email.invalid', displayName: 'Boss' }],
          [at('.1.email', 'invalid')],
        ],
        [
          'two that were made up',
          [
            { email: 'profile-8@no-email.invalid', id: 'profile-8' },
            { email: 'a@no-email.invalid', resource: true },
          ],
          [at('.0.email', 'invalid'), at('.1.email', 'invalid')],
        ],
        ['255 octets', [{ email: `${longest}c` }], [at('.0.email', 'invalid')]],
      ])('%s: refused, and nothing is stored', async (_name, attendees, problems) => {
        const id = await make();
        const before = await gateway.on(alice, id);
        expect((await patch(id, { attendees })).problems).toEqual(problems);
        expect(await gateway.on(alice, id)).toEqual(before);
        expect((await gateway.insert({ ...hour, attendees })).problems).toEqual(problems);
      });
    });

    test('resource is settled when a guest is new; later it is ignored with a warning, whatever the case of the address', async () => {
      const { id, attendees } = await gateway.make({ attendees: guests });
      const sent = [
        { email: 'BOB@example.com', resource: true },
        { email: eve },
        { email: room, resource: false },
      ];
      const answer = await patch(id, { attendees: sent });
      expect(answer.notes).toEqual([
        'event.attendees.0.resource ignored',
        'event.attendees.2.resource ignored',
      ]);
      expect(answer.event.attendees).toMatchObject([
        { resource: false },
        { resource: false },
        { resource: true },
      ]);
      const more = [...attendees, { email: 'room4@resource.example', resource: true }];
      expect((await change(id, { attendees: more })).attendees.at(-1)).toMatchObject({ resource: true });
    });
  });

  describe('addresses', () => {
    test('that were made up are told what they are, and what to send instead', async () => {
      const message =
        "Addresses at no-email.invalid are made up for people without one (alwaysIncludeEmail) and receive no mail. Give this guest's own address, or leave the guest out.";
      const attendees = [{ email: bob }, { email: 'organizer@no-email.invalid' }];
      const issues = [{ path: ['event', 'attendees', 1, 'email'], reason: 'invalid', message }];
      expect((await gateway.insert({ ...hour, attendees })).errors?.[0]?.extensions.issues).toEqual(issues);
      expect((await gateway.patch(await make(), { attendees })).errors?.[0]?.extensions.issues).toEqual(
        issues,
      );
    });

    test.each(['"quoted @ part"@example.org', 'grüße@müller.example', longest])(
      '%s is one',
      async (email) => {
        expect((await gateway.make({ attendees: [{ email }] })).attendees).toMatchObject([{ email }]);
      },
    );

    test('under .invalid stand for none where the client asks for it, and are no difference when they come back', async () => {
      const { event } = await gateway.read('nobodys', { alwaysIncludeEmail: true });
      for (const person of [event.organizer, event.creator])
        expect(person.email).toMatch(/^[^@]+@[^@]*\.invalid$/);
      expect(await gateway.change('nobodys', event, { alwaysIncludeEmail: true })).toEqual(event);
      expect(await gateway.on(alice, 'nobodys')).toMatchObject({
        organizer: { email: null },
        creator: { email: null },
      });
    });
  });

  describe('attendeesOmitted: true', () => {
    const all = [{ email: alice, additionalGuests: 1 }, ...guests];
    const own = { email: 'ALICE@example.com', responseStatus: 'accepted', comment: 'On my way' };
    test.each<[string, object[] | null, string[], object]>([
      [
        'the own entry is applied, null clears',
        [{ ...own, additionalGuests: null }],
        [],
        { ...own, email: alice, additionalGuests: 0 },
      ],
      [
        'others are ignored, with a warning where they differ',
        [{ email: eve, responseStatus: 'declined' }, own, { email: bob }, { email: carol }],
        ['.0', '.3'],
        { comment: 'On my way' },
      ],
      [
        'other fields of the own entry are ignored',
        [{ ...own, displayName: 'Al', optional: true }],
        ['.0.displayName', '.0.optional'],
        { comment: 'On my way', displayName: null },
      ],
      ['an entry without an address is ignored', [{}], ['.0'], {}],
      [
        'a stranger twice is ignored twice',
        [{ email: 'stranger@elsewhere.example' }, { email: 'Stranger@elsewhere.example' }],
        ['.0', '.1'],
        {},
      ],
      ['null removes nobody', null, [''], {}],
      ['an empty list removes nobody', [], [], {}],
    ])('%s', async (_name, attendees, ignored, shown) => {
      const id = await make(all);
      const { event, notes, problems } = await gateway.patch(id, { attendeesOmitted: true, attendees });
      expect(problems).toEqual([]);
      expect(notes.toSorted()).toEqual(ignored.map((path) => `event.attendees${path} ignored`));
      expect(event).toMatchObject({
        attendeesOmitted: false,
        attendees: [{ ...shown, email: expect.stringMatching(/^alice@/i) }, ...guests],
      });
    });

    test('in an insert the list is complete all the same: a warning', async () => {
      const { notes, event } = await gateway.insert({
        ...hour,
        attendeesOmitted: true,
        attendees: [{ email: bob }],
      });
      expect([notes, emails(event)]).toEqual([['event.attendeesOmitted ignored'], [bob]]);
    });

    test('an issue of the own entry has the path at which it was sent', async () => {
      const attendees = [{ email: bob }, { email: alice, additionalGuests: -1 }];
      expect((await gateway.patch(await make(all), { attendeesOmitted: true, attendees })).problems).toEqual([
        at('.1.additionalGuests', 'invalid'),
      ]);
    });

    test('201 entries are too many', async () => {
      const attendees = many(201, (index) => ({ email: `guest${index}@elsewhere.example` }));
      expect((await gateway.patch(await make(all), { attendeesOmitted: true, attendees })).problems).toEqual([
        at('', 'tooMany'),
      ]);
    });

    test('the own entry twice is an error', async () => {
      const attendees = [
        { email: alice, responseStatus: 'accepted' },
        { email: 'Alice@example.com', responseStatus: 'declined' },
      ];
      expect((await gateway.patch(await make(all), { attendeesOmitted: true, attendees })).problems).toEqual([
        at('.1.email', 'invalid'),
      ]);
    });
  });

  describe('maxAttendees', () => {
    test('of none is an error, in a read and in a patch', async () => {
      const id = await make(guests);
      for (const { problems } of [
        await gateway.read(id, { maxAttendees: 0 }),
        await gateway.patch(id, {}, { maxAttendees: 0 }),
      ])
        expect(problems).toEqual(['BAD_USER_INPUT maxAttendees invalid']);
    });

    const three = [alice, bob, carol].map((email) => ({ email }));
    test.each([
      [1, alice, [alice], true],
      [2, bob, [bob], true],
      [3, alice, [alice, bob, carol], false],
      [4, bob, [alice, bob, carol], false],
    ] as const)('%i of three, on the calendar of %s', async (maxAttendees, as, shown, omitted) => {
      const id = await make(three);
      for (const { event } of [
        await gateway.read(id, { as, maxAttendees }),
        await gateway.patch(id, {}, { as, maxAttendees }),
      ]) {
        expect([emails(event), event.attendeesOmitted]).toEqual([shown, omitted]);
      }
    });

    test('what it cut goes back without removing anybody, and one who does not take part sees no entry', async () => {
      const id = await make(three);
      const { event } = await gateway.read(id, { maxAttendees: 1 });
      await gateway.change(id, { ...event, summary: 'Other' });
      expect(emails(await gateway.on(bob, id))).toEqual([alice, bob, carol]);
      const cut = (await gateway.read(await make([{ email: bob }, { email: carol }]), { maxAttendees: 1 }))
        .event;
      expect(cut).toMatchObject({ attendees: [], attendeesOmitted: true });
    });
  });
});

describe.each(guestListWays)('the answer of a guest, said by %s,', (_way, patchBy) => {
  let gateway: EventGateway;
  const patch = patchBy(() => gateway);
  const change = changeBy(patch);
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());
  const accepted = { responseStatus: 'accepted', comment: 'Sure', additionalGuests: 1 };
  const unanswered = { responseStatus: 'needsAction', comment: null, additionalGuests: 0 };
  const answered = ['responseStatus', 'comment', 'additionalGuests'];
  const ignoredAt = (index: number) =>
    answered.map((field) => `event.attendees.${index}.${field} ignored`).sort();
  const listed = [
    { email: alice, ...accepted },
    { email: bob },
    { email: carol },
    { email: eve, ...accepted },
    { email: room, resource: true, ...accepted },
  ];

  test('who has a calendar here is that guest’s alone; the organizer keeps those of all others, rooms included', async () => {
    const { event, notes } = await gateway.insert({
      ...hour,
      attendees: listed.map((entry) => ({ ...entry, ...accepted })),
    });
    expect(notes.toSorted()).toEqual([...ignoredAt(1), ...ignoredAt(2)]);
    expect(event.attendees).toMatchObject([accepted, unanswered, unanswered, accepted, accepted]);
    const declined = { responseStatus: 'declined', comment: null };
    const patched = await patch(event.id, { attendees: listed.map(({ email }) => ({ email, ...declined })) });
    expect(patched.notes).toEqual([
      'event.attendees.1.responseStatus ignored',
      'event.attendees.2.responseStatus ignored',
    ]);
    expect(patched.event.attendees.map((entry: Shown) => entry.responseStatus)).toEqual([
      'declined',
      'needsAction',
      'needsAction',
      'declined',
      'declined',
    ]);
  });

  test('stays when somebody else sends null, and is no difference when it is sent back as it is', async () => {
    const { id } = await gateway.make({ attendees: listed });
    await change(id, { attendeesOmitted: true, attendees: [{ email: bob, ...accepted }] }, { as: bob });
    const event = await gateway.on(alice, id);
    expect(await change(id, { attendees: event.attendees })).toEqual(event);
    const cleared = await patch(id, withEntry(event, bob, { responseStatus: null }));
    expect([cleared.event, cleared.notes]).toEqual([event, ['event.attendees.1.responseStatus ignored']]);
  });

  test('is given with address and response of everybody, the own address in any case, as it is with the own entry alone', async () => {
    for (const as of [bob, carol]) {
      const { id } = await gateway.make({ attendees: listed });
      const { attendees } = await gateway.on(as, id);
      const brief = attendees.map(({ email, self, responseStatus }: Shown) =>
        self ? { email: email.toUpperCase(), ...accepted } : { email, responseStatus },
      );
      await change(id, { attendees: brief }, { as });
      for (const viewer of [alice, bob, carol]) {
        const entry = (await gateway.on(viewer, id)).attendees.find(
          ({ email }: Shown) => email.toLowerCase() === as,
        );
        expect(entry).toMatchObject({ ...accepted, self: viewer === as });
      }
    }
  });

  test('is needsAction again for one who was taken off and comes back', async () => {
    const { id } = await gateway.make({ attendees: listed });
    await change(id, { attendeesOmitted: true, attendees: [{ email: bob, ...accepted }] }, { as: bob });
    await change(id, { attendees: [] });
    expect((await change(id, { attendees: [{ email: bob }] })).attendees).toMatchObject([unanswered]);
  });

  test('is declined, for the organizer, while the guest’s copy is deleted', async () => {
    const before = await gateway.make({ attendees: listed });
    await change(
      before.id,
      { attendeesOmitted: true, attendees: [{ email: bob, ...accepted }] },
      { as: bob },
    );
    await change(before.id, { status: 'cancelled' }, { as: bob });
    const seen = await gateway.on(alice, before.id);
    expect([entryOf(seen, bob).responseStatus, seen.status]).toEqual(['declined', 'confirmed']);
    expect(seen.etag).not.toBe(before.etag);
    expect(await change(before.id, seen)).toEqual(seen);
  });
});
