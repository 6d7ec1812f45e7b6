import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  many,
  room,
  zoned,
  type Controls,
  type EventGateway,
  type Outcome,
  type Shown,
} from './event.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const listed = [
  { email: alice },
  { email: bob },
  { email: eve, displayName: 'Eve', comment: 'Perhaps', responseStatus: 'tentative' },
];
const strangers = (count: number, from = 0): { email: string }[] =>
  many(count, (index) => ({ email: `guest${from + index}@elsewhere.example` }));
const at = (path: string, reason: string): string => `BAD_USER_INPUT attendeeChanges${path} ${reason}`;

interface Changes {
  readonly add?: readonly (object | null)[] | null;
  readonly remove?: readonly (string | null)[] | null;
}

describe.each(stores)('attendeeChanges, over $name', ({ useGateways }) => {
  const start = useGateways();

  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await start();
  });
  const make = async (body: object = {}): Promise<string> =>
    (await gateway.make({ attendees: listed, ...body })).id;
  const patch = (
    id: string,
    attendeeChanges: Changes | null,
    controls: Controls = {},
    event: object = {},
  ): Promise<Outcome> => gateway.patch(id, event, { attendeeChanges, ...controls });
  const change = (
    id: string,
    attendeeChanges: Changes,
    controls: Controls = {},
    event: object = {},
  ): Promise<Shown> => gateway.change(id, event, { attendeeChanges, ...controls });

  describe('is refused, and nothing is stored:', () => {
    test.each<[string, Changes, string[]]>([
      [
        'an address twice in add',
        { add: [{ email: carol }, { email: 'Carol@EXAMPLE.com' }] },
        [at('.add.1.email', 'invalid')],
      ],
      [
        'a listed one twice in add',
        { add: [{ email: bob }, { email: bob }] },
        [at('.add.1.email', 'invalid')],
      ],
      [
        'an address twice in remove',
        { remove: [bob, carol, 'BOB@example.com'] },
        [at('.remove.2', 'invalid')],
      ],
      [
        'an address in both',
        { add: [{ email: carol }], remove: ['CAROL@example.com'] },
        [at('.remove.0', 'invalid')],
      ],
      [
        'an entry without an address',
        { add: [{ email: carol }, { displayName: 'Nobody' }] },
        [at('.add.1.email', 'required')],
      ],
      ['an address of null', { add: [{ email: null }] }, [at('.add.0.email', 'required')]],
      ['no address but a profile', { add: [{ id: 'profile-7' }] }, [at('.add.0.email', 'required')]],
      [
        'two without an address',
        { add: [{}, { displayName: 'Nobody' }] },
        [at('.add.0.email', 'required'), at('.add.1.email', 'required')],
      ],
      [
        'entries of null',
        { add: [null], remove: [null] },
        [at('.add.0', 'required'), at('.remove.0', 'required')],
      ],
      ['what is no address', { add: [{ email: 'Bob' }] }, [at('.add.0.email', 'invalid')]],
      [
        'a made-up address',
        { add: [{ email: 'organizer@no-email.invalid' }] },
        [at('.add.0.email', 'invalid')],
      ],
      [
        'an entry that breaks the rules, behind others',
        { add: [{ email: bob }, { email: eve, additionalGuests: -1 }] },
        [at('.add.1.additionalGuests', 'invalid')],
      ],
      ['201 entries to add', { add: strangers(201) }, [at('', 'tooMany')]],
      [
        '201 entries in both together',
        { add: strangers(101), remove: strangers(100, 101).map(({ email }) => email) },
        [at('', 'tooMany')],
      ],
      ['201 guests afterwards', { add: strangers(198) }, [at('', 'tooMany')]],
    ])('%s', async (_name, changes, problems) => {
      const id = await make();
      const before = await gateway.on(alice, id);
      const { event, problems: found } = await patch(id, changes);
      expect([event ?? null, found]).toEqual([null, problems]);
      expect(await gateway.on(alice, id)).toEqual(before);
    });

    test.each([
      ['a list', { attendees: [{ email: bob }] }],
      ['null', { attendees: null }],
      ['attendeesOmitted', { attendeesOmitted: true, attendees: [{ email: alice }] }],
      ['attendeesOmitted alone', { attendeesOmitted: true }],
    ])('beside %s in the event', async (_name, event) => {
      const id = await make();
      for (const changes of [{ add: [{ email: carol }] }, {}])
        expect((await patch(id, changes, {}, event)).problems).toEqual([at('', 'invalid')]);
    });
    test('together with the issues of the event and of the arguments', async () => {
      const { problems } = await patch(
        await make(),
        { add: [{ email: 'Bob' }], remove: [eve, eve] },
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
    test('together with what does not fit its type', async () => {
      const { problems } = await patch(await make(), {
        add: [{ email: carol, optional: 'perhaps' }, { email: carol }, { email: 'Bob' }],
        remove: [bob, bob],
      });
      expect(problems.toSorted()).toEqual([
        at('.add.0.optional', 'invalid'),
        at('.add.1.email', 'invalid'),
        at('.add.2.email', 'invalid'),
        at('.remove.1', 'invalid'),
      ]);
    });

    test('the address that a guest takes off as the own: deleteEvent does that', async () => {
      for (const body of [{}, { guestsCanModify: true }]) {
        const id = await make(body);
        const { errors, problems } = await patch(id, { remove: ['Bob@example.com'] }, { as: bob });
        expect(problems).toEqual(['FORBIDDEN attendeeChanges.remove.0 forbidden']);
        expect(errors?.[0]?.message).toContain('deleteEvent');
        expect(emails(await gateway.on(alice, id))).toEqual([alice, bob, eve]);
      }
    });
    test.each<[string, Changes, object]>([
      ['another off', { remove: [eve] }, {}],
      ['a change of another', { add: [{ email: eve, displayName: 'E' }] }, {}],
      ['what only the organizer sets of the own entry', { add: [{ email: bob, optional: true }] }, {}],
      ['an answer for another', { add: [{ email: eve, responseStatus: 'accepted' }] }, {}],
      [
        'somebody new where guests may not invite',
        { add: [{ email: newcomer }] },
        { guestsCanInviteOthers: false },
      ],
    ])('by a guest: %s', async (_name, changes, body) => {
      const id = await make(body);
      expect((await patch(id, changes, { as: bob })).problems).toEqual([
        'FORBIDDEN attendeeChanges forbiddenForNonOrganizer',
      ]);
    });
    test('of a cancelled event, unless it changes nothing', async () => {
      const id = await make();
      const cancelled = await gateway.change(id, { status: 'cancelled' });
      expect((await patch(id, { add: [{ email: carol }] })).problems).toEqual([
        'FORBIDDEN event.status forbidden',
      ]);
      expect(await change(id, { add: [{ email: bob }], remove: [carol] })).toEqual(cancelled);
    });
    test('where ifMatch is not the etag', async () => {
      const id = await make();
      expect((await patch(id, { add: [{ email: carol }] }, { ifMatch: '"other"' })).problems).toEqual([
        'PRECONDITION_FAILED ifMatch conditionNotMet',
      ]);
    });
  });

  test('adds, changes and removes in one step and leaves all others as they are', async () => {
    const id = await make({ attendees: [...listed, { email: room, resource: true }] });
    await gateway.change(
      id,
      { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted', comment: 'Yes' }] },
      { as: bob },
    );
    const before = await gateway.on(alice, id);
    const { event, told } = await patch(
      id,
      {
        add: [
          { email: 'EVE@elsewhere.example', comment: null, optional: true },
          { email: newcomer, displayName: 'New' },
        ],
        remove: ['ROOM3@resource.example'],
      },
      { sendUpdates: 'all' },
    );
    const [first, second, third] = before.attendees;
    expect(event.attendees).toMatchObject([
      first,
      second,
      { ...third, comment: null, optional: true },
      { email: newcomer, displayName: 'New', responseStatus: 'needsAction' },
    ]);
    expect(event.attendees).toHaveLength(4);
    expect(told).toBe(3);
    expect((await gateway.on(bob, id)).attendees).toMatchObject(
      event.attendees.map(({ self: _self, ...entry }: Shown) => entry),
    );
  });

  test('goes with other changes of the event, and with a dry run', async () => {
    const id = await make();
    const before = await gateway.on(alice, id);
    expect(emails(await change(id, { add: [{ email: carol }] }, { validateOnly: true }))).toEqual([
      alice,
      bob,
      eve,
      carol,
    ]);
    expect(await gateway.on(alice, id)).toEqual(before);
    expect(
      await change(id, { add: [{ email: carol }] }, { ifMatch: before.etag }, { summary: 'New' }),
    ).toMatchObject({ summary: 'New', attendees: [{}, {}, {}, { email: carol }] });
    expect((await gateway.on(carol, id)).summary).toBe('New');
  });

  test.each<[string, Changes | null]>([
    ['null', null],
    ['nothing', {}],
    ['nulls', { add: null, remove: null }],
    ['empty lists', { add: [], remove: [] }],
    ['who is there', { add: [{ email: 'BOB@example.com' }, { email: eve, displayName: 'Eve' }] }],
    ['a stranger to be removed', { remove: [newcomer, 'no address', ''] }],
  ])('of %s is no change', async (_name, changes) => {
    for (const attendees of [listed, [], undefined]) {
      if (attendees !== listed && changes?.add?.length) continue;
      const { id } = await gateway.make({ attendees });
      const before = await gateway.on(alice, id);
      expect(await change(id, changes ?? {})).toEqual(before);
      expect((await patch(id, changes)).event).toEqual(before);
    }
  });

  test('takes the last one off, and puts the first one on', async () => {
    const id = await make({ attendees: [{ email: bob }] });
    expect((await change(id, { remove: [bob] })).attendees).toEqual([]);
    expect(emails(await change(id, { add: [{ email: bob }] }))).toEqual([bob]);
    const { id: other } = await gateway.make();
    expect(emails(await change(other, { add: [{ email: bob }] }))).toEqual([bob]);
  });

  test('a full list takes changes of those on it, and one for one', async () => {
    const id = await make({ attendees: strangers(200) });
    expect((await patch(id, { add: [{ email: carol }] })).problems).toEqual([at('', 'tooMany')]);
    expect(
      emails(await change(id, { add: [{ email: carol }], remove: [strangers(1)[0]?.email ?? ''] })).at(-1),
    ).toBe(carol);
    expect(emails(await change(id, { remove: strangers(199, 1).map(({ email }) => email) }))).toEqual([
      carol,
    ]);
    expect((await change(id, { add: strangers(199, 1) })).attendees).toHaveLength(200);
  });

  test('of a guest: invites, and answers with the own entry', async () => {
    const id = await make();
    const event = await change(
      id,
      { add: [{ email: bob, responseStatus: 'accepted' }, { email: newcomer }] },
      { as: bob },
    );
    expect(emails(event)).toEqual([alice, bob, eve, newcomer]);
    expect(entryOf(await gateway.on(alice, id), bob).responseStatus).toBe('accepted');
  });

  test('of an instance changes its list alone', async () => {
    const { id } = await gateway.make({
      ...zoned,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      attendees: listed,
    });
    const instance = `${id}_20261202T090000Z`;
    const event = await change(instance, { add: [{ email: carol }], remove: [eve] });
    expect(emails(event)).toEqual([alice, bob, carol]);
    expect(emails(await gateway.on(carol, instance))).toEqual([alice, bob, carol]);
    expect(emails(await gateway.on(alice, id))).toEqual([alice, bob, eve]);
    expect(emails(await gateway.on(bob, `${id}_20261203T090000Z`))).toEqual([alice, bob, eve]);
    expect(await change(instance, { remove: [eve] })).toEqual(await gateway.on(alice, instance));
  });

  test('an answer to an instance leaves it the list of its series', async () => {
    const { id } = await gateway.make({
      ...zoned,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      attendees: listed,
    });
    const instance = `${id}_20261202T090000Z`;
    await change(instance, { add: [{ email: bob, responseStatus: 'declined' }] }, { as: bob });
    await change(id, { add: [{ email: carol }] });
    const { attendees } = await gateway.on(alice, instance);
    expect(attendees.map(({ email, responseStatus }: Shown) => [email, responseStatus])).toEqual([
      [alice, 'needsAction'],
      [bob, 'declined'],
      [eve, 'tentative'],
      [carol, 'needsAction'],
    ]);
  });

  describe('where the guests are hidden', () => {
    const hidden = { guestsCanSeeOtherGuests: false, guestsCanModify: true };
    test('removing one tells nothing and does nothing; adding one is answered as for a stranger', async () => {
      const id = await make(hidden);
      const seen = await gateway.on(bob, id);
      expect(await change(id, { remove: [eve, newcomer] }, { as: bob })).toEqual(seen);
      const added = await patch(
        id,
        { add: [{ email: eve, displayName: 'E' }] },
        { as: bob, sendUpdates: 'all' },
      );
      const strange = await patch(
        await make(hidden),
        { add: [{ email: newcomer, displayName: 'E' }] },
        { as: bob, sendUpdates: 'all' },
      );
      expect([added.told, emails(added.event).length, added.notes, added.problems]).toEqual([
        strange.told,
        emails(strange.event).length,
        strange.notes,
        strange.problems,
      ]);
      expect(added.event.etag).not.toBe(seen.etag);
      expect(entryOf(await gateway.on(alice, id), eve)).toMatchObject({
        displayName: 'Eve',
        comment: 'Perhaps',
      });
    });
  });
});
