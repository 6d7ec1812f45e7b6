import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  fritz,
  hour,
  many,
  people,
  popup,
  rita,
  room,
  startEvents,
  zoned,
  type Controls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { calendarsOf } from '../calendar/calendar.harness.ts';
import { guestListWays } from './guest-list-ways.ts';

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
const crowd = [
  { email: bob },
  { email: eve },
  ...many(198, (index) => ({ email: `guest${index}@elsewhere.example` })),
];
const newcomer = 'newcomer@elsewhere.example';
const pairs = [
  { count: 'two', other: more },
  { count: '199', other: crowd },
];

type Step = (seen: Shown, hidden: string) => readonly [body: object, controls?: Controls];
const add = (...entries: object[]) => ({ attendees: [{ email: bob }, ...entries] });
const steps: Readonly<Record<string, Step>> = {
  'sending it back as it was read': (seen) => [seen],
  'an answer': () => [
    { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] },
    { sendUpdates: 'all' },
  ],
  'an answer within the whole list': () => [
    { attendees: [{ email: bob, responseStatus: 'declined', comment: 'No' }] },
    { sendUpdates: 'externalOnly' },
  ],
  'inviting somebody who is on the hidden list of one': (_seen, hidden) => [
    add({ email: hidden }),
    { sendUpdates: 'all' },
  ],
  'inviting that one with a name and an answer': (_seen, hidden) => [
    add({ email: hidden, displayName: 'E', optional: true }),
    { maxAttendees: 1 },
  ],
  'inviting that one as a resource, in a dry run': (_seen, hidden) => [
    add({ email: hidden.toUpperCase(), resource: true }),
    { validateOnly: true },
  ],
  'inviting somebody': () => [add({ email: newcomer }), { sendUpdates: 'all' }],
  'inviting that one and somebody else': (_seen, hidden) => [
    add({ email: hidden }, { email: newcomer }),
    { maxAttendees: 2, sendUpdates: 'all' },
  ],
  'an answer for that one': (_seen, hidden) => [
    { attendeesOmitted: true, attendees: [{ email: hidden, responseStatus: 'declined' }] },
  ],
  'that one twice': (_seen, hidden) => [add({ email: hidden }, { email: hidden })],
  'an own colour and a reminder': () => [
    { colorId: '3', reminders: { useDefault: false, overrides: [popup(3)] } },
  ],
  'made-up addresses': () => [{}, { alwaysIncludeEmail: true, maxAttendees: 1 }],
  'taking it off the own calendar': () => [{ status: 'cancelled' }, { sendUpdates: 'all' }],
  'taking that one and a stranger off': (_seen, hidden) => [
    {},
    { attendeeChanges: { remove: [hidden, 'stranger@elsewhere.example'] }, sendUpdates: 'all' },
  ],
  'clearing the list': () => [{ attendees: null }, { sendUpdates: 'all' }],
  'a new title for all': () => [{ summary: 'New' }, { sendUpdates: 'all' }],
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
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents({ seed: { calendars: people() } });
  });
  afterAll(() => gateway.close());
  const closed = { summary: 'Plan', guestsCanSeeOtherGuests: false };
  const list =
    'query ($calendarId: String!, $syncToken: String) { result: events(calendarId: $calendarId, syncToken: $syncToken, first: 2500) { nodes { id } nextSyncToken } }';

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
          const {
            event: { id },
          } = await gateway.insert({ ...hour, ...closed, guestsCanModify, attendees });
          const seen = await gateway.on(bob, id);
          expect([emails(seen), seen.attendeesOmitted]).toEqual([[bob], false]);
          const [body, controls] = step(seen, eve);
          const answer = await patchBy(() => gateway)(id, body, { ...controls, as: bob });
          const after = await gateway.on(bob, id);
          answers.push([
            comparable(answer.body, id, eve),
            comparable(JSON.stringify(after), id, eve),
            answer.told,
            answer.event?.etag === seen.etag,
            after.etag === seen.etag,
            after.updated === seen.updated,
          ]);
        }
        expect(answers[1]).toEqual(answers[0]);
      });
    });
  });

  test.each<[string, Step]>([
    ['nobody', () => [{ attendees: [{ email: bob }] }]],
    ['all', () => [{ attendees: null }]],
  ])('a guest who may modify and lists %s removes none of them', async (name, step) => {
    const { id } = await gateway.make({
      ...closed,
      guestsCanModify: true,
      attendees: [{ email: bob }, { email: carol }, { email: room, resource: true }],
    });
    await gateway.change(id, step(undefined, eve)[0], { as: bob });
    expect(emails(await gateway.on(alice, id)).sort()).toEqual(
      [...(name === 'all' ? [] : [bob]), carol, room].sort(),
    );
  });

  test('one who invites a hidden guest changes nothing about that one', async () => {
    const {
      event: { id },
    } = await gateway.insert({ ...hour, ...closed, attendees: more });
    await gateway.change(id, add({ email: eve, displayName: 'Evil', optional: true }), { as: bob });
    expect(entryOf(await gateway.on(alice, id), eve)).toMatchObject({ ...more[2], optional: false });
  });

  test.each<[string, string, (seen: Shown) => object]>([
    [
      'answers',
      carol,
      () => ({
        attendeesOmitted: true,
        attendees: [{ email: carol, responseStatus: 'declined', comment: 'No' }],
      }),
    ],
    ['takes it off the own calendar', carol, () => ({ status: 'cancelled' })],
    ['is taken off the list', alice, () => ({ attendees: [{ email: bob }] })],
    ['is added', alice, ({ attendees }) => ({ attendees: [...attendees, { email: newcomer }] })],
    [
      'gets another name',
      alice,
      ({ attendees }) => ({
        attendees: attendees.map((entry: Shown) =>
          entry.email === eve ? { ...entry, displayName: 'E' } : entry,
        ),
      }),
    ],
  ])(
    'when a hidden guest %s, nothing changes for the others: not the etag, not updated, not their sync list',
    async (_name, as, body) => {
      const { id } = await gateway.make({
        ...closed,
        attendees: [{ email: bob }, { email: carol }, { email: eve }],
      });
      // The same of a series that has a changed instance.
      const series = await gateway.make({
        ...zoned,
        ...closed,
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
        attendees: [{ email: bob }, { email: carol }, { email: eve }],
      });
      await gateway.change(`${series.id}_20261202T090000Z`, { summary: 'Changed' });
      const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: bob }, bob)).event;
      const before = await gateway.on(bob, id);
      const { etag } = await gateway.on(alice, id);
      for (const one of [id, series.id]) await gateway.change(one, body(await gateway.on(as, one)), { as });
      expect(await gateway.on(bob, id)).toEqual(before);
      expect((await gateway.on(alice, id)).etag).not.toBe(etag);
      expect((await gateway.run(list, { calendarId: bob, syncToken }, bob)).event.nodes).toEqual([]);
    },
  );

  test.each<[string, (seen: Shown) => object]>([
    ['the title changes', () => ({ summary: 'New' })],
    [
      "the organizer's entry changes",
      ({ attendees }) => ({
        attendees: attendees.map((entry: Shown) =>
          entry.email === alice ? { ...entry, comment: 'In the small room' } : entry,
        ),
      }),
    ],
    [
      'the own entry changes',
      ({ attendees }) => ({
        attendees: attendees.map((entry: Shown) =>
          entry.email === bob ? { ...entry, optional: true } : entry,
        ),
      }),
    ],
    ['all may see each other', () => ({ guestsCanSeeOtherGuests: true })],
  ])('when %s, each of them sees it: by the etag, by updated, and in the sync list', async (_name, body) => {
    const { id } = await gateway.make({
      ...closed,
      attendees: [{ email: alice }, { email: bob }, { email: carol }],
    });
    const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: bob }, bob)).event;
    const before = await gateway.on(bob, id);
    await gateway.change(id, body(await gateway.on(alice, id)));
    const after = await gateway.on(bob, id);
    expect([after.etag === before.etag, after.updated > before.updated]).toEqual([false, true]);
    expect((await gateway.run(list, { calendarId: bob, syncToken }, bob)).event.nodes).toEqual([{ id }]);
  });

  test('a guest who reads the organizer’s calendar sees there that the own entry changed, and nothing of the others', async () => {
    const { id } = await gateway.make({ ...closed, visibility: 'private', attendees: [{ email: eve }] });
    const seen = async () => ({
      event: await gateway.on(alice, id, rita),
      sync: (await gateway.run(list, { calendarId: alice }, rita)).event.nextSyncToken,
    });
    const told = async (syncToken: string) =>
      (await gateway.run(list, { calendarId: alice, syncToken }, rita)).event.nodes;
    const steps: readonly (readonly [entries: object[], isTold: boolean])[] = [
      [[{ email: eve }, { email: rita }], true],
      [[{ email: rita }], false],
      [[{ email: rita, optional: true }], true],
      [[{ email: rita, optional: true }, { email: carol }], false],
    ];
    for (const [attendees, isTold] of steps) {
      const before = await seen();
      await gateway.change(id, { attendees });
      const after = await seen();
      expect([after.event.etag !== before.event.etag, await told(before.sync)]).toEqual([
        isTold,
        isTold ? [{ id }] : [],
      ]);
    }
  });

  test.each([
    ['as the series', undefined],
    ['by itself', 'tentative'],
  ])(
    'a guest who reads the organizer’s calendar is told of an instance by the own answer there, given %s, and not of its other guests',
    async (_how, answer) => {
      const { id } = await gateway.make({
        ...zoned,
        ...closed,
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
        attendees: [{ email: rita, responseStatus: 'accepted' }, { email: eve }],
      });
      const instance = `${id}_20261202T090000Z`;
      await gateway.change(instance, {
        summary: 'Own',
        ...(answer && { attendees: [{ email: rita, responseStatus: answer }, { email: eve }] }),
      });
      const steps: readonly (readonly [entries: object[], isTold: boolean])[] = [
        [[{ email: rita, responseStatus: answer ?? 'accepted' }, { email: carol }], false],
        [[{ email: rita, responseStatus: 'declined' }, { email: carol }], true],
        [[{ email: rita, responseStatus: 'declined' }], false],
        [[], true],
      ];
      for (const [attendees, isTold] of steps) {
        const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: alice }, rita)).event;
        const before = await gateway.on(alice, instance, rita);
        await gateway.change(instance, { attendees });
        const after = await gateway.on(alice, instance, rita);
        const told = (await gateway.run(list, { calendarId: alice, syncToken }, rita)).event.nodes;
        expect([attendees, after.etag !== before.etag, told]).toEqual([
          attendees,
          isTold,
          isTold ? [{ id: instance }] : [],
        ]);
      }
    },
  );

  test.each(['a single event', 'a series', 'an instance'])(
    'a guest who reads the organizer’s calendar is told there of %s that goes from the own one, and comes back',
    async (what) => {
      const recurrence = what === 'a single event' ? undefined : ['RRULE:FREQ=DAILY;COUNT=3'];
      const { id: made } = await gateway.make({
        ...zoned,
        ...closed,
        recurrence,
        attendees: [{ email: rita }, { email: carol }],
      });
      const id = what === 'an instance' ? `${made}_20261202T090000Z` : made;
      const steps = [
        [
          'declined',
          () =>
            gateway.run(
              'mutation ($id: String!) { result: deleteEvent(calendarId: "primary", eventId: $id) }',
              { id },
              rita,
            ),
        ],
        ['needsAction', () => gateway.change(id, { status: 'confirmed' }, { as: rita })],
        ['declined', () => gateway.change(id, { status: 'cancelled' }, { as: rita })],
      ] as const;
      for (const [responseStatus, act] of steps) {
        const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: alice }, rita)).event;
        const before = await gateway.on(alice, id, rita);
        await act();
        const after = await gateway.on(alice, id, rita);
        const { nodes } = (await gateway.run(list, { calendarId: alice, syncToken }, rita)).event;
        expect([entryOf(after, rita).responseStatus, after.etag === before.etag, nodes]).toEqual([
          responseStatus,
          false,
          [{ id }],
        ]);
      }
      // The instance stays an entry of the list, though it is as its series again.
      await gateway.change(id, { status: 'confirmed' }, { as: rita });
      const { nodes, nextSyncToken } = (await gateway.run(list, { calendarId: alice }, rita)).event;
      expect(nodes).toContainEqual({ id });
      await gateway.change(made, { summary: 'Renamed' });
      expect(
        (await gateway.run(list, { calendarId: alice, syncToken: nextSyncToken }, rita)).event.nodes,
      ).toContainEqual({ id });
      expect((await gateway.on(alice, id, rita)).summary).toBe('Renamed');
    },
  );

  test('a reader of the organizer’s calendar who becomes a guest of one instance, and leaves it again, is told of both', async () => {
    const { id } = await gateway.make({
      ...zoned,
      ...closed,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      attendees: [{ email: carol }],
    });
    const instance = `${id}_20261202T090000Z`;
    for (const attendees of [[{ email: carol }, { email: rita }], [{ email: carol }]]) {
      const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: alice }, rita)).event;
      const before = await gateway.on(alice, instance, rita);
      await gateway.change(instance, { attendees });
      expect((await gateway.on(alice, instance, rita)).etag).not.toBe(before.etag);
      expect((await gateway.run(list, { calendarId: alice, syncToken }, rita)).event.nodes).toEqual([
        { id: instance },
      ]);
    }
  });

  test.each([
    ['in their order', [carol, eve]],
    ['in another order', [eve, carol]],
  ])(
    'the organizer comes before a guest of an instance as before, when the series gets the organizer too, with hidden guests %s',
    async (_how, hidden) => {
      const { id } = await gateway.make({
        ...zoned,
        ...closed,
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
        attendees: [{ email: bob }, { email: carol }, { email: eve }],
      });
      const instance = `${id}_20261202T090000Z`;
      await gateway.change(instance, { attendees: [alice, bob, ...hidden].map((email) => ({ email })) });
      await gateway.change(id, { attendees: [bob, carol, eve, alice].map((email) => ({ email })) });
      expect(emails(await gateway.on(bob, instance))).toEqual([alice, bob]);
    },
  );

  test('who organizes on another calendar, and is a guest, sees all on the own one, and so do its readers: but not guests among them', async () => {
    const calendarId = await calendarsOf(gateway).make({ summary: 'Team' }, bob);
    const { id } = await gateway.make(
      { ...closed, attendees: [{ email: bob }, { email: carol }, { email: rita }] },
      { as: bob, calendarId },
    );
    const readers = [bob, fritz, rita];
    const seen = () =>
      Promise.all(
        readers.map(async (as) => ({
          etag: (await gateway.on(bob, id, as)).etag,
          syncToken: (await gateway.run(list, { calendarId: bob }, as)).event.nextSyncToken,
        })),
      );
    const attendees = [{ email: bob }, { email: carol }, { email: rita, optional: true }, { email: eve }];
    for (const more of [attendees.slice(0, 3), attendees]) {
      const before = await seen();
      await gateway.change(id, { attendees: more }, { as: bob, calendarId });
      const after = await seen();
      const told = await Promise.all(
        readers.map(
          async (as, index) =>
            (await gateway.run(list, { calendarId: bob, syncToken: before[index]?.syncToken }, as)).event
              .nodes,
        ),
      );
      expect(
        readers.map((as, index) => [as, before[index]?.etag !== after[index]?.etag, told[index]]),
      ).toEqual([
        [bob, true, [{ id }]],
        [fritz, true, [{ id }]],
        [rita, false, []],
      ]);
    }
  });

  test('an instance that shows them, of a series that hides them, tells when they change', async () => {
    const guests = [{ email: bob }, { email: carol }];
    const { id } = await gateway.make({
      ...zoned,
      ...closed,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      attendees: guests,
    });
    const instance = `${id}_20261202T090000Z`;
    await gateway.change(instance, { guestsCanSeeOtherGuests: true });
    const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: bob }, bob)).event;
    const before = await gateway.on(bob, instance);
    await gateway.change(id, { attendees: [...guests, { email: eve }] });
    const after = await gateway.on(bob, instance);
    expect([after.etag === before.etag, after.updated > before.updated]).toEqual([false, true]);
    expect((await gateway.run(list, { calendarId: bob, syncToken }, bob)).event.nodes).toEqual([
      { id: instance },
    ]);
  });
});
