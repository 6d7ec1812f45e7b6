import {
  alice,
  bob,
  carol,
  emailsOf,
  guestEntryOf,
  eve,
  oneHour,
  popupReminder,
  type EventJson,
  fritz,
  rita,
  wanda,
} from './event.harness.ts';
import {
  responseOf,
  withHiddenGuests,
  dailySeries,
  withGuests,
  hourAt,
  instanceIdsOn,
  listAllEvents,
  instanceIdOn,
} from './list.harness.ts';
import { stores } from '../stores.ts';

const reminders = popupReminder(3);

describe.each(stores)('visibility in lists and syncs, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const listFor = (as: string, args = '', calendarId = as) => listAllEvents(gateway, as, args, calendarId);
  const listIds = async (...args: Parameters<typeof listFor>): Promise<string[]> =>
    (await listFor(...args)).ids;
  const readSyncToken = async (as: string): Promise<string> => (await listFor(as)).syncToken;
  const changeEvent = (id: string, body: object, as = alice): Promise<EventJson> =>
    gateway.changeEvent(id, body, { as });
  const makeSeries = async (...bodies: object[]): Promise<string> =>
    (await gateway.makeEvent(Object.assign({}, dailySeries, ...bodies) as object)).id;

  test.each([
    ['a reader', rita, 'singleEvents: true'],
    ['a reader', rita, 'showDeleted: true'],
    ['a reader', rita, 'singleEvents: true, orderBy: startTime'],
    ['a free/busy reader', fritz, 'singleEvents: true'],
    ['a free/busy reader', fritz, 'singleEvents: true, orderBy: updated'],
  ])('%s (%s) finds no private event by its iCalUID (%s)', async (_role, as, args) => {
    const privateFields = { visibility: 'private' };
    const [privateSeries, privateEvent, publicSeries] = [
      await gateway.makeEvent({ ...dailySeries, ...privateFields }),
      await gateway.makeEvent(privateFields),
      await gateway.makeEvent(dailySeries),
    ];
    const findByUid = ({ iCalUID }: EventJson, caller = as) =>
      listIds(caller, `${args}, iCalUID: "${iCalUID}"`, alice);
    expect([await findByUid(privateSeries), await findByUid(privateEvent)]).toEqual([[], []]);
    // A free/busy reader finds no event by its iCalUID.
    expect((await findByUid(publicSeries)).length > 0).toBe(as === rita);
    expect((await findByUid(privateSeries, alice)).length).toBeGreaterThan(0);
  });

  describe('a removed guest', () => {
    test.each([
      ['an event', oneHour, ''],
      ['a series', dailySeries, ''],
      ['a series as single events', dailySeries, 'singleEvents: true, '],
    ])('finds the tombstone of %s by its last time, not by its iCalUID', async (_name, times, moreArgs) => {
      const { id, iCalUID } = await gateway.makeEvent({ ...times, ...withGuests(bob, carol) });
      await changeEvent(id, withGuests(carol));
      const listBefore = await listFor(bob, `${moreArgs}showDeleted: true`);
      await changeEvent(id, hourAt('2026-12-24', 10));
      const rangeOn = (date: string) => `timeMin: "${date}T00:00:00Z", timeMax: "${date}T23:00:00Z"`;
      expect(await listIds(bob, `${moreArgs}showDeleted: true, ${rangeOn('2026-12-01')}`)).toHaveLength(1);
      expect(await listIds(bob, `${moreArgs}showDeleted: true, ${rangeOn('2026-12-24')}`)).toEqual([]);
      expect(await listIds(bob, `${moreArgs}showDeleted: true, iCalUID: "${iCalUID}"`)).toEqual([]);
      expect((await listFor(bob, `${moreArgs}showDeleted: true`)).nodes).toEqual(listBefore.nodes);
      expect(await listIds(carol, moreArgs + rangeOn('2026-12-24'))).toHaveLength(1);
    });

    test('syncs the removal once, and no later changes', async () => {
      const { id: singleEventId } = await gateway.makeEvent(withGuests(bob, carol));
      const id = await makeSeries(withGuests(bob, carol));
      await changeEvent(instanceIdOn(id, 2), { summary: 'Own' });
      const tokenBefore = await readSyncToken(bob);
      for (const eventId of [singleEventId, id])
        await changeEvent(eventId, { ...withGuests(carol), location: 'Room 1' });
      const removalSync = await listFor(bob, tokenBefore);
      const removedIds = [singleEventId, id, instanceIdOn(id, 2)];
      expect(removalSync.statusTexts).toEqual(removedIds.map((eventId) => `${eventId} cancelled`));
      for (const eventId of [singleEventId, id])
        await changeEvent(eventId, { summary: 'Later', ...withGuests(carol, eve) });
      await changeEvent(instanceIdOn(id, 2), { summary: 'Later' });
      await changeEvent(instanceIdOn(id, 3), { summary: 'New' });
      expect(await listIds(bob, removalSync.syncToken)).toEqual([]);
      expect(await listIds(bob, 'showDeleted: true')).toEqual(removedIds);
    });

    test('of one instance keeps an unchanged tombstone of it', async () => {
      const id = await makeSeries(withGuests(bob));
      const instance = instanceIdOn(id, 2);
      await changeEvent(instance, withGuests(bob, carol));
      await changeEvent(instance, withGuests(bob));
      const tombstoneList = await listFor(carol, 'showDeleted: true');
      expect(tombstoneList.ids).toEqual([instance]);
      await changeEvent(instance, hourAt('2026-12-24', 10));
      await changeEvent(id, { summary: 'New' });
      expect(await listIds(carol, tombstoneList.syncToken)).toEqual([]);
      expect(await listIds(carol, 'showDeleted: true, timeMin: "2026-12-24T00:00:00Z"')).toEqual([]);
      expect((await listFor(carol, 'showDeleted: true')).nodes).toEqual(tombstoneList.nodes);
    });
  });

  test('a guest removed from an instance sees nothing more of it after deleting the series', async () => {
    const id = await makeSeries(withGuests(bob, carol));
    await changeEvent(instanceIdOn(id, 2), { ...withGuests(bob), summary: 'Secret' });
    expect((await gateway.readOn(carol, instanceIdOn(id, 2))).summary).toBeNull();
    await changeEvent(id, { status: 'cancelled' }, carol);
    const removedInstance = await gateway.readOn(carol, instanceIdOn(id, 2));
    expect(removedInstance).toMatchObject({ summary: null, attendees: null, start: null });
    await changeEvent(instanceIdOn(id, 2), { summary: 'More' });
    expect(await gateway.readOn(carol, instanceIdOn(id, 2))).toEqual(removedInstance);
  });

  test("an instance with only others' own fields or hidden responses can be inserted", async () => {
    const id = await makeSeries(withHiddenGuests, { guestsCanModify: true }, withGuests(bob, carol));
    await changeEvent(instanceIdOn(id, 2), responseOf(carol, 'declined'), carol);
    await changeEvent(instanceIdOn(id, 3), { colorId: '5' }, carol);
    const instanceBody = (day: number) => ({
      recurringEventId: id,
      originalStartTime: { dateTime: `2026-12-0${day}T09:00:00Z` },
      ...hourAt(`2026-12-0${day}`, 15),
    });
    for (const day of [2, 3])
      expect((await gateway.makeEvent(instanceBody(day), { as: bob, calendarId: bob })).id).toBe(
        instanceIdOn(id, day),
      );
    const repeatedInsert = await gateway.insert(instanceBody(3), { as: bob });
    expect(repeatedInsert.problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
    expect(guestEntryOf(await gateway.readOn(alice, instanceIdOn(id, 2)), carol).responseStatus).toBe(
      'declined',
    );
  });

  test('a caller with own fields on an instance syncs it when its series changes', async () => {
    const id = await makeSeries();
    await changeEvent(instanceIdOn(id, 2), { reminders });
    const tokenBeforeChange = await readSyncToken(alice);
    await changeEvent(id, { summary: 'New' });
    expect(await listIds(alice, tokenBeforeChange)).toEqual([id, instanceIdOn(id, 2)]);
    expect(await listIds(wanda, '', alice)).toEqual([id]);
  });

  test('a guest removed from a series finds no instance that only a hidden guest had responded to', async () => {
    const id = await makeSeries(withHiddenGuests, withGuests(bob, carol));
    await changeEvent(instanceIdOn(id, 2), responseOf(carol, 'declined'), carol);
    await changeEvent(id, { ...withGuests(carol), guestsCanSeeOtherGuests: true });
    expect(await listIds(bob, 'showDeleted: true')).toEqual([id]);
  });

  test('own fields of other users on an instance are not visible in syncs, lists or their order', async () => {
    const id = await makeSeries(withGuests(bob));
    const [aliceToken, bobToken] = [await readSyncToken(alice), await readSyncToken(bob)];
    await gateway.changeEvent(instanceIdOn(id, 2), { reminders }, { as: wanda, calendarId: alice });
    await changeEvent(instanceIdOn(id, 3), { colorId: '5' }, bob);
    const { id: laterEventId } = await gateway.makeEvent();
    expect(await listIds(alice, aliceToken)).toEqual([laterEventId]);
    expect(await listIds(bob, bobToken)).toEqual([instanceIdOn(id, 3)]);
    expect(await listIds(alice)).toEqual([id, laterEventId]);
    expect(await listIds(wanda, '', alice)).toEqual([id, instanceIdOn(id, 2), laterEventId]);
    // An instance that is changed for all comes last, even if a user had own fields on it.
    for (const day of [2, 3]) await changeEvent(instanceIdOn(id, day), { summary: 'For all' });
    expect(await listIds(alice)).toEqual([id, laterEventId, instanceIdOn(id, 2), instanceIdOn(id, 3)]);
    // An instance that only Bob had changed, and its series then lost, was never visible to others.
    await changeEvent(instanceIdOn(id, 4), { colorId: '5' }, bob);
    await changeEvent(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    const expandedArgs = 'singleEvents: true, showDeleted: true';
    expect(await listIds(alice, expandedArgs)).toEqual([...instanceIdsOn(id, 1, 2, 3), laterEventId]);
    expect((await listFor(bob, expandedArgs)).statusTexts).toContain(`${instanceIdOn(id, 4)} cancelled`);
  });

  test('changes of hidden guests of an instance are not synced, but the order of visible ones is', async () => {
    const id = await makeSeries(withHiddenGuests, withGuests(alice, bob, carol));
    const tokenBeforeInvitation = await readSyncToken(bob);
    await changeEvent(instanceIdOn(id, 2), withGuests(alice, bob, eve));
    expect(await listIds(bob, tokenBeforeInvitation)).toEqual([]);
    const { id: hiddenGuestsEventId } = await gateway.makeEvent({
      ...withHiddenGuests,
      ...withGuests(alice, bob, carol),
    });
    const tokenBeforeReorder = await readSyncToken(bob);
    await changeEvent(hiddenGuestsEventId, withGuests(bob, alice, carol));
    expect(await listIds(bob, tokenBeforeReorder)).toEqual([hiddenGuestsEventId]);
  });

  test('lists of a removed guest do not reveal changes of an instance by a hidden guest', async () => {
    for (const isCancelledByCarol of [true, false]) {
      const id = await makeSeries(withHiddenGuests, withGuests(bob, carol));
      if (isCancelledByCarol) await changeEvent(instanceIdOn(id, 3), { status: 'cancelled' }, carol);
      await changeEvent(id, withGuests(carol));
      await changeEvent(instanceIdOn(id, 3), withGuests(bob, carol));
      const listedIds = await listIds(bob, 'showDeleted: true');
      expect(listedIds.filter((eventId) => eventId.startsWith(id))).toEqual([id, instanceIdOn(id, 3)]);
    }
  });

  test.each<[string, object]>([
    ['the organizer joins', withGuests(alice, bob, carol)],
    ['entries change', { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] }],
    ['the organizer joins behind', withGuests(carol, bob, alice)],
  ])(
    'an instance with other hidden guests shows the guests of its series, also when %s',
    async (_name, body) => {
      const id = await makeSeries(withHiddenGuests, withGuests(bob, carol));
      await changeEvent(instanceIdOn(id, 2), withGuests(bob, carol, eve));
      await changeEvent(id, body);
      const { attendees } = await gateway.readOn(bob, instanceIdOn(id, 3));
      expect((await gateway.readOn(bob, instanceIdOn(id, 2))).attendees).toEqual(attendees);
      const fields = Object.keys(attendees[0] as object).join(' ');
      const document = `{ result: events(calendarId: "primary", singleEvents: true) { nodes { attendees { ${fields} } } } }`;
      const { nodes } = (await gateway.run(document, {}, bob)).event;
      expect(nodes).toEqual([1, 2, 3, 4].map(() => ({ attendees })));
      expect(emailsOf(await gateway.readOn(alice, instanceIdOn(id, 2)))).toContain(eve);
    },
  );

  test('a guest added again to a series is not on an instance that got its own list', async () => {
    for (const hasOwnColor of [true, false]) {
      const id = await makeSeries(withHiddenGuests, withGuests(bob, carol));
      if (hasOwnColor) await changeEvent(instanceIdOn(id, 3), { colorId: '4' }, carol);
      await changeEvent(id, withGuests(carol));
      await changeEvent(instanceIdOn(id, 3), withGuests(carol, eve));
      await changeEvent(id, withGuests(carol, bob));
      const expandedIds = await listIds(bob, 'singleEvents: true, showDeleted: true');
      expect(expandedIds.filter((eventId) => eventId.startsWith(id))).toEqual(instanceIdsOn(id, 1, 2, 4));
      await gateway.expectNotFound(bob, instanceIdOn(id, 3));
    }
  });

  test('a guest added again to a series finds an own-coloured instance with its own list cancelled', async () => {
    const id = await makeSeries(withHiddenGuests, withGuests(bob, carol));
    await changeEvent(instanceIdOn(id, 3), { colorId: '4' }, bob);
    await changeEvent(id, withGuests(carol));
    await changeEvent(instanceIdOn(id, 3), withGuests(carol, eve));
    await changeEvent(id, withGuests(carol, bob));
    expect(await listIds(bob, 'singleEvents: true')).toEqual(instanceIdsOn(id, 1, 2, 4));
    expect(await gateway.readOn(bob, instanceIdOn(id, 3))).toMatchObject({
      status: 'cancelled',
      attendees: null,
    });
  });

  test('a removed guest does not sync the loss of instances with own fields', async () => {
    const id = await makeSeries(withGuests(bob));
    await changeEvent(instanceIdOn(id, 2), { reminders }, bob);
    await changeEvent(id, withGuests(carol));
    const tokenAfterRemoval = await readSyncToken(bob);
    await changeEvent(id, hourAt('2026-12-11', 10));
    expect(await listIds(bob, tokenAfterRemoval)).toEqual([]);
  });

  test('the order of a list does not reveal changes of hidden guests', async () => {
    const id = await makeSeries(withHiddenGuests, withGuests(rita, bob));
    await changeEvent(instanceIdOn(id, 2), withGuests(rita, bob, eve));
    const { id: otherEventId } = await gateway.makeEvent(withGuests(rita));
    await changeEvent(instanceIdOn(id, 2), { summary: 'For all' });
    expect(await listIds(rita, '', alice)).toEqual([id, otherEventId, instanceIdOn(id, 2)]);
  });

  test.each([true, false])(
    'an event with hidden guests may be sent back unchanged, with guestsCanModify %s',
    async (guestsCanModify) => {
      const hiddenGuestList = withGuests(eve, bob, carol, wanda);
      const { id } = await gateway.makeEvent({ ...withHiddenGuests, guestsCanModify, ...hiddenGuestList });
      const [bobView, aliceView] = [await gateway.readOn(bob, id), await gateway.readOn(alice, id)];
      expect(await changeEvent(id, bobView, bob)).toEqual(bobView);
      expect(await gateway.readOn(alice, id)).toEqual(aliceView);
      await changeEvent(id, { status: 'cancelled' }, bob);
      const removedView = await gateway.readOn(bob, id);
      expect(await changeEvent(id, removedView, bob)).toEqual(removedView);
      expect(emailsOf(await gateway.readOn(alice, id))).toEqual([eve, bob, carol, wanda]);
    },
  );

  test.each([true, undefined])(
    'inviting a hidden guest as a resource (%s) reports the same number as a stranger',
    async (resource) => {
      for (const guestsOfEvent of [withGuests(bob), withGuests(bob, eve)]) {
        const { id } = await gateway.makeEvent({ ...withHiddenGuests, ...guestsOfEvent });
        const body = { attendees: [{ email: bob }, { email: eve, resource }] };
        const { notifiedCount } = await gateway.patch(id, body, { as: bob, sendUpdates: 'all' });
        expect(notifiedCount).toBe(resource ? 0 : 1);
      }
    },
  );

  test('a response to the series after inviting a hidden guest to an instance is the same as with a stranger', async () => {
    for (const guestsOfSeries of [withGuests(bob), withGuests(bob, eve)]) {
      const id = await makeSeries(withHiddenGuests, guestsOfSeries);
      await changeEvent(instanceIdOn(id, 2), withGuests(bob, eve), bob);
      await changeEvent(id, responseOf(bob, 'accepted', 'Yes'), bob);
      for (const day of [2, 3]) {
        const bobsEntry = guestEntryOf(await gateway.readOn(bob, instanceIdOn(id, day)), bob);
        expect(bobsEntry).toMatchObject({ responseStatus: 'accepted', comment: 'Yes' });
      }
    }
  });

  test('a response to the series applies to all instances except those with a separate response', async () => {
    const id = await makeSeries(withGuests(bob, carol));
    for (const day of [2, 3]) await changeEvent(instanceIdOn(id, day), withGuests(bob, carol, eve));
    await changeEvent(instanceIdOn(id, 3), responseOf(bob, 'tentative'), bob);
    await changeEvent(instanceIdOn(id, 4), responseOf(bob, 'accepted'), bob);
    for (const response of ['accepted', 'declined', 'accepted']) {
      await changeEvent(id, responseOf(bob, response), bob);
      const instances = await Promise.all(
        instanceIdsOn(id, 1, 2, 3, 4).map((instanceId) => gateway.readOn(alice, instanceId)),
      );
      const responses = instances.map((event) => guestEntryOf(event, bob).responseStatus);
      expect(responses).toEqual([response, response, 'tentative', 'accepted']);
    }
  });

  test('externalOnly does not reveal to an inviting guest who has a calendar here', async () => {
    const { id } = await gateway.makeEvent(withGuests(bob));
    for (const email of [carol, eve]) {
      const options = { as: bob, sendUpdates: 'externalOnly' };
      const { notifiedCount } = await gateway.patch(id, withGuests(bob, email), options);
      expect(notifiedCount).toBe(0);
    }
  });

  test('sync tokens reveal nothing by content or length', async () => {
    const { id } = await gateway.makeEvent({ ...withHiddenGuests, ...withGuests(bob, carol) });
    const lengths = new Set<number>();
    for (let count = 0; count < 12; count += 1) {
      await changeEvent(id, responseOf(carol, 'tentative', `No ${count}`), carol);
      const sealedToken = (await readSyncToken(bob)).slice('syncToken: "'.length, -1);
      expect(Buffer.from(sealedToken, 'base64url').toString('latin1')).not.toMatch(/sync|example/);
      lengths.add(sealedToken.length);
    }
    expect(lengths.size).toBe(1);
  });
});
