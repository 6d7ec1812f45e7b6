import {
  alice,
  bob,
  carol,
  type Controls,
  emailsOf,
  guestEntryOf,
  eve,
  makeMany,
  type Outcome,
  room,
  type EventJson,
} from './event.harness.ts';
import { dailySeries, withGuests, instanceIdOn } from './list.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const initialGuests = [
  { email: alice },
  { email: bob },
  { email: eve, displayName: 'Eve', comment: 'Perhaps', responseStatus: 'tentative' },
];
const createStrangerEmails = (count: number, firstIndex = 0): string[] =>
  makeMany(count, (index) => `guest${firstIndex + index}@elsewhere.example`);
const createEntries = (...addresses: string[]) => withGuests(...addresses).attendees;
const problemAt = (problem: string): string => `BAD_USER_INPUT attendeeChanges${problem}`;

interface Changes {
  readonly add?: readonly (object | null)[] | null;
  readonly remove?: readonly (string | null)[] | null;
}

describe.each(stores)('attendeeChanges, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const makeInvitation = async (body: object = {}): Promise<string> =>
    (await gateway.makeEvent({ attendees: initialGuests, ...body })).id;
  const patch = (id: string, attendeeChanges: Changes | null, controls: Controls = {}, event = {}) =>
    gateway.patch(id, event, { attendeeChanges, ...controls });
  const changeGuests = (
    id: string,
    attendeeChanges: Changes,
    controls: Controls = {},
    event = {},
  ): Promise<EventJson> => gateway.changeEvent(id, event, { attendeeChanges, ...controls });

  describe('is refused, and nothing is stored:', () => {
    test.each<[string, Changes, string[]]>([
      [
        'an address twice in add',
        { add: createEntries(carol, 'Carol@EXAMPLE.com') },
        ['.add.1.email invalid'],
      ],
      ['an address twice in remove', { remove: [bob, carol, 'BOB@example.com'] }, ['.remove.2 invalid']],
      [
        'an address in both',
        { add: createEntries(carol), remove: ['CAROL@example.com'] },
        ['.remove.0 invalid'],
      ],
      ['null entries', { add: [null], remove: [null] }, ['.add.0 required', '.remove.0 required']],
      [
        'an invalid entry after valid ones',
        { add: [{ email: bob }, { email: eve, additionalGuests: -1 }] },
        ['.add.1.additionalGuests invalid'],
      ],
      ['201 entries to add', { add: createEntries(...createStrangerEmails(201)) }, [' tooMany']],
      [
        '201 entries in both',
        { add: createEntries(...createStrangerEmails(101)), remove: createStrangerEmails(100, 101) },
        [' tooMany'],
      ],
    ])('%s', async (_name, changes, problems) => {
      const id = await makeInvitation();
      const before = await gateway.readOn(alice, id);
      const outcome = await patch(id, changes);
      expect([outcome.event ?? null, outcome.problems]).toEqual([null, problems.map(problemAt)]);
      expect(await gateway.readOn(alice, id)).toEqual(before);
    });

    test.each([
      ['a list', withGuests(bob)],
      ['null', { attendees: null }],
      ['attendeesOmitted', { attendeesOmitted: true, ...withGuests(alice) }],
      ['attendeesOmitted alone', { attendeesOmitted: true }],
    ])('beside %s in the event', async (_name, event) => {
      const id = await makeInvitation();
      for (const changes of [{ add: createEntries(carol) }, {}])
        expect((await patch(id, changes, {}, event)).problems).toEqual([problemAt(' invalid')]);
    });
    test('together with the issues of the event and of the arguments', async () => {
      const changes = { add: createEntries('Bob'), remove: [eve, eve] };
      const { problems } = await patch(
        await makeInvitation(),
        changes,
        { maxAttendees: 0 },
        { colorId: '12' },
      );
      expect(problems.toSorted()).toEqual([
        'BAD_USER_INPUT attendeeChanges.add.0.email invalid',
        'BAD_USER_INPUT attendeeChanges.remove.1 invalid',
        'BAD_USER_INPUT event.colorId invalid',
        'BAD_USER_INPUT maxAttendees invalid',
      ]);
    });
    test('together with values of the wrong type', async () => {
      const { problems } = await patch(await makeInvitation(), {
        add: [{ email: carol, optional: 'perhaps' }, { email: carol }, { email: 'Bob' }],
        remove: [bob, bob],
      });
      expect(problems.toSorted()).toEqual([
        problemAt('.add.0.optional invalid'),
        problemAt('.add.1.email invalid'),
        problemAt('.add.2.email invalid'),
        problemAt('.remove.1 invalid'),
      ]);
    });

    test("removal of a guest's own address: deleteEvent does that", async () => {
      for (const body of [{}, { guestsCanModify: true }]) {
        const id = await makeInvitation(body);
        const { errors, problems } = await patch(id, { remove: ['Bob@example.com'] }, { as: bob });
        expect(problems).toEqual(['FORBIDDEN attendeeChanges.remove.0 forbidden']);
        expect(errors?.[0]?.message).toContain('deleteEvent');
        expect(emailsOf(await gateway.readOn(alice, id))).toEqual([alice, bob, eve]);
      }
    });
    test('of a cancelled event, unless it changes nothing', async () => {
      const id = await makeInvitation();
      const cancelled = await gateway.changeEvent(id, { status: 'cancelled' });
      const { problems } = await patch(id, { add: createEntries(carol) });
      expect(problems).toEqual(['FORBIDDEN event.status forbidden']);
      expect(await changeGuests(id, { add: createEntries(bob), remove: [carol] })).toEqual(cancelled);
    });
  });

  test('adds, changes and removes guests in one step and keeps all others', async () => {
    const id = await makeInvitation({ attendees: [...initialGuests, { email: room, resource: true }] });
    const response = { email: bob, responseStatus: 'accepted', comment: 'Yes' };
    await gateway.changeEvent(id, { attendeesOmitted: true, attendees: [response] }, { as: bob });
    const [alicesEntry, bobsEntry, evesEntry] = (await gateway.readOn(alice, id)).attendees;
    const add = [
      { email: 'EVE@elsewhere.example', comment: null, optional: true },
      { email: newcomer, displayName: 'New' },
    ];
    const { event, notifiedCount } = await patch(
      id,
      { add, remove: ['ROOM3@resource.example'] },
      { sendUpdates: 'all' },
    );
    const changedEntry = { ...evesEntry, comment: null, optional: true };
    const addedEntry = { email: newcomer, displayName: 'New', responseStatus: 'needsAction' };
    expect(event.attendees).toMatchObject([alicesEntry, bobsEntry, changedEntry, addedEntry]);
    expect(notifiedCount).toBe(3);
    expect((await gateway.readOn(bob, id)).attendees).toMatchObject(
      event.attendees.map(({ self: _self, ...entry }: EventJson) => entry),
    );
  });

  test('combines with other changes of the event, and with a dry run', async () => {
    const id = await makeInvitation();
    const before = await gateway.readOn(alice, id);
    const add = createEntries(carol);
    const dryRunEvent = await changeGuests(id, { add }, { validateOnly: true });
    expect(emailsOf(dryRunEvent)).toEqual([alice, bob, eve, carol]);
    expect(await gateway.readOn(alice, id)).toEqual(before);
    const event = await changeGuests(id, { add }, { ifMatch: before.etag }, { summary: 'New' });
    expect(event).toMatchObject({ summary: 'New', attendees: [{}, {}, {}, { email: carol }] });
    expect((await gateway.readOn(carol, id)).summary).toBe('New');
  });

  test.each<[string, Changes | null]>([
    ['null', null],
    ['nothing', {}],
    ['nulls', { add: null, remove: null }],
    ['empty lists', { add: [], remove: [] }],
    ['listed guests', { add: [{ email: 'BOB@example.com' }, { email: eve, displayName: 'Eve' }] }],
    ['removal of a stranger', { remove: [newcomer, 'no address', ''] }],
  ])('of %s is no change', async (_name, changes) => {
    for (const attendees of [initialGuests, [], undefined]) {
      if (attendees !== initialGuests && changes?.add?.length) continue;
      const { id } = await gateway.makeEvent({ attendees });
      const before = await gateway.readOn(alice, id);
      expect(await changeGuests(id, changes ?? {})).toEqual(before);
      expect((await patch(id, changes)).event).toEqual(before);
    }
  });

  test('removes the last guest and adds the first one', async () => {
    const id = await makeInvitation(withGuests(bob));
    expect((await changeGuests(id, { remove: [bob] })).attendees).toEqual([]);
    for (const eventId of [id, (await gateway.makeEvent()).id])
      expect(emailsOf(await changeGuests(eventId, { add: createEntries(bob) }))).toEqual([bob]);
  });

  test('a full list allows changes of its guests, and replacing them', async () => {
    const id = await makeInvitation(withGuests(...createStrangerEmails(200)));
    const add = createEntries(carol);
    expect((await patch(id, { add })).problems).toEqual([problemAt(' tooMany')]);
    expect(emailsOf(await changeGuests(id, { add, remove: createStrangerEmails(1) })).at(-1)).toBe(carol);
    expect(emailsOf(await changeGuests(id, { remove: createStrangerEmails(199, 1) }))).toEqual([carol]);
    const refilled = await changeGuests(id, { add: createEntries(...createStrangerEmails(199, 1)) });
    expect(refilled.attendees).toHaveLength(200);
  });

  test('of an instance changes its own list only', async () => {
    const id = await makeInvitation(dailySeries);
    const instance = instanceIdOn(id, 2);
    const event = await changeGuests(instance, { add: createEntries(carol), remove: [eve] });
    for (const view of [event, await gateway.readOn(carol, instance)])
      expect(emailsOf(view)).toEqual([alice, bob, carol]);
    for (const view of [await gateway.readOn(alice, id), await gateway.readOn(bob, instanceIdOn(id, 3))])
      expect(emailsOf(view)).toEqual([alice, bob, eve]);
    expect(await changeGuests(instance, { remove: [eve] })).toEqual(await gateway.readOn(alice, instance));
  });

  test('with a response to an instance keeps the guest list of its series', async () => {
    const id = await makeInvitation(dailySeries);
    await changeGuests(
      instanceIdOn(id, 2),
      { add: [{ email: bob, responseStatus: 'declined' }] },
      { as: bob },
    );
    await changeGuests(id, { add: createEntries(carol) });
    const { attendees } = await gateway.readOn(alice, instanceIdOn(id, 2));
    expect(attendees.map(({ email, responseStatus }: EventJson) => `${email} ${responseStatus}`)).toEqual([
      `${alice} needsAction`,
      `${bob} declined`,
      `${eve} tentative`,
      `${carol} needsAction`,
    ]);
  });

  test('with hidden guests, removal has no effect, and adding reveals nothing', async () => {
    const hiddenListBody = { guestsCanSeeOtherGuests: false, guestsCanModify: true };
    const id = await makeInvitation(hiddenListBody);
    const bobsView = await gateway.readOn(bob, id);
    expect(await changeGuests(id, { remove: [eve, newcomer] }, { as: bob })).toEqual(bobsView);
    const inviteTo = (eventId: string, email: string) =>
      patch(eventId, { add: [{ email, displayName: 'E' }] }, { as: bob, sendUpdates: 'all' });
    const invitedEve = await inviteTo(id, eve);
    const invitedStranger = await inviteTo(await makeInvitation(hiddenListBody), newcomer);
    const selectVisibleFields = ({ notifiedCount, event, warningTexts, problems }: Outcome) => [
      notifiedCount,
      emailsOf(event).length,
      warningTexts,
      problems,
    ];
    expect(selectVisibleFields(invitedEve)).toEqual(selectVisibleFields(invitedStranger));
    expect(invitedEve.event.etag).not.toBe(bobsView.etag);
    const { displayName, comment } = guestEntryOf(await gateway.readOn(alice, id), eve);
    expect([displayName, comment]).toEqual(['Eve', 'Perhaps']);
  });
});
