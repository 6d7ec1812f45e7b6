import {
  alice,
  bob,
  carol,
  emailsOf,
  guestEntryOf,
  eve,
  oneHour,
  makeMany,
  sampleCalendars,
  room,
  withChangedGuest,
  type EventJson,
  useEventGateway,
} from './event.harness.ts';
import { expectChangeBy, guestListMethods } from './guest-list-methods.ts';

const fullEntry = {
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
  fullEntry,
  { email: room, resource: true, responseStatus: 'accepted' },
];
const longestAddress = `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}ccc`;

describe('the list of attendees', () => {
  const peopleWithoutEmails = { organizer: { displayName: 'Boss' }, creator: { id: 'profile-1' } };
  const eventWithoutEmails = {
    id: 'nobodys',
    ...oneHour,
    ...peopleWithoutEmails,
    attendees: [{ email: bob }],
  };
  const gateway = useEventGateway({ seed: { calendars: sampleCalendars([eventWithoutEmails]) } });
  const makeEventWithGuests = async (attendees: object[] = guests): Promise<string> =>
    (await gateway.makeEvent({ attendees })).id;

  test("shows a new guest with defaults, and marks the organizer and the calendar's own entry", async () => {
    const { id, attendees } = await gateway.makeEvent({ attendees: [{ email: bob }, { email: alice }] });
    const nullFields = { id: null, displayName: null, comment: null };
    const initialFields = {
      optional: false,
      resource: false,
      responseStatus: 'needsAction',
      additionalGuests: 0,
    };
    expect(attendees).toEqual([
      { ...nullFields, ...initialFields, email: bob, organizer: false, self: false },
      { ...nullFields, ...initialFields, email: alice, organizer: true, self: true },
    ]);
    expect((await gateway.readOn(bob, id)).attendees).toMatchObject([
      { self: true, organizer: false },
      { self: false, organizer: true },
    ]);
  });

  test('is replaced as a whole, in the order sent, and removes guests who are not listed', async () => {
    const id = await makeEventWithGuests();
    const otherEmails = [room, carol, eve];
    const attendees = otherEmails.map((email) => ({ email }));
    expect(emailsOf(await gateway.changeEvent(id, { attendees }))).toEqual(otherEmails);
    expect((await gateway.changeEvent(id, { attendees: [] })).attendees).toEqual([]);
    expect((await gateway.changeEvent(id, { attendees: null })).attendees).toBeNull();
  });

  test('can be emptied by a guest, who may send back the resulting event unchanged', async () => {
    const { id } = await gateway.makeEvent({ guestsCanModify: true, attendees: guests });
    const emptiedEvent = await gateway.changeEvent(id, { attendees: [] }, { as: bob });
    expect(emptiedEvent).toMatchObject({ status: 'cancelled', attendees: null });
    expect(await gateway.changeEvent(id, emptiedEvent, { as: bob })).toEqual(emptiedEvent);
    expect((await gateway.readOn(alice, id)).attendees).toEqual([]);
  });

  describe.each(guestListMethods)('changed by %s:', (_case, patchBy) => {
    const patch = patchBy(gateway);
    const change = expectChangeBy(patch);

    describe('an entry that is listed again', () => {
      test.each([
        ['displayName', 'Evelyn', null],
        ['comment', 'Sure', null],
        ['additionalGuests', 5, 0],
        ['optional', false, false],
        ['responseStatus', 'declined', 'needsAction'],
        ['id', 'profile-8', null],
      ])(
        'keeps its %s if absent, clears it with null, and takes another value',
        async (field, value, clearedValue) => {
          const inserted = await gateway.makeEvent({ attendees: guests });
          const { id } = inserted;
          const otherGuests = guests.filter(({ email }) => email !== eve);
          expect(await change(id, { attendees: guests.map(({ email }) => ({ email })) })).toEqual(inserted);
          const eventAfterNull = await change(id, {
            attendees: [...otherGuests, { email: eve, [field]: null }],
          });
          expect(guestEntryOf(eventAfterNull, eve)).toMatchObject({ ...fullEntry, [field]: clearedValue });
          const entry = { email: 'EVE@Elsewhere.example', [field]: value };
          const { attendees } = await change(id, { attendees: [...otherGuests, entry] });
          const email = expect.stringMatching(/^eve@/i);
          expect(attendees).toContainEqual(expect.objectContaining({ ...fullEntry, email, [field]: value }));
        },
      );

      test('is a new entry if it was removed before', async () => {
        const id = await makeEventWithGuests();
        await change(id, { attendees: [] });
        const { attendees } = await change(id, { attendees: [{ email: eve }] });
        const newEntry = { responseStatus: 'needsAction', comment: null, displayName: null, optional: false };
        expect(attendees).toMatchObject([newEntry]);
      });
    });

    describe('addresses', () => {
      const placeholder = { email: 'organizer@no-email.invalid', displayName: 'Boss' };
      const profilePlaceholder = { email: 'profile-8@no-email.invalid', id: 'profile-8' };
      test.each<[string, (object | null)[], ...string[]]>([
        ['a duplicate', [{ email: bob }, { email: eve }, { email: bob }], '2.email invalid'],
        ['a duplicate in another case', [{ email: bob }, { email: 'Bob@EXAMPLE.com' }], '1.email invalid'],
        ['an entry without an address', [{ email: bob }, { displayName: 'Carol' }], '1.email required'],
        ['null as an address', [{ email: null }], '0.email required'],
        ['a null entry', [{ email: bob }, null], '1 required'],
        ['invalid syntax', [{ email: 'Bob' }, { email: '' }], '0.email invalid', '1.email invalid'],
        ['a name beside the address', [{ email: 'Bob <bob@example.com>' }], '0.email invalid'],
        ['a line break', [{ email: 'bob@example.com\r\nBcc: all@example.com' }], '0.email invalid'],
        ['a placeholder for a person without an address', [{ email: bob }, placeholder], '1.email invalid'],
        ['a placeholder for a resource', [{ ...placeholder, resource: true }], '0.email invalid'],
        ['a placeholder for a profile', [profilePlaceholder], '0.email invalid'],
        ['more than 254 octets', [{ email: `${longestAddress}c` }], '0.email invalid'],
      ])('with %s are refused, and nothing is stored', async (_name, attendees, ...problems) => {
        const expected = problems.map((problem) => `attendees.${problem}`);
        const id = await makeEventWithGuests();
        const before = await gateway.readOn(alice, id);
        const expectedProblems = expected.map((problem) => `BAD_USER_INPUT event.${problem}`);
        expect((await patch(id, { attendees })).problems).toEqual(expectedProblems);
        expect(await gateway.readOn(alice, id)).toEqual(before);
        await gateway.expectInsertRefused({ attendees }, expected);
      });
    });

    test('resource is set when a guest is added; later changes are ignored with a warning', async () => {
      const { id, attendees } = await gateway.makeEvent({ attendees: guests });
      const bobAsResource = { email: 'BOB@example.com', resource: true };
      const entries = [bobAsResource, { email: eve }, { email: room, resource: false }];
      const outcome = await patch(id, { attendees: entries });
      expect(outcome.warningTexts).toEqual(
        [0, 2].map((index) => `event.attendees.${index}.resource ignored`),
      );
      expect(outcome.event.attendees.map(({ resource }: EventJson) => resource)).toEqual([
        false,
        false,
        true,
      ]);
      const entriesWithNewRoom = [...attendees, { email: 'room4@resource.example', resource: true }];
      expect((await change(id, { attendees: entriesWithNewRoom })).attendees.at(-1)).toMatchObject({
        resource: true,
      });
    });
  });

  describe('addresses', () => {
    test('at no-email.invalid are refused with an explanation', async () => {
      const message =
        "Addresses at no-email.invalid are generated for people without one (alwaysIncludeEmail) and receive no mail. Send this guest's real address, or leave the guest out.";
      const attendees = [{ email: bob }, { email: 'organizer@no-email.invalid' }];
      const issues = [{ path: ['event', 'attendees', 1, 'email'], reason: 'invalid', message }];
      const inserted = await gateway.insert({ ...oneHour, attendees });
      for (const { errors } of [inserted, await gateway.patch(await makeEventWithGuests(), { attendees })])
        expect(errors?.[0]?.extensions.issues).toEqual(issues);
    });

    test.each(['"quoted @ part"@example.org', 'grüße@müller.example', longestAddress])(
      '%s are accepted',
      async (email) => {
        expect((await gateway.makeEvent({ attendees: [{ email }] })).attendees).toMatchObject([{ email }]);
      },
    );

    test('at no-email.invalid replace missing ones with alwaysIncludeEmail, and may be sent back', async () => {
      const { event } = await gateway.read('nobodys', { alwaysIncludeEmail: true });
      for (const person of [event.organizer, event.creator])
        expect(person.email).toMatch(/^[^@]+@[^@]*\.invalid$/);
      expect(await gateway.changeEvent('nobodys', event, { alwaysIncludeEmail: true })).toEqual(event);
      const withoutAddress = { organizer: { email: null }, creator: { email: null } };
      expect(await gateway.readOn(alice, 'nobodys')).toMatchObject(withoutAddress);
    });
  });

  describe('attendeesOmitted: true', () => {
    const allGuests = [{ email: alice, additionalGuests: 1 }, ...guests];
    const ownEntry = { email: 'ALICE@example.com', responseStatus: 'accepted', comment: 'On my way' };
    const stranger = 'stranger@elsewhere.example';
    const evesEntry = { email: eve, responseStatus: 'declined' };
    const appliedComment = { comment: 'On my way' };
    const clearedEntry = { ...ownEntry, email: alice, additionalGuests: 0 };
    test.each<[string, object[] | null, string[], object]>([
      [
        "the caller's own entry is applied, and null clears a field",
        [{ ...ownEntry, additionalGuests: null }],
        [],
        clearedEntry,
      ],
      [
        'entries of others are ignored, with warnings if they differ',
        [evesEntry, ownEntry, { email: bob }, { email: carol }],
        ['.0', '.3'],
        appliedComment,
      ],
      [
        "the caller's displayName is ignored with a warning",
        [{ ...ownEntry, displayName: 'Al' }],
        ['.0.displayName'],
        appliedComment,
      ],
      [
        "the caller's optional is ignored with a warning",
        [{ ...ownEntry, optional: true }],
        ['.0.optional'],
        appliedComment,
      ],
      ['an entry without an address is ignored with a warning', [{}], ['.0'], {}],
      [
        'duplicate entries of a stranger are ignored with warnings',
        [{ email: stranger }, { email: 'S' + stranger.slice(1) }],
        ['.0', '.1'],
        {},
      ],
      ['null removes nobody, with a warning', null, [''], {}],
      ['an empty list removes nobody', [], [], {}],
    ])('%s', async (_name, attendees, ignoredPaths, visibleFields) => {
      const id = await makeEventWithGuests(allGuests);
      const { event, warningTexts, problems } = await gateway.patch(id, {
        attendeesOmitted: true,
        attendees,
      });
      expect(problems).toEqual([]);
      expect(warningTexts.toSorted()).toEqual(ignoredPaths.map((path) => `event.attendees${path} ignored`));
      const ownEntryAfter = { displayName: null, ...visibleFields, email: expect.stringMatching(/^alice@/i) };
      expect(event).toMatchObject({ attendeesOmitted: false, attendees: [ownEntryAfter, ...guests] });
    });

    test('is ignored in an insert, with a warning', async () => {
      const body = { ...oneHour, attendeesOmitted: true, attendees: [{ email: bob }] };
      const { warningTexts, event } = await gateway.insert(body);
      expect([warningTexts, emailsOf(event)]).toEqual([['event.attendeesOmitted ignored'], [bob]]);
    });

    const negativeCount = { email: alice, additionalGuests: -1 };
    const ownEntryTwice = [
      { email: alice, responseStatus: 'accepted' },
      { email: 'Alice@example.com', responseStatus: 'declined' },
    ];
    test.each<[string, object[], string]>([
      ['an invalid entry', [{ email: bob }, negativeCount], '.1.additionalGuests invalid'],
      [
        'a list of 201 entries',
        makeMany(201, (index) => ({ email: `guest${index}@elsewhere.example` })),
        ' tooMany',
      ],
      ['the caller’s own entry twice', ownEntryTwice, '.1.email invalid'],
    ])('%s is reported at its path', async (_name, attendees, problem) => {
      const body = { attendeesOmitted: true, attendees };
      await gateway.expectPatchRefused(await makeEventWithGuests(allGuests), body, [`attendees${problem}`]);
    });
  });

  describe('maxAttendees', () => {
    test('of 0 is an error in a read and a patch', async () => {
      const id = await makeEventWithGuests(guests);
      const expected = ['BAD_USER_INPUT maxAttendees invalid'];
      expect((await gateway.read(id, { maxAttendees: 0 })).problems).toEqual(expected);
      await gateway.expectPatchRefused(id, {}, expected, { maxAttendees: 0 });
    });

    const threeGuests = [alice, bob, carol].map((email) => ({ email }));
    test.each([
      [1, alice, [alice], true],
      [2, bob, [bob], true],
      [3, alice, [alice, bob, carol], false],
      [4, bob, [alice, bob, carol], false],
    ] as const)(
      'of %i, for three guests on the calendar of %s, shows %j',
      async (maxAttendees, as, emails, isShortened) => {
        const id = await makeEventWithGuests(threeGuests);
        const options = { as, maxAttendees };
        for (const { event } of [await gateway.read(id, options), await gateway.patch(id, {}, options)])
          expect([emailsOf(event), event.attendeesOmitted]).toEqual([emails, isShortened]);
      },
    );

    test('shortens a list that may be sent back without removing guests', async () => {
      const id = await makeEventWithGuests(threeGuests);
      const { event } = await gateway.read(id, { maxAttendees: 1 });
      await gateway.changeEvent(id, { ...event, summary: 'Other' });
      expect(emailsOf(await gateway.readOn(bob, id))).toEqual([alice, bob, carol]);
      const listWithoutAlice = await makeEventWithGuests([{ email: bob }, { email: carol }]);
      const { event: shortenedEvent } = await gateway.read(listWithoutAlice, { maxAttendees: 1 });
      expect(shortenedEvent).toMatchObject({ attendees: [], attendeesOmitted: true });
    });
  });
});

describe.each(guestListMethods)('the response of a guest, sent by %s,', (_case, patchBy) => {
  const gateway = useEventGateway();
  const patch = patchBy(gateway);
  const change = expectChangeBy(patch);
  const acceptedResponse = { responseStatus: 'accepted', comment: 'Sure', additionalGuests: 1 };
  const noResponse = { responseStatus: 'needsAction', comment: null, additionalGuests: 0 };
  const responseFields = ['responseStatus', 'comment', 'additionalGuests'];
  const ignoredWarningsAt = (index: number) =>
    responseFields.map((field) => `event.attendees.${index}.${field} ignored`).sort();
  const bobsResponse = { attendeesOmitted: true, attendees: [{ email: bob, ...acceptedResponse }] };
  const initialGuests = [
    { email: alice, ...acceptedResponse },
    { email: bob },
    { email: carol },
    { email: eve, ...acceptedResponse },
    { email: room, resource: true, ...acceptedResponse },
  ];

  test('belongs to the guest if the guest has a calendar here; the organizer responds for all others, including rooms', async () => {
    const attendees = initialGuests.map((entry) => ({ ...entry, ...acceptedResponse }));
    const { event, warningTexts } = await gateway.insert({ ...oneHour, attendees });
    expect(warningTexts.toSorted()).toEqual([...ignoredWarningsAt(1), ...ignoredWarningsAt(2)]);
    expect(event.attendees).toMatchObject([
      acceptedResponse,
      noResponse,
      noResponse,
      acceptedResponse,
      acceptedResponse,
    ]);
    const declinedResponse = { responseStatus: 'declined', comment: null };
    const responses = initialGuests.map(({ email }) => ({ email, ...declinedResponse }));
    const patchOutcome = await patch(event.id, { attendees: responses });
    expect(patchOutcome.warningTexts).toEqual(
      [1, 2].map((index) => `event.attendees.${index}.responseStatus ignored`),
    );
    const statuses = patchOutcome.event.attendees.map((entry: EventJson) => entry.responseStatus).join(' ');
    expect(statuses).toBe('declined needsAction needsAction declined declined');
  });

  test('is kept when another caller sends null, and may be sent back unchanged', async () => {
    const { id } = await gateway.makeEvent({ attendees: initialGuests });
    await change(id, bobsResponse, { as: bob });
    const event = await gateway.readOn(alice, id);
    expect(await change(id, { attendees: event.attendees })).toEqual(event);
    const clearOutcome = await patch(id, withChangedGuest(event, bob, { responseStatus: null }));
    expect([clearOutcome.event, clearOutcome.warningTexts]).toEqual([
      event,
      ['event.attendees.1.responseStatus ignored'],
    ]);
  });

  test('may be sent with the whole list, with the own address in any case', async () => {
    for (const as of [bob, carol]) {
      const { id } = await gateway.makeEvent({ attendees: initialGuests });
      const { attendees } = await gateway.readOn(as, id);
      const changedEntries = attendees.map(({ email, self, responseStatus }: EventJson) =>
        self ? { email: email.toUpperCase(), ...acceptedResponse } : { email, responseStatus },
      );
      await change(id, { attendees: changedEntries }, { as });
      for (const viewer of [alice, bob, carol]) {
        const { attendees: visibleEntries } = await gateway.readOn(viewer, id);
        const entry = visibleEntries.find(({ email }: EventJson) => email.toLowerCase() === as);
        expect(entry).toMatchObject({ ...acceptedResponse, self: viewer === as });
      }
    }
  });

  test('is needsAction again after removal and another invitation', async () => {
    const { id } = await gateway.makeEvent({ attendees: initialGuests });
    await change(id, bobsResponse, { as: bob });
    await change(id, { attendees: [] });
    expect((await change(id, { attendees: [{ email: bob }] })).attendees).toMatchObject([noResponse]);
  });

  test('is declined for the organizer while the guest’s copy is deleted', async () => {
    const before = await gateway.makeEvent({ attendees: initialGuests });
    await change(before.id, bobsResponse, { as: bob });
    await change(before.id, { status: 'cancelled' }, { as: bob });
    const alicesEvent = await gateway.readOn(alice, before.id);
    expect([guestEntryOf(alicesEvent, bob).responseStatus, alicesEvent.status]).toEqual([
      'declined',
      'confirmed',
    ]);
    expect(alicesEvent.etag).not.toBe(before.etag);
    expect(await change(before.id, alicesEvent)).toEqual(alicesEvent);
  });
});
