import {
  alice,
  bob,
  carol,
  type Controls,
  emailsOf,
  guestEntryOf,
  eve,
  makeMany,
  room,
  type EventJson,
  useEventGateway,
  withChangedGuest,
  fritz,
  rita,
} from './event.harness.ts';
import { calendarsOf } from '../calendar/calendar.harness.ts';
import { guestListMethods } from './guest-list-methods.ts';
import {
  responseOf,
  withHiddenGuests,
  dailySeries,
  withGuests,
  listAllEvents,
  instanceIdOn,
} from './list.harness.ts';

/**
 * Guest lists that differ in guests hidden from Bob: his requests must get equal responses for both events.
 * Alice organizes both events and is not on the lists.
 */
const onlyBob = [{ email: bob }];
const bobAndHiddenGuests = [
  { email: bob },
  { email: carol },
  { email: eve, displayName: 'Eve', comment: 'Hush', responseStatus: 'accepted' },
];
const strangers = makeMany(198, (index) => `guest${index}@elsewhere.example`);
const crowdedList = withGuests(bob, eve, ...strangers).attendees;
const newcomer = 'newcomer@elsewhere.example';
const listsWithHidden = [
  { count: 'two', longerList: bobAndHiddenGuests },
  { count: '199', longerList: crowdedList },
];
const notifyAll = { sendUpdates: 'all' };

/** A patch by Bob. `seen` is the event as he reads it, `hidden` a guest of the longer list only. */
type Step = (seen: EventJson, hidden: string) => readonly [body: object, controls?: Controls];
const createListWithBob = (...entries: object[]) => ({ attendees: [{ email: bob }, ...entries] });
/** Patches by Bob, by the name of their test. */
const steps: Readonly<Record<string, Step>> = {
  'sending the event back as it was read': (seen) => [seen],
  'a response': () => [responseOf(bob, 'accepted'), notifyAll],
  'a response within the whole list': () => [
    { attendees: [{ email: bob, responseStatus: 'declined', comment: 'No' }] },
    { sendUpdates: 'externalOnly' },
  ],
  'inviting a guest who may be hidden': (_seen, hidden) => [createListWithBob({ email: hidden }), notifyAll],
  'inviting a possibly hidden guest with a name': (_seen, hidden) => [
    createListWithBob({ email: hidden, displayName: 'E', optional: true }),
    { maxAttendees: 1 },
  ],
  'inviting a possibly hidden guest as a resource, in a dry run': (_seen, hidden) => [
    createListWithBob({ email: hidden.toUpperCase(), resource: true }),
    { validateOnly: true },
  ],
  'inviting a new guest': () => [createListWithBob({ email: newcomer }), notifyAll],
  'inviting a possibly hidden and a new guest': (_seen, hidden) => [
    createListWithBob({ email: hidden }, { email: newcomer }),
    { maxAttendees: 2, sendUpdates: 'all' },
  ],
  'a response for a possibly hidden guest': (_seen, hidden) => [responseOf(hidden, 'declined')],
  'a possibly hidden guest twice': (_seen, hidden) => [
    createListWithBob({ email: hidden }, { email: hidden }),
  ],
  'an own colour and a reminder': () => [
    { colorId: '3', reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] } },
  ],
  'placeholder addresses': () => [{}, { alwaysIncludeEmail: true, maxAttendees: 1 }],
  'deleting the own copy': () => [{ status: 'cancelled' }, notifyAll],
  'removing a possibly hidden guest and a stranger': (_seen, hidden) => [
    {},
    { attendeeChanges: { remove: [hidden, 'stranger@elsewhere.example'] }, ...notifyAll },
  ],
  'clearing the list': () => [{ attendees: null }, notifyAll],
  'a new title for all': () => [{ summary: 'New' }, notifyAll],
};

/** Parses a response body without the values that always differ between two events. */
const toComparable = (body: string, id: string, hidden: string): unknown =>
  JSON.parse(
    body
      .replaceAll(id, 'ID')
      .replaceAll(new RegExp(hidden.replaceAll('.', '\\.'), 'gi'), 'HIDDEN')
      .replace(/"(etag|created|updated|requestId|htmlLink|nodeId)":"(\\.|[^"\\])*"/g, '"$1":"?"'),
  );

describe('guests who cannot see each other', () => {
  const gateway = useEventGateway();
  const makeEventId = async (body: object, controls?: Controls): Promise<string> =>
    (await gateway.makeEvent({ ...withHiddenGuests, ...body }, controls)).id;
  /** Makes a series of four days and returns its id and that of its second instance. */
  const makeSeries = async (body: object): Promise<[id: string, instance: string]> => {
    const id = await makeEventId({ ...dailySeries, ...body });
    return [id, instanceIdOn(id, 2)];
  };

  /** Returns whether a reader of a calendar sees a change in `etag` and `updated`, and the synced ids. */
  async function observeChange(applyChange: () => Promise<unknown>, id: string, as: string, calendarId = as) {
    const { syncToken } = await listAllEvents(gateway, as, '', calendarId);
    const before = await gateway.readOn(calendarId, id, as);
    await applyChange();
    const after = await gateway.readOn(calendarId, id, as);
    const { ids: synced } = await listAllEvents(gateway, as, syncToken, calendarId);
    const [etag, updated] = [after.etag !== before.etag, after.updated > before.updated];
    return { before, after, etag, updated, synced };
  }

  describe.each([
    ['can modify', true],
    ['cannot modify', false],
  ] as const)('and %s the event', (_case, guestsCanModify) => {
    describe.each(listsWithHidden)('with no hidden guests, or $count,', ({ longerList }) => {
      const stepsByMethod = guestListMethods.flatMap(([field, patchBy]) =>
        Object.entries(steps).map(([name, step]) => [name, field, step, patchBy] as const),
      );
      test.each(stepsByMethod)('%s (%s) gets the same response', async (_name, _field, step, patchBy) => {
        const outcomes = [];
        for (const attendees of [onlyBob, longerList]) {
          const id = await makeEventId({ summary: 'Plan', guestsCanModify, attendees });
          const before = await gateway.readOn(bob, id);
          expect([emailsOf(before), before.attendeesOmitted]).toEqual([[bob], false]);
          const [body, controls] = step(before, eve);
          const outcome = await patchBy(gateway)(id, body, { ...controls, as: bob });
          const after = await gateway.readOn(bob, id);
          outcomes.push([
            toComparable(outcome.body, id, eve),
            toComparable(JSON.stringify(after), id, eve),
            outcome.notifiedCount,
            outcome.event?.etag === before.etag,
            after.etag === before.etag,
            after.updated === before.updated,
          ]);
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
      });
    });
  });

  test.each<[string, object, string[]]>([
    ['no others', withGuests(bob), [bob, carol, room]],
    ['null', { attendees: null }, [carol, room]],
  ])('a guest who may modify and sends %s removes no hidden guests', async (_name, body, remainingGuests) => {
    const attendees = [{ email: bob }, { email: carol }, { email: room, resource: true }];
    const id = await makeEventId({ guestsCanModify: true, attendees });
    await gateway.changeEvent(id, body, { as: bob });
    expect(emailsOf(await gateway.readOn(alice, id)).sort()).toEqual(remainingGuests.sort());
  });

  test("inviting a hidden guest does not change that guest's entry", async () => {
    const id = await makeEventId({ attendees: bobAndHiddenGuests });
    await gateway.changeEvent(id, createListWithBob({ email: eve, displayName: 'Evil', optional: true }), {
      as: bob,
    });
    const evesEntry = guestEntryOf(await gateway.readOn(alice, id), eve);
    expect(evesEntry).toMatchObject({ ...bobAndHiddenGuests[2], optional: false });
  });

  test.each<[string, string, (seen: EventJson) => object]>([
    ['responds', carol, () => responseOf(carol, 'declined', 'No')],
    ['deletes the own copy', carol, () => ({ status: 'cancelled' })],
    ['is removed', alice, () => withGuests(bob)],
    ['is added', alice, ({ attendees }) => ({ attendees: [...attendees, { email: newcomer }] })],
    ['gets another name', alice, (seen) => withChangedGuest(seen, eve, { displayName: 'E' })],
  ])('when a hidden guest %s, etag, updated and sync do not change for others', async (_name, as, body) => {
    const id = await makeEventId(withGuests(bob, carol, eve));
    // Series with exceptions follow the same rule.
    const [changedSeriesId, instance] = await makeSeries(withGuests(bob, carol, eve));
    await gateway.changeEvent(instance, { summary: 'Changed' });
    const { etag } = await gateway.readOn(alice, id);
    const change = async () => {
      for (const eventId of [id, instance, changedSeriesId])
        await gateway.changeEvent(eventId, body(await gateway.readOn(as, eventId)), { as });
    };
    const { before, after, synced } = await observeChange(change, id, bob);
    expect([after, synced]).toEqual([before, []]);
    expect((await gateway.readOn(alice, id)).etag).not.toBe(etag);
  });

  test.each<[string, (seen: EventJson) => object]>([
    ['the title changes', () => ({ summary: 'New' })],
    [
      "the organizer's entry changes",
      (seen) => withChangedGuest(seen, alice, { comment: 'In the small room' }),
    ],
    ['the own entry changes', (seen) => withChangedGuest(seen, bob, { optional: true })],
    ['all may see each other', () => ({ guestsCanSeeOtherGuests: true })],
  ])('when %s, etag, updated and sync change for each guest', async (_name, body) => {
    const id = await makeEventId(withGuests(alice, bob, carol));
    const change = async () => gateway.changeEvent(id, body(await gateway.readOn(alice, id)));
    expect(await observeChange(change, id, bob)).toMatchObject({ etag: true, updated: true, synced: [id] });
  });

  test('a guest who reads the organizer’s calendar sees only changes of the own entry there', async () => {
    const id = await makeEventId({ visibility: 'private', ...withGuests(eve) });
    const optionalRita = { email: rita, optional: true };
    const listChanges: readonly (readonly [entries: object[], isVisible: boolean])[] = [
      [[{ email: eve }, { email: rita }], true],
      [[{ email: rita }], false],
      [[optionalRita], true],
      [[optionalRita, { email: carol }], false],
    ];
    for (const [attendees, isVisible] of listChanges) {
      const change = () => gateway.changeEvent(id, { attendees });
      const { etag, synced } = await observeChange(change, id, rita, alice);
      expect([attendees, etag, synced]).toEqual([attendees, isVisible, isVisible ? [id] : []]);
    }
  });

  test.each([
    ['for the series', undefined],
    ['for the instance', 'tentative'],
  ])(
    'a guest who reads the organizer’s calendar sees only the own response to an instance there, given %s',
    async (_case, ownResponse) => {
      const createEntryOfRita = (responseStatus: string) => ({ email: rita, responseStatus });
      const [, instance] = await makeSeries({ attendees: [createEntryOfRita('accepted'), { email: eve }] });
      const ownList =
        ownResponse === undefined ? {} : { attendees: [createEntryOfRita(ownResponse), { email: eve }] };
      await gateway.changeEvent(instance, { summary: 'Own', ...ownList });
      const instanceListChanges: readonly (readonly [entries: object[], isVisible: boolean])[] = [
        [[createEntryOfRita(ownResponse ?? 'accepted'), { email: carol }], false],
        [[createEntryOfRita('declined'), { email: carol }], true],
        [[createEntryOfRita('declined')], false],
        [[], true],
      ];
      for (const [attendees, isVisible] of instanceListChanges) {
        const change = () => gateway.changeEvent(instance, { attendees });
        const { etag, synced } = await observeChange(change, instance, rita, alice);
        expect([attendees, etag, synced]).toEqual([attendees, isVisible, isVisible ? [instance] : []]);
      }
    },
  );

  test.each(['a single event', 'a series', 'an instance'])(
    'a guest who reads the organizer’s calendar sees there when %s is deleted from and restored on the own calendar',
    async (kind) => {
      const recurrence = kind === 'a single event' ? undefined : dailySeries.recurrence;
      const seriesId = await makeEventId({ ...dailySeries, recurrence, ...withGuests(rita, carol) });
      const id = kind === 'an instance' ? instanceIdOn(seriesId, 2) : seriesId;
      const deletePrimaryDocument =
        'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id) }';
      const setStatus = (status: string) => gateway.changeEvent(id, { status }, { as: rita });
      const statusChanges = [
        ['declined', () => gateway.run(deletePrimaryDocument, { id }, rita)],
        ['needsAction', () => setStatus('confirmed')],
        ['declined', () => setStatus('cancelled')],
      ] as const;
      for (const [responseStatus, changeStatus] of statusChanges) {
        const { after, etag, synced } = await observeChange(changeStatus, id, rita, alice);
        expect([guestEntryOf(after, rita).responseStatus, etag, synced]).toEqual([
          responseStatus,
          true,
          [id],
        ]);
      }
      // The instance stays listed although it has no changes any more.
      await setStatus('confirmed');
      expect((await listAllEvents(gateway, rita, '', alice)).ids).toContain(id);
      const renameSeries = () => gateway.changeEvent(seriesId, { summary: 'Renamed' });
      const { after, synced } = await observeChange(renameSeries, id, rita, alice);
      expect(synced).toContain(id);
      expect(after.summary).toBe('Renamed');
    },
  );

  test('a reader of the organizer’s calendar sees being invited to an instance there, and being removed again', async () => {
    const [, instance] = await makeSeries(withGuests(carol));
    for (const list of [withGuests(carol, rita), withGuests(carol)]) {
      const change = () => gateway.changeEvent(instance, list);
      const { etag, synced } = await observeChange(change, instance, rita, alice);
      expect([etag, synced]).toEqual([true, [instance]]);
    }
  });

  test.each([
    ['in their order', [carol, eve]],
    ['in another order', [eve, carol]],
  ])(
    'the organizer keeps the place before a guest of an instance when added to the series, with hidden guests %s',
    async (_case, hidden) => {
      const [id, instance] = await makeSeries(withGuests(bob, carol, eve));
      await gateway.changeEvent(instance, withGuests(alice, bob, ...hidden));
      await gateway.changeEvent(id, withGuests(bob, carol, eve, alice));
      expect(emailsOf(await gateway.readOn(bob, instance))).toEqual([alice, bob]);
    },
  );

  test('an organizer on another calendar who is also a guest sees all guests on the own calendar, as its readers do, except readers who are guests', async () => {
    const calendarId = await calendarsOf(gateway).make({ summary: 'Team' }, bob);
    const id = await makeEventId(withGuests(bob, carol, rita), { as: bob, calendarId });
    const attendees = [{ email: bob }, { email: carol }, { email: rita, optional: true }, { email: eve }];
    for (const [list, changesRita] of [
      [attendees.slice(0, 3), true],
      [attendees, false],
    ] as const) {
      const readers = [bob, fritz, rita];
      const readState = (as: string) =>
        Promise.all([gateway.readOn(bob, id, as), listAllEvents(gateway, as, '', bob)]);
      const before = await Promise.all(readers.map(readState));
      await gateway.changeEvent(id, { attendees: list }, { as: bob, calendarId });
      const changes = readers.map(async (as, index) => {
        const [event, { syncToken }] = before[index] as Awaited<ReturnType<typeof readState>>;
        const { ids } = await listAllEvents(gateway, as, syncToken, bob);
        return [as, event.etag !== (await gateway.readOn(bob, id, as)).etag, ids];
      });
      expect(await Promise.all(changes)).toEqual([
        [bob, true, [id]],
        [fritz, true, [id]],
        [rita, changesRita, changesRita ? [id] : []],
      ]);
    }
  });

  test('an instance that shows its guests, of a series that hides them, changes when a guest is added', async () => {
    const [id, instance] = await makeSeries(withGuests(bob, carol));
    await gateway.changeEvent(instance, { guestsCanSeeOtherGuests: true });
    const change = () => gateway.changeEvent(id, withGuests(bob, carol, eve));
    const visibleChange = { etag: true, updated: true, synced: [instance] };
    expect(await observeChange(change, instance, bob)).toMatchObject(visibleChange);
  });
});
