import {
  alice,
  bob,
  carol,
  oneDay,
  documents,
  eve,
  oneHour,
  idOnlyFields,
  sampleCalendars,
  popupReminder,
  type EventJson,
  startEventGateway,
  listPresentFields,
  useEventGateway,
  fritz,
  rita,
  sten,
  wanda,
} from './event.harness.ts';
import { withGuests } from './list.harness.ts';

/** Alice organizes. Bob and Carol are guests with calendars here; Eve has none. */
const invitation = {
  summary: 'Planning',
  attendees: [
    { email: alice, responseStatus: 'accepted' },
    { email: bob },
    { email: carol },
    { email: eve, displayName: 'Eve' },
  ],
};
const defaultReminders = { useDefault: true, overrides: null };

describe('one event on many calendars', () => {
  const carolsFields = { ...oneHour, summary: "Carol's own" };
  const carolsEvents = ['takenid', 'takenlater'].map((id) => ({
    ...carolsFields,
    id,
    iCalUID: `${id}@elsewhere.example`,
  }));
  const organizer = { email: 'they@elsewhere.example' };
  const privateCopyEvent = { ...oneDay, id: 'copied', summary: 'Theirs', privateCopy: true, organizer };
  const seededEvent = { ...oneHour, id: 'seeded', ...withGuests(bob), reminders: popupReminder(25) };
  const gateway = useEventGateway({
    seed: { calendars: sampleCalendars([seededEvent], [privateCopyEvent], carolsEvents) },
  });
  const makeInvitation = async (body: object = {}): Promise<string> =>
    (await gateway.makeEvent({ ...invitation, ...body })).id;
  const readCopies = (id: string) =>
    Promise.all([alice, bob, carol].map((owner) => gateway.readOn(owner, id)));

  test('id and iCalUID are the same on each; self depends on the calendar', async () => {
    const { id, iCalUID } = await gateway.makeEvent(invitation, { as: wanda });
    for (const [calendarId, as] of [
      [alice, alice],
      [alice, rita],
      [bob, bob],
      [bob, wanda],
      [carol, rita],
    ] as const) {
      const { attendees, organizer, creator, ...event } = await gateway.readOn(calendarId, id, as);
      expect(event).toMatchObject({ id, iCalUID, summary: 'Planning' });
      expect(attendees.map(({ self }: EventJson) => self)).toEqual(
        [alice, bob, carol, eve].map((email) => email === calendarId),
      );
      expect(attendees.map((entry: EventJson) => entry.organizer)).toEqual([true, false, false, false]);
      expect(organizer).toMatchObject({ email: alice, self: calendarId === alice });
      expect(creator).toMatchObject({ email: wanda, self: false });
    }
  });

  test("fields of the organizer's own copy are not copied to guests", async () => {
    const ownFields = {
      reminders: popupReminder(7),
      extendedProperties: { private: { a: '1' } },
      colorId: '2',
      transparency: 'transparent',
      visibility: 'public',
    };
    const [alicesCopy, bobsCopy] = await readCopies(await makeInvitation(ownFields));
    expect(alicesCopy).toMatchObject(ownFields);
    expect(bobsCopy).toMatchObject({ reminders: defaultReminders, extendedProperties: null, colorId: null });
    expect(bobsCopy).toMatchObject({ transparency: 'opaque', visibility: 'default' });
  });

  describe('reminders are those of the signed-in user', () => {
    type ReminderViewer = readonly [as: string, calendarId: string];
    const viewers: readonly ReminderViewer[] = [
      [alice, alice],
      [wanda, alice],
      [bob, bob],
      [wanda, bob],
    ];
    const readViews = (id: string, viewersToRead = viewers): Promise<EventJson[]> =>
      Promise.all(viewersToRead.map(([as, calendarId]) => gateway.readOn(calendarId, id, as)));
    const readReminders = async (id: string, viewersToRead = viewers): Promise<EventJson[]> =>
      (await readViews(id, viewersToRead)).map((event) => event.reminders);

    test('by default they are those of the calendar, on each copy', async () => {
      expect(await readReminders(await makeInvitation())).toEqual(viewers.map(() => defaultReminders));
      const seededReminders = await readReminders('seeded', viewers.slice(0, 3));
      expect(seededReminders).toEqual([popupReminder(25), defaultReminders, defaultReminders]);
    });

    test("each user has separate ones on each copy, which change only that user's etag", async () => {
      const id = await makeInvitation();
      for (const [viewerIndex, [as, calendarId]] of viewers.entries()) {
        const before = await readViews(id);
        const event = await gateway.changeEvent(
          id,
          { reminders: popupReminder(viewerIndex) },
          { as, calendarId },
        );
        expect(event.reminders).toEqual(popupReminder(viewerIndex));
        const after = await readViews(id);
        expect(after[viewerIndex].etag).not.toBe(before[viewerIndex].etag);
        expect(after.toSpliced(viewerIndex, 1)).toEqual(before.toSpliced(viewerIndex, 1));
      }
      expect(await readReminders(id)).toEqual(viewers.map((_viewer, turn) => popupReminder(turn)));
      const eventAfterReset = await gateway.changeEvent(
        id,
        { reminders: null },
        { as: wanda, calendarId: bob },
      );
      expect(eventAfterReset.reminders).toEqual(defaultReminders);
      expect(await readReminders(id)).toEqual([...[0, 1, 2].map(popupReminder), defaultReminders]);
    });

    test('those of an insert belong to its caller', async () => {
      const { id } = await gateway.makeEvent({ reminders: popupReminder(9) }, { as: wanda });
      expect(await readReminders(id, viewers.slice(0, 2))).toEqual([defaultReminders, popupReminder(9)]);
    });
  });

  describe('the etag and updated of a copy', () => {
    const owners = [alice, bob, carol];
    test.each<[string, object, string, readonly string[]]>([
      ["the organizer's change of the shared part", { summary: 'Other' }, alice, owners],
      [
        "a guest's response",
        { attendeesOmitted: true, attendees: [{ email: bob, comment: 'Hm' }] },
        bob,
        owners,
      ],
      ["a guest's own colour", { colorId: '3' }, bob, [bob]],
      ["the organizer's own colour", { colorId: '3' }, alice, [alice]],
      ['nothing', {}, alice, []],
      ['the same values', { summary: 'Planning', colorId: null, status: 'confirmed' }, alice, []],
    ])('after %s differ only on the copies that show the change', async (_name, body, as, changedOwners) => {
      const id = await makeInvitation();
      const before = await readCopies(id);
      await gateway.changeEvent(id, body, { as });
      const after = await readCopies(id);
      expect(owners.filter((_owner, index) => after[index]?.etag !== before[index]?.etag)).toEqual(
        changedOwners,
      );
      expect(owners.filter((_owner, index) => after[index]?.updated > before[index]?.updated)).toEqual(
        changedOwners,
      );
      for (const { etag } of after) expect(etag).toMatch(/^"[^"]+"$/);
    });

    test('are new after every change, even while the clock stands still', async () => {
      const frozenGateway = await startEventGateway({ clock: () => Date.UTC(2026, 10, 1) });
      const versions = [await frozenGateway.makeEvent()];
      const reminders = (minutes: number) => ({ reminders: popupReminder(minutes) });
      const [renameToA, renameToB] = [{ summary: 'a' }, { summary: 'b' }];
      for (const change of [
        renameToA,
        reminders(1),
        renameToB,
        reminders(2),
        { colorId: '3' },
        reminders(3),
        reminders(4),
        renameToA,
      ])
        versions.push(await frozenGateway.changeEvent(versions[0].id, change));
      expect(new Set(versions.map(({ etag }) => etag)).size).toBe(9);
      const updateTimes = versions.map(({ updated }) => updated);
      expect(updateTimes).toEqual([...new Set(updateTimes)].sort());
      await frozenGateway.close();
    });
  });

  describe('the guest list', () => {
    test('lets a guest with guestsCanModify restore a deleted copy with another status for all', async () => {
      const { id } = await gateway.makeEvent({ ...withGuests(bob), guestsCanModify: true });
      await gateway.changeEvent(id, { status: 'cancelled' }, { as: bob });
      expect((await gateway.changeEvent(id, { status: 'tentative' }, { as: bob })).status).toBe('tentative');
      expect((await gateway.readOn(alice, id)).status).toBe('tentative');
    });

    test("reduces a removed guest's copy to its id, and restores it with its own fields", async () => {
      const id = await makeInvitation();
      const before = await gateway.changeEvent(id, { colorId: '5' }, { as: bob });
      await gateway.changeEvent(id, { attendees: invitation.attendees.filter(({ email }) => email !== bob) });
      const removedCopy = await gateway.readOn(bob, id);
      expect([listPresentFields(removedCopy), removedCopy.status]).toEqual([idOnlyFields, 'cancelled']);
      expect(removedCopy.etag).not.toBe(before.etag);
      const { problems } = await gateway.patch(id, { status: 'confirmed' }, { as: bob });
      expect(problems).toEqual(['FORBIDDEN event.status forbidden']);
      await gateway.changeEvent(id, { attendees: invitation.attendees });
      const restoredFields = { status: 'confirmed', summary: 'Planning', colorId: '5' };
      expect(await gateway.readOn(bob, id)).toMatchObject(restoredFields);
    });

    test('gives a later guest a copy', async () => {
      const id = await makeInvitation(withGuests(bob));
      expect((await gateway.read(id, { as: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
      await gateway.changeEvent(id, withGuests(bob, carol.toUpperCase()));
      expect(await gateway.readOn(carol, id)).toMatchObject({ id, summary: 'Planning' });
    });

    test.each(['insert', 'patch'])(
      'gives a copy another id if %s finds an event with the same',
      async (operation) => {
        const [id, guestFields] =
          operation === 'insert' ? ['takenid', withGuests(carol)] : ['takenlater', {}];
        const { iCalUID } = await gateway.makeEvent({ id, summary: 'With Carol', ...guestFields });
        if (operation === 'patch') await gateway.changeEvent(id, withGuests(carol));
        expect(await gateway.readOn(carol, id)).toMatchObject({ summary: "Carol's own" });
        const list = `{ result: events(calendarId: "${carol}") { nodes { id iCalUID } } }`;
        const { nodes } = (await gateway.run(list, {}, carol)).event;
        const copies = nodes.filter((node: EventJson) => node.iCalUID === iCalUID);
        expect(copies).toEqual([{ id: expect.stringMatching(/^[a-v0-9]{5,}$/), iCalUID }]);
        expect(copies[0].id).not.toBe(id);
        const comment = { attendeesOmitted: true, attendees: [{ email: carol, comment: 'There' }] };
        await gateway.changeEvent(copies[0].id, { colorId: '1', ...comment }, { as: carol });
        const event = await gateway.readOn(alice, id);
        expect(event).toMatchObject({ colorId: null, attendees: [{ comment: 'There' }] });
      },
    );
  });

  test('a private copy is not copied to guests, and its owner may change all of it', async () => {
    const body = { ...withGuests(alice, carol, eve), privateCopy: true };
    const event = await gateway.makeEvent(body, { as: bob, calendarId: bob });
    expect(event.privateCopy).toBe(true);
    await gateway.changeEvent(event.id, { summary: 'Mine', ...withGuests(carol) }, { as: bob });
    for (const as of [alice, carol])
      expect((await gateway.read(event.id, { as })).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await gateway.changeEvent('copied', { summary: 'Mine' }, { as: bob })).summary).toBe('Mine');
  });

  describe('visibility in single reads and lists', () => {
    const listAllFields = documents.read
      .replace(/\$eventId: String!, .*\) \{/, ') {')
      .replace(/event\(.*\) \{/, 'events(calendarId: $calendarId, first: 2500) { nodes {')
      .concat(' }');
    const readAndExpectInList = async (id: string, as: string, calendarId = alice): Promise<EventJson> => {
      const event = await gateway.readOn(calendarId, id, as);
      const list = await gateway.run(listAllFields, { calendarId }, as);
      expect(list.event.nodes.find((node: EventJson) => node.id === id)).toEqual(event);
      return event;
    };
    const details = {
      location: 'Room 3',
      sequence: 3,
      description: 'Secret',
      extendedProperties: { shared: { a: '1' } },
      ...withGuests(bob),
    };
    const timeFieldNames = [
      ...idOnlyFields,
      'end',
      'endTimeUnspecified',
      'start',
      'transparency',
      'visibility',
    ].sort();

    test.each([
      ['private', alice, 'in full'],
      ['private', wanda, 'in full'],
      ['private', rita, 'by its time only'],
      ['private', fritz, 'by its time only'],
      ['confidential', alice, 'in full'],
      ['confidential', wanda, 'in full'],
      ['confidential', rita, 'by its time only'],
      ['confidential', fritz, 'by its time only'],
      ['default', rita, 'in full'],
      ['public', rita, 'in full'],
      ['public', fritz, 'by its time only'],
    ])('a %s event for %s is shown %s', async (visibility, as, expectedDetail) => {
      const { id } = await gateway.makeEvent({ ...details, summary: 'Planning', visibility });
      const event = await readAndExpectInList(id, as);
      expect(event).toMatchObject({ ...oneHour, status: 'confirmed', visibility, transparency: 'opaque' });
      if (expectedDetail === 'in full') expect(event).toMatchObject({ summary: 'Planning', ...details });
      else expect(listPresentFields(event)).toEqual(timeFieldNames);
    });

    test('a private event is shown in full to a guest who reads the organizer’s calendar', async () => {
      const { id } = await gateway.makeEvent({ ...details, visibility: 'private', ...withGuests(rita) });
      expect(await readAndExpectInList(id, rita)).toMatchObject({ description: 'Secret' });
    });

    test('source is shown to its creator only, on every calendar, and kept when others send the event back', async () => {
      const source = { title: 'Tracker', url: 'https://issues.example.org/1' };
      const body = { source, ...withGuests(bob), guestsCanModify: true };
      const { id } = await gateway.makeEvent(body, { as: wanda });
      for (const calendarId of [alice, bob])
        expect((await readAndExpectInList(id, wanda, calendarId)).source).toEqual(source);
      for (const [as, calendarId] of [[alice], [bob, bob], [rita]] as const)
        expect((await readAndExpectInList(id, as, calendarId)).source).toBeNull();
      for (const as of [alice, bob])
        await gateway.changeEvent(id, { ...(await gateway.readOn(as, id)), summary: as }, { as });
      expect(await readAndExpectInList(id, wanda)).toMatchObject({ source, summary: bob });
    });

    test.each(['patch', 'insert', 'read'] as const)(
      '%s answers a stranger as it does for a calendar that does not exist',
      async (operation) => {
        const id = await makeInvitation();
        const bodyForStranger = async (calendarId: string, eventId: string) => {
          const options = { as: sten, calendarId };
          const { body, problems } = await (operation === 'patch'
            ? gateway.patch(eventId, { summary: 'x' }, options)
            : operation === 'insert'
              ? gateway.insert({}, options)
              : gateway.read(eventId, options));
          expect(problems).toEqual(['NOT_FOUND calendarId notFound']);
          return body.replaceAll(/"requestId":"[^"]*"/g, '');
        };
        const responseForKnownEvent = await bodyForStranger(alice, id);
        expect(await bodyForStranger('nobody@example.com', id)).toBe(responseForKnownEvent);
        expect(await bodyForStranger(alice, 'noevent')).toBe(responseForKnownEvent);
      },
    );
  });
});
