import {
  alice,
  bob,
  carol,
  type Controls,
  emails,
  entryOf,
  eve,
  rita,
  type Shown,
  useEvents,
  withEntry,
} from './event.harness.ts';
import { calendarsOf } from '../calendar/calendar.harness.ts';
import { guestListWays } from './guest-list-ways.ts';
import { answer, closed, daily, guests, listed, nth } from './list.harness.ts';

/**
 * Two events that differ in the guests whom Bob may not see: whatever he asks or sends, both have to answer him alike.
 * Alice organizes both and is on no list.
 */
const few = [{ email: bob }];
const more = [
  { email: bob },
  { email: carol },
  { email: eve, displayName: 'Eve', comment: 'Hush', responseStatus: 'accepted' },
];
const strangers = Array.from({ length: 198 }, (_, index) => `guest${index}@elsewhere.example`);
const crowd = guests(bob, eve, ...strangers).attendees;
/** A free/busy reader of all calendars, and a resource. */
const [fritz, room] = ['fritz@example.com', 'room3@resource.example'];
const newcomer = 'newcomer@elsewhere.example';
const pairs = [
  { count: 'two', other: more },
  { count: '199', other: crowd },
];
const toAll = { sendUpdates: 'all' };

type Step = (seen: Shown, hidden: string) => readonly [body: object, controls?: Controls];
const add = (...entries: object[]) => ({ attendees: [{ email: bob }, ...entries] });
const steps: Readonly<Record<string, Step>> = {
  'sending it back as it was read': (seen) => [seen],
  'an answer': () => [answer(bob, 'accepted'), toAll],
  'an answer within the whole list': () => [
    { attendees: [{ email: bob, responseStatus: 'declined', comment: 'No' }] },
    { sendUpdates: 'externalOnly' },
  ],
  'inviting somebody who is on the hidden list of one': (_seen, hidden) => [add({ email: hidden }), toAll],
  'inviting that one with a name and an answer': (_seen, hidden) => [
    add({ email: hidden, displayName: 'E', optional: true }),
    { maxAttendees: 1 },
  ],
  'inviting that one as a resource, in a dry run': (_seen, hidden) => [
    add({ email: hidden.toUpperCase(), resource: true }),
    { validateOnly: true },
  ],
  'inviting somebody': () => [add({ email: newcomer }), toAll],
  'inviting that one and somebody else': (_seen, hidden) => [
    add({ email: hidden }, { email: newcomer }),
    { maxAttendees: 2, sendUpdates: 'all' },
  ],
  'an answer for that one': (_seen, hidden) => [answer(hidden, 'declined')],
  'that one twice': (_seen, hidden) => [add({ email: hidden }, { email: hidden })],
  'an own colour and a reminder': () => [
    { colorId: '3', reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 3 }] } },
  ],
  'made-up addresses': () => [{}, { alwaysIncludeEmail: true, maxAttendees: 1 }],
  'taking it off the own calendar': () => [{ status: 'cancelled' }, toAll],
  'taking that one and a stranger off': (_seen, hidden) => [
    {},
    { attendeeChanges: { remove: [hidden, 'stranger@elsewhere.example'] }, ...toAll },
  ],
  'clearing the list': () => [{ attendees: null }, toAll],
  'a new title for all': () => [{ summary: 'New' }, toAll],
};

/** An answer without what differs between two events in any case. */
const comparable = (body: string, id: string, hidden: string): unknown =>
  JSON.parse(
    body
      .replaceAll(id, 'ID')
      .replaceAll(new RegExp(hidden.replaceAll('.', '\\.'), 'gi'), 'HIDDEN')
      .replace(/"(etag|created|updated|requestId|htmlLink|nodeId)":"(\\.|[^"\\])*"/g, '"$1":"?"'),
  );

describe('guests who cannot see each other', () => {
  const gateway = useEvents();
  const make = async (body: object, controls?: Controls): Promise<string> =>
    (await gateway.make({ ...closed, ...body }, controls)).id;
  /** A series of four days and the id of its second instance. */
  const makeSeries = async (body: object): Promise<[id: string, instance: string]> => {
    const id = await make({ ...daily, ...body });
    return [id, nth(id, 2)];
  };

  /** How an action changes an event for a reader of a calendar: by its etag, by `updated`, and in what is synced since. */
  async function seenChange(act: () => Promise<unknown>, id: string, as: string, calendarId = as) {
    const { syncToken } = await listed(gateway, as, '', calendarId);
    const before = await gateway.on(calendarId, id, as);
    await act();
    const after = await gateway.on(calendarId, id, as);
    const { ids: synced } = await listed(gateway, as, syncToken, calendarId);
    return {
      before,
      after,
      etag: after.etag !== before.etag,
      updated: after.updated > before.updated,
      synced,
    };
  }

  describe.each([
    ['can modify', true],
    ['cannot modify', false],
  ] as const)('and %s the event', (_title, guestsCanModify) => {
    describe.each(pairs)('with no hidden guests, or $count,', ({ other }) => {
      const said = guestListWays.flatMap(([way, patchBy]) =>
        Object.entries(steps).map(([name, step]) => [name, way, step, patchBy] as const),
      );
      test.each(said)('%s (%s) gets the same answer', async (_name, _way, step, patchBy) => {
        const answers = [];
        for (const attendees of [few, other]) {
          const id = await make({ summary: 'Plan', guestsCanModify, attendees });
          const seen = await gateway.on(bob, id);
          expect([emails(seen), seen.attendeesOmitted]).toEqual([[bob], false]);
          const [body, controls] = step(seen, eve);
          const reply = await patchBy(gateway)(id, body, { ...controls, as: bob });
          const after = await gateway.on(bob, id);
          answers.push([
            comparable(reply.body, id, eve),
            comparable(JSON.stringify(after), id, eve),
            reply.told,
            reply.event?.etag === seen.etag,
            after.etag === seen.etag,
            after.updated === seen.updated,
          ]);
        }
        expect(answers[1]).toEqual(answers[0]);
      });
    });
  });

  test.each<[string, object, string[]]>([
    ['nobody', guests(bob), [bob, carol, room]],
    ['all', { attendees: null }, [carol, room]],
  ])('a guest who may modify and lists %s removes none of them', async (_name, body, left) => {
    const attendees = [{ email: bob }, { email: carol }, { email: room, resource: true }];
    const id = await make({ guestsCanModify: true, attendees });
    await gateway.change(id, body, { as: bob });
    expect(emails(await gateway.on(alice, id)).sort()).toEqual(left.sort());
  });

  test('one who invites a hidden guest changes nothing about that one', async () => {
    const id = await make({ attendees: more });
    await gateway.change(id, add({ email: eve, displayName: 'Evil', optional: true }), { as: bob });
    expect(entryOf(await gateway.on(alice, id), eve)).toMatchObject({ ...more[2], optional: false });
  });

  test.each<[string, string, (seen: Shown) => object]>([
    ['answers', carol, () => answer(carol, 'declined', 'No')],
    ['takes it off the own calendar', carol, () => ({ status: 'cancelled' })],
    ['is taken off the list', alice, () => guests(bob)],
    ['is added', alice, ({ attendees }) => ({ attendees: [...attendees, { email: newcomer }] })],
    ['gets another name', alice, (seen) => withEntry(seen, eve, { displayName: 'E' })],
  ])('when a hidden guest %s, others see no change: no etag, updated or list', async (_name, as, body) => {
    const id = await make(guests(bob, carol, eve));
    // The same of a series that has a changed instance.
    const [series, instance] = await makeSeries(guests(bob, carol, eve));
    await gateway.change(instance, { summary: 'Changed' });
    const { etag } = await gateway.on(alice, id);
    const change = async () => {
      for (const one of [id, series]) await gateway.change(one, body(await gateway.on(as, one)), { as });
    };
    const { before, after, synced } = await seenChange(change, id, bob);
    expect([after, synced]).toEqual([before, []]);
    expect((await gateway.on(alice, id)).etag).not.toBe(etag);
  });

  test.each<[string, (seen: Shown) => object]>([
    ['the title changes', () => ({ summary: 'New' })],
    ["the organizer's entry changes", (seen) => withEntry(seen, alice, { comment: 'In the small room' })],
    ['the own entry changes', (seen) => withEntry(seen, bob, { optional: true })],
    ['all may see each other', () => ({ guestsCanSeeOtherGuests: true })],
  ])('when %s, each of them sees it: by the etag, by updated, and in the sync list', async (_name, body) => {
    const id = await make(guests(alice, bob, carol));
    const change = async () => gateway.change(id, body(await gateway.on(alice, id)));
    expect(await seenChange(change, id, bob)).toMatchObject({ etag: true, updated: true, synced: [id] });
  });

  test('a guest who reads the organizer’s calendar sees there that the own entry changed, and nothing of the others', async () => {
    const id = await make({ visibility: 'private', ...guests(eve) });
    const optional = { email: rita, optional: true };
    const steps: readonly (readonly [entries: object[], isTold: boolean])[] = [
      [[{ email: eve }, { email: rita }], true],
      [[{ email: rita }], false],
      [[optional], true],
      [[optional, { email: carol }], false],
    ];
    for (const [attendees, isTold] of steps) {
      const { etag, synced } = await seenChange(() => gateway.change(id, { attendees }), id, rita, alice);
      expect([attendees, etag, synced]).toEqual([attendees, isTold, isTold ? [id] : []]);
    }
  });

  test.each([
    ['as the series', undefined],
    ['by itself', 'tentative'],
  ])(
    'a guest who reads the organizer’s calendar is told of an instance by the own answer there, given %s, and not of its other guests',
    async (_how, own) => {
      const of = (responseStatus: string) => ({ email: rita, responseStatus });
      const [, instance] = await makeSeries({ attendees: [of('accepted'), { email: eve }] });
      const list = own === undefined ? {} : { attendees: [of(own), { email: eve }] };
      await gateway.change(instance, { summary: 'Own', ...list });
      const steps: readonly (readonly [entries: object[], isTold: boolean])[] = [
        [[of(own ?? 'accepted'), { email: carol }], false],
        [[of('declined'), { email: carol }], true],
        [[of('declined')], false],
        [[], true],
      ];
      for (const [attendees, isTold] of steps) {
        const change = () => gateway.change(instance, { attendees });
        const { etag, synced } = await seenChange(change, instance, rita, alice);
        expect([attendees, etag, synced]).toEqual([attendees, isTold, isTold ? [instance] : []]);
      }
    },
  );

  test.each(['a single event', 'a series', 'an instance'])(
    'a guest who reads the organizer’s calendar is told there of %s that goes from the own one, and comes back',
    async (what) => {
      const recurrence = what === 'a single event' ? undefined : daily.recurrence;
      const made = await make({ ...daily, recurrence, ...guests(rita, carol) });
      const id = what === 'an instance' ? nth(made, 2) : made;
      const remove = 'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id) }';
      const set = (status: string) => gateway.change(id, { status }, { as: rita });
      const steps = [
        ['declined', () => gateway.run(remove, { id }, rita)],
        ['needsAction', () => set('confirmed')],
        ['declined', () => set('cancelled')],
      ] as const;
      for (const [responseStatus, act] of steps) {
        const { after, etag, synced } = await seenChange(act, id, rita, alice);
        expect([entryOf(after, rita).responseStatus, etag, synced]).toEqual([responseStatus, true, [id]]);
      }
      // The instance stays an entry of the list, though it is as its series again.
      await set('confirmed');
      expect((await listed(gateway, rita, '', alice)).ids).toContain(id);
      const rename = () => gateway.change(made, { summary: 'Renamed' });
      const { after, synced } = await seenChange(rename, id, rita, alice);
      expect(synced).toContain(id);
      expect(after.summary).toBe('Renamed');
    },
  );

  test('a reader of the organizer’s calendar who becomes a guest of one instance, and leaves it again, is told of both', async () => {
    const [, instance] = await makeSeries(guests(carol));
    for (const list of [guests(carol, rita), guests(carol)]) {
      const { etag, synced } = await seenChange(() => gateway.change(instance, list), instance, rita, alice);
      expect([etag, synced]).toEqual([true, [instance]]);
    }
  });

  test.each([
    ['in their order', [carol, eve]],
    ['in another order', [eve, carol]],
  ])(
    'the organizer comes before a guest of an instance as before, when the series gets the organizer too, with hidden guests %s',
    async (_how, hidden) => {
      const [id, instance] = await makeSeries(guests(bob, carol, eve));
      await gateway.change(instance, guests(alice, bob, ...hidden));
      await gateway.change(id, guests(bob, carol, eve, alice));
      expect(emails(await gateway.on(bob, instance))).toEqual([alice, bob]);
    },
  );

  test('who organizes on another calendar, and is a guest, sees all on the own one, and so do its readers: but not guests among them', async () => {
    const calendarId = await calendarsOf(gateway).make({ summary: 'Team' }, bob);
    const id = await make(guests(bob, carol, rita), { as: bob, calendarId });
    const attendees = [{ email: bob }, { email: carol }, { email: rita, optional: true }, { email: eve }];
    for (const list of [attendees.slice(0, 3), attendees]) {
      const readers = [bob, fritz, rita];
      const state = (as: string) => Promise.all([gateway.on(bob, id, as), listed(gateway, as, '', bob)]);
      const before = await Promise.all(readers.map(state));
      await gateway.change(id, { attendees: list }, { as: bob, calendarId });
      const told = readers.map(async (as, index) => {
        const [event, { syncToken }] = before[index] as Awaited<ReturnType<typeof state>>;
        const { ids } = await listed(gateway, as, syncToken, bob);
        return [as, event.etag !== (await gateway.on(bob, id, as)).etag, ids];
      });
      expect(await Promise.all(told)).toEqual([
        [bob, true, [id]],
        [fritz, true, [id]],
        [rita, false, []],
      ]);
    }
  });

  test('an instance that shows them, of a series that hides them, tells when they change', async () => {
    const [id, instance] = await makeSeries(guests(bob, carol));
    await gateway.change(instance, { guestsCanSeeOtherGuests: true });
    const change = () => gateway.change(id, guests(bob, carol, eve));
    expect(await seenChange(change, instance, bob)).toMatchObject({
      etag: true,
      updated: true,
      synced: [instance],
    });
  });
});
