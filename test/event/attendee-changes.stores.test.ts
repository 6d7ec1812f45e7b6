import {
  alice,
  bob,
  carol,
  type Controls,
  emails,
  entryOf,
  eve,
  many,
  type Outcome,
  room,
  type Shown,
} from './event.harness.ts';
import { daily, guests, nth } from './list.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const listed = [
  { email: alice },
  { email: bob },
  { email: eve, displayName: 'Eve', comment: 'Perhaps', responseStatus: 'tentative' },
];
const strangers = (count: number, from = 0): string[] =>
  many(count, (index) => `guest${from + index}@elsewhere.example`);
const entries = (...addresses: string[]) => guests(...addresses).attendees;
const at = (problem: string): string => `BAD_USER_INPUT attendeeChanges${problem}`;

interface Changes {
  readonly add?: readonly (object | null)[] | null;
  readonly remove?: readonly (string | null)[] | null;
}

describe.each(stores)('attendeeChanges, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const make = async (body: object = {}): Promise<string> =>
    (await gateway.make({ attendees: listed, ...body })).id;
  const patch = (id: string, attendeeChanges: Changes | null, controls: Controls = {}, event = {}) =>
    gateway.patch(id, event, { attendeeChanges, ...controls });
  const change = (
    id: string,
    attendeeChanges: Changes,
    controls: Controls = {},
    event = {},
  ): Promise<Shown> => gateway.change(id, event, { attendeeChanges, ...controls });

  describe('is refused, and nothing is stored:', () => {
    test.each<[string, Changes, string[]]>([
      ['an address twice in add', { add: entries(carol, 'Carol@EXAMPLE.com') }, ['.add.1.email invalid']],
      ['an address twice in remove', { remove: [bob, carol, 'BOB@example.com'] }, ['.remove.2 invalid']],
      ['an address in both', { add: entries(carol), remove: ['CAROL@example.com'] }, ['.remove.0 invalid']],
      ['entries of null', { add: [null], remove: [null] }, ['.add.0 required', '.remove.0 required']],
      [
        'an entry that breaks the rules, behind others',
        { add: [{ email: bob }, { email: eve, additionalGuests: -1 }] },
        ['.add.1.additionalGuests invalid'],
      ],
      ['201 entries to add', { add: entries(...strangers(201)) }, [' tooMany']],
      ['201 entries in both', { add: entries(...strangers(101)), remove: strangers(100, 101) }, [' tooMany']],
    ])('%s', async (_name, changes, problems) => {
      const id = await make();
      const before = await gateway.on(alice, id);
      const { event, problems: found } = await patch(id, changes);
      expect([event ?? null, found]).toEqual([null, problems.map(at)]);
      expect(await gateway.on(alice, id)).toEqual(before);
    });

    test.each([
      ['a list', guests(bob)],
      ['null', { attendees: null }],
      ['attendeesOmitted', { attendeesOmitted: true, ...guests(alice) }],
      ['attendeesOmitted alone', { attendeesOmitted: true }],
    ])('beside %s in the event', async (_name, event) => {
      const id = await make();
      for (const changes of [{ add: entries(carol) }, {}])
        expect((await patch(id, changes, {}, event)).problems).toEqual([at(' invalid')]);
    });
    test('together with the issues of the event and of the arguments', async () => {
      const changes = { add: entries('Bob'), remove: [eve, eve] };
      const { problems } = await patch(await make(), changes, { maxAttendees: 0 }, { colorId: '12' });
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
        at('.add.0.optional invalid'),
        at('.add.1.email invalid'),
        at('.add.2.email invalid'),
        at('.remove.1 invalid'),
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
    test('of a cancelled event, unless it changes nothing', async () => {
      const id = await make();
      const cancelled = await gateway.change(id, { status: 'cancelled' });
      const { problems } = await patch(id, { add: entries(carol) });
      expect(problems).toEqual(['FORBIDDEN event.status forbidden']);
      expect(await change(id, { add: entries(bob), remove: [carol] })).toEqual(cancelled);
    });
  });

  test('adds, changes and removes in one step and leaves all others as they are', async () => {
    const id = await make({ attendees: [...listed, { email: room, resource: true }] });
    const answer = { email: bob, responseStatus: 'accepted', comment: 'Yes' };
    await gateway.change(id, { attendeesOmitted: true, attendees: [answer] }, { as: bob });
    const [first, second, third] = (await gateway.on(alice, id)).attendees;
    const add = [
      { email: 'EVE@elsewhere.example', comment: null, optional: true },
      { email: newcomer, displayName: 'New' },
    ];
    const { event, told } = await patch(
      id,
      { add, remove: ['ROOM3@resource.example'] },
      { sendUpdates: 'all' },
    );
    const changed = { ...third, comment: null, optional: true };
    const added = { email: newcomer, displayName: 'New', responseStatus: 'needsAction' };
    expect(event.attendees).toMatchObject([first, second, changed, added]);
    expect(told).toBe(3);
    expect((await gateway.on(bob, id)).attendees).toMatchObject(
      event.attendees.map(({ self: _self, ...entry }: Shown) => entry),
    );
  });

  test('goes with other changes of the event, and with a dry run', async () => {
    const id = await make();
    const before = await gateway.on(alice, id);
    const add = entries(carol);
    expect(emails(await change(id, { add }, { validateOnly: true }))).toEqual([alice, bob, eve, carol]);
    expect(await gateway.on(alice, id)).toEqual(before);
    const event = await change(id, { add }, { ifMatch: before.etag }, { summary: 'New' });
    expect(event).toMatchObject({ summary: 'New', attendees: [{}, {}, {}, { email: carol }] });
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
    const id = await make(guests(bob));
    expect((await change(id, { remove: [bob] })).attendees).toEqual([]);
    for (const one of [id, (await gateway.make()).id])
      expect(emails(await change(one, { add: entries(bob) }))).toEqual([bob]);
  });

  test('a full list takes changes of those on it, and one for one', async () => {
    const id = await make(guests(...strangers(200)));
    const add = entries(carol);
    expect((await patch(id, { add })).problems).toEqual([at(' tooMany')]);
    expect(emails(await change(id, { add, remove: strangers(1) })).at(-1)).toBe(carol);
    expect(emails(await change(id, { remove: strangers(199, 1) }))).toEqual([carol]);
    expect((await change(id, { add: entries(...strangers(199, 1)) })).attendees).toHaveLength(200);
  });

  test('of an instance changes its list alone', async () => {
    const id = await make(daily);
    const instance = nth(id, 2);
    const event = await change(instance, { add: entries(carol), remove: [eve] });
    for (const shown of [event, await gateway.on(carol, instance)])
      expect(emails(shown)).toEqual([alice, bob, carol]);
    for (const shown of [await gateway.on(alice, id), await gateway.on(bob, nth(id, 3))])
      expect(emails(shown)).toEqual([alice, bob, eve]);
    expect(await change(instance, { remove: [eve] })).toEqual(await gateway.on(alice, instance));
  });

  test('an answer to an instance leaves it the list of its series', async () => {
    const id = await make(daily);
    await change(nth(id, 2), { add: [{ email: bob, responseStatus: 'declined' }] }, { as: bob });
    await change(id, { add: entries(carol) });
    const { attendees } = await gateway.on(alice, nth(id, 2));
    expect(attendees.map(({ email, responseStatus }: Shown) => `${email} ${responseStatus}`)).toEqual([
      `${alice} needsAction`,
      `${bob} declined`,
      `${eve} tentative`,
      `${carol} needsAction`,
    ]);
  });

  test('where the guests are hidden removing one tells nothing and does nothing; adding one is answered as for a stranger', async () => {
    const hidden = { guestsCanSeeOtherGuests: false, guestsCanModify: true };
    const id = await make(hidden);
    const seen = await gateway.on(bob, id);
    expect(await change(id, { remove: [eve, newcomer] }, { as: bob })).toEqual(seen);
    const controls = { as: bob, sendUpdates: 'all' };
    const added = await patch(id, { add: [{ email: eve, displayName: 'E' }] }, controls);
    const strange = await patch(
      await make(hidden),
      { add: [{ email: newcomer, displayName: 'E' }] },
      controls,
    );
    const answered = ({ told, event, notes, problems }: Outcome) => [
      told,
      emails(event).length,
      notes,
      problems,
    ];
    expect(answered(added)).toEqual(answered(strange));
    expect(added.event.etag).not.toBe(seen.etag);
    const { displayName, comment } = entryOf(await gateway.on(alice, id), eve);
    expect([displayName, comment]).toEqual(['Eve', 'Perhaps']);
  });
});
