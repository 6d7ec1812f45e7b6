import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  fritz,
  hour,
  popup,
  rita,
  type Shown,
  wanda,
} from './event.harness.ts';
import { answer, closed, daily, guests, hourAt, listed, nth } from './list.harness.ts';
import { stores } from '../stores.ts';

const reminders = { useDefault: false, overrides: [popup(3)] };

describe.each(stores)('a caller, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const list = (as: string, args = '', calendarId = as) => listed(gateway, as, args, calendarId);
  const ids = async (...args: Parameters<typeof list>): Promise<string[]> => (await list(...args)).ids;
  const token = async (as: string): Promise<string> => (await list(as)).syncToken;
  const days = (id: string, ...of: number[]): string[] => of.map((day) => nth(id, day));
  const change = (id: string, body: object, as = alice): Promise<Shown> => gateway.change(id, body, { as });
  const series = async (...bodies: object[]): Promise<string> =>
    (await gateway.make(Object.assign({}, daily, ...bodies) as object)).id;

  test.each([
    ['a reader', rita, 'singleEvents: true'],
    ['a reader', rita, 'showDeleted: true'],
    ['a reader', rita, 'singleEvents: true, orderBy: startTime'],
    ['a free/busy reader', fritz, 'singleEvents: true'],
    ['a free/busy reader', fritz, 'singleEvents: true, orderBy: updated'],
  ])('who is %s (%s) finds no private series or event by its iCalUID (%s)', async (_role, as, args) => {
    const secret = { visibility: 'private' };
    const [own, single, open] = [
      await gateway.make({ ...daily, ...secret }),
      await gateway.make(secret),
      await gateway.make(daily),
    ];
    const found = ({ iCalUID }: Shown, by = as) => ids(by, `${args}, iCalUID: "${iCalUID}"`, alice);
    expect([await found(own), await found(single)]).toEqual([[], []]);
    expect((await found(open)).length > 0).toBe(as === rita);
    expect((await found(own, alice)).length).toBeGreaterThan(0);
  });

  describe('who was taken off a guest list', () => {
    test.each([
      ['an event', hour, ''],
      ['a series', daily, ''],
      ['a series as single events', daily, 'singleEvents: true, '],
    ])('has what was left of %s: found by its time then, not by its iCalUID', async (_name, times, more) => {
      const { id, iCalUID } = await gateway.make({ ...times, ...guests(bob, carol) });
      await change(id, guests(carol));
      const before = await list(bob, `${more}showDeleted: true`);
      await change(id, hourAt('2026-12-24', 10));
      const on = (date: string) => `timeMin: "${date}T00:00:00Z", timeMax: "${date}T23:00:00Z"`;
      expect(await ids(bob, `${more}showDeleted: true, ${on('2026-12-01')}`)).toHaveLength(1);
      expect(await ids(bob, `${more}showDeleted: true, ${on('2026-12-24')}`)).toEqual([]);
      expect(await ids(bob, `${more}showDeleted: true, iCalUID: "${iCalUID}"`)).toEqual([]);
      expect((await list(bob, `${more}showDeleted: true`)).nodes).toEqual(before.nodes);
      expect(await ids(carol, more + on('2026-12-24'))).toHaveLength(1);
    });

    test('is told once, and never again of what becomes of it', async () => {
      const { id: single } = await gateway.make(guests(bob, carol));
      const id = await series(guests(bob, carol));
      await change(nth(id, 2), { summary: 'Own' });
      const first = await token(bob);
      for (const one of [single, id]) await change(one, { ...guests(carol), location: 'Room 1' });
      const told = await list(bob, first);
      const all = [single, id, nth(id, 2)];
      expect(told.shown).toEqual(all.map((one) => `${one} cancelled`));
      for (const one of [single, id]) await change(one, { summary: 'Later', ...guests(carol, eve) });
      await change(nth(id, 2), { summary: 'Later' });
      await change(nth(id, 3), { summary: 'New' });
      expect(await ids(bob, told.syncToken)).toEqual([]);
      expect(await ids(bob, 'showDeleted: true')).toEqual(all);
    });

    test('of one instance has that one as it was', async () => {
      const id = await series(guests(bob));
      const instance = nth(id, 2);
      await change(instance, guests(bob, carol));
      await change(instance, guests(bob));
      const before = await list(carol, 'showDeleted: true');
      expect(before.ids).toEqual([instance]);
      await change(instance, hourAt('2026-12-24', 10));
      await change(id, { summary: 'New' });
      expect(await ids(carol, before.syncToken)).toEqual([]);
      expect(await ids(carol, 'showDeleted: true, timeMin: "2026-12-24T00:00:00Z"')).toEqual([]);
      expect((await list(carol, 'showDeleted: true')).nodes).toEqual(before.nodes);
    });
  });

  test('who is off one instance has nothing more of it for having removed the series', async () => {
    const id = await series(guests(bob, carol));
    await change(nth(id, 2), { ...guests(bob), summary: 'Secret' });
    expect((await gateway.on(carol, nth(id, 2))).summary).toBeNull();
    await change(id, { status: 'cancelled' }, carol);
    const after = await gateway.on(carol, nth(id, 2));
    expect(after).toMatchObject({ summary: null, attendees: null, start: null });
    await change(nth(id, 2), { summary: 'More' });
    expect(await gateway.on(carol, nth(id, 2))).toEqual(after);
  });

  test('inserts an instance that others alone keep something on, or a hidden guest has answered', async () => {
    const id = await series(closed, { guestsCanModify: true }, guests(bob, carol));
    await change(nth(id, 2), answer(carol, 'declined'), carol);
    await change(nth(id, 3), { colorId: '5' }, carol);
    const instance = (day: number) => ({
      recurringEventId: id,
      originalStartTime: { dateTime: `2026-12-0${day}T09:00:00Z` },
      ...hourAt(`2026-12-0${day}`, 15),
    });
    for (const day of [2, 3])
      expect((await gateway.make(instance(day), { as: bob, calendarId: bob })).id).toBe(nth(id, day));
    const again = await gateway.insert(instance(3), { as: bob });
    expect(again.problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
    expect(entryOf(await gateway.on(alice, nth(id, 2)), carol).responseStatus).toBe('declined');
  });

  test('who alone keeps something on an instance is told when its series changes', async () => {
    const id = await series();
    await change(nth(id, 2), { reminders });
    const since = await token(alice);
    await change(id, { summary: 'New' });
    expect(await ids(alice, since)).toEqual([id, nth(id, 2)]);
    expect(await ids(wanda, '', alice)).toEqual([id]);
  });

  test('who was taken off a series finds nothing left of an instance that only a hidden guest had answered', async () => {
    const id = await series(closed, guests(bob, carol));
    await change(nth(id, 2), answer(carol, 'declined'), carol);
    await change(id, { ...guests(carol), guestsCanSeeOtherGuests: true });
    expect(await ids(bob, 'showDeleted: true')).toEqual([id]);
  });

  test('does not see that another user set reminders or a colour on an instance: not in syncs, lists or their order', async () => {
    const id = await series(guests(bob));
    const [ofAlice, ofBob] = [await token(alice), await token(bob)];
    await gateway.change(nth(id, 2), { reminders }, { as: wanda, calendarId: alice });
    await change(nth(id, 3), { colorId: '5' }, bob);
    const { id: single } = await gateway.make();
    expect([await ids(alice, ofAlice), await ids(bob, ofBob)]).toEqual([[single], [nth(id, 3)]]);
    expect(await ids(alice)).toEqual([id, single]);
    expect(await ids(wanda, '', alice)).toEqual([id, nth(id, 2), single]);
    // An instance that is changed for all stands behind what came before, whoever had changed it for themselves.
    for (const day of [2, 3]) await change(nth(id, day), { summary: 'For all' });
    expect(await ids(alice)).toEqual([id, single, nth(id, 2), nth(id, 3)]);
    // And one that its series has no more was nothing to the others.
    await change(nth(id, 4), { colorId: '5' }, bob);
    await change(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    const all = 'singleEvents: true, showDeleted: true';
    expect(await ids(alice, all)).toEqual([...days(id, 1, 2, 3), single]);
    expect((await list(bob, all)).shown).toContain(`${nth(id, 4)} cancelled`);
  });

  test('is not told of an instance whose hidden guests were changed, and is told which of the two entries comes first', async () => {
    const id = await series(closed, guests(alice, bob, carol));
    const before = await token(bob);
    await change(nth(id, 2), guests(alice, bob, eve));
    expect(await ids(bob, before)).toEqual([]);
    const { id: single } = await gateway.make({ ...closed, ...guests(alice, bob, carol) });
    const since = await token(bob);
    await change(single, guests(bob, alice, carol));
    expect(await ids(bob, since)).toEqual([single]);
  });

  test('was taken off a series, and lists do not tell that a hidden guest had changed an instance of it', async () => {
    for (const isChanged of [true, false]) {
      const id = await series(closed, guests(bob, carol));
      if (isChanged) await change(nth(id, 3), { status: 'cancelled' }, carol);
      await change(id, guests(carol));
      await change(nth(id, 3), guests(bob, carol));
      const found = await ids(bob, 'showDeleted: true');
      expect(found.filter((one) => one.startsWith(id))).toEqual([id, nth(id, 3)]);
    }
  });

  test.each<[string, object]>([
    ['the organizer joins', guests(alice, bob, carol)],
    ['entries change', { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] }],
    ['the organizer joins behind', guests(carol, bob, alice)],
  ])('sees the series on an instance whose hidden guests changed, also when %s', async (_name, body) => {
    const id = await series(closed, guests(bob, carol));
    await change(nth(id, 2), guests(bob, carol, eve));
    await change(id, body);
    const { attendees } = await gateway.on(bob, nth(id, 3));
    expect((await gateway.on(bob, nth(id, 2))).attendees).toEqual(attendees);
    const fields = Object.keys(attendees[0] as object).join(' ');
    const document = `{ result: events(calendarId: "primary", singleEvents: true) { nodes { attendees { ${fields} } } } }`;
    const { nodes } = (await gateway.run(document, {}, bob)).event;
    expect(nodes).toEqual([1, 2, 3, 4].map(() => ({ attendees })));
    expect(emails(await gateway.on(alice, nth(id, 2)))).toContain(eve);
  });

  test('is back on a series, but not on an instance that got a list meanwhile, whatever hidden guests keep there', async () => {
    for (const isKept of [true, false]) {
      const id = await series(closed, guests(bob, carol));
      if (isKept) await change(nth(id, 3), { colorId: '4' }, carol);
      await change(id, guests(carol));
      await change(nth(id, 3), guests(carol, eve));
      await change(id, guests(carol, bob));
      const found = await ids(bob, 'singleEvents: true, showDeleted: true');
      expect(found.filter((one) => one.startsWith(id))).toEqual(days(id, 1, 2, 4));
      expect((await gateway.read(nth(id, 3), { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
    }
  });

  test('who had coloured an instance is not back on it either, and finds it cancelled', async () => {
    const id = await series(closed, guests(bob, carol));
    await change(nth(id, 3), { colorId: '4' }, bob);
    await change(id, guests(carol));
    await change(nth(id, 3), guests(carol, eve));
    await change(id, guests(carol, bob));
    expect(await ids(bob, 'singleEvents: true')).toEqual(days(id, 1, 2, 4));
    expect(await gateway.on(bob, nth(id, 3))).toMatchObject({ status: 'cancelled', attendees: null });
  });

  test('who was taken off a series is not told when instances are gone on which the caller kept something', async () => {
    const id = await series(guests(bob));
    await change(nth(id, 2), { reminders }, bob);
    await change(id, guests(carol));
    const since = await token(bob);
    await change(id, hourAt('2026-12-11', 10));
    expect(await ids(bob, since)).toEqual([]);
  });

  test('does not see by an order when the guests of an instance were changed who are hidden', async () => {
    const id = await series(closed, guests(rita, bob));
    await change(nth(id, 2), guests(rita, bob, eve));
    const { id: single } = await gateway.make(guests(rita));
    await change(nth(id, 2), { summary: 'For all' });
    expect(await ids(rita, '', alice)).toEqual([id, single, nth(id, 2)]);
  });

  test.each([true, false])(
    'who sends back what was shown changes nothing, where guests are hidden and may modify: %s',
    async (guestsCanModify) => {
      const { id } = await gateway.make({ ...closed, guestsCanModify, ...guests(eve, bob, carol, wanda) });
      const [before, ofAlice] = [await gateway.on(bob, id), await gateway.on(alice, id)];
      expect(await change(id, before, bob)).toEqual(before);
      expect(await gateway.on(alice, id)).toEqual(ofAlice);
      await change(id, { status: 'cancelled' }, bob);
      const left = await gateway.on(bob, id);
      expect(await change(id, left, bob)).toEqual(left);
      expect(emails(await gateway.on(alice, id))).toEqual([eve, bob, carol, wanda]);
    },
  );

  test.each([true, undefined])(
    'who invites a hidden guest as a resource (%s) is told the same number as of a stranger',
    async (resource) => {
      for (const invited of [guests(bob), guests(bob, eve)]) {
        const { id } = await gateway.make({ ...closed, ...invited });
        const body = { attendees: [{ email: bob }, { email: eve, resource }] };
        const { told } = await gateway.patch(id, body, { as: bob, sendUpdates: 'all' });
        expect(told).toBe(resource ? 0 : 1);
      }
    },
  );

  test('who invites a hidden guest to an instance, and then answers the series, has the same answer there as with a stranger', async () => {
    for (const invited of [guests(bob), guests(bob, eve)]) {
      const id = await series(closed, invited);
      await change(nth(id, 2), guests(bob, eve), bob);
      await change(id, answer(bob, 'accepted', 'Yes'), bob);
      for (const day of [2, 3])
        expect(entryOf(await gateway.on(bob, nth(id, day)), bob)).toMatchObject({
          responseStatus: 'accepted',
          comment: 'Yes',
        });
    }
  });

  test('answers the series for all instances, those with a guest list of their own too, save those answered one by one', async () => {
    const id = await series(guests(bob, carol));
    for (const day of [2, 3]) await change(nth(id, day), guests(bob, carol, eve));
    await change(nth(id, 3), answer(bob, 'tentative'), bob);
    await change(nth(id, 4), answer(bob, 'accepted'), bob);
    for (const all of ['accepted', 'declined', 'accepted']) {
      await change(id, answer(bob, all), bob);
      const seen = await Promise.all(days(id, 1, 2, 3, 4).map((one) => gateway.on(alice, one)));
      expect(seen.map((event) => entryOf(event, bob).responseStatus)).toEqual([
        all,
        all,
        'tentative',
        'accepted',
      ]);
    }
  });

  test('who is a guest and invites learns nothing of calendars here by externalOnly', async () => {
    const { id } = await gateway.make(guests(bob));
    for (const email of [carol, eve]) {
      const { told } = await gateway.patch(id, guests(bob, email), { as: bob, sendUpdates: 'externalOnly' });
      expect(told).toBe(0);
    }
  });

  test('reads nothing in sync tokens and cursors, and sees in their lengths no change of what is hidden', async () => {
    const { id } = await gateway.make({ ...closed, ...guests(bob, carol) });
    const lengths = new Set<number>();
    for (let count = 0; count < 12; count += 1) {
      await change(id, answer(carol, 'tentative', `No ${count}`), carol);
      const since = (await token(bob)).slice('syncToken: "'.length, -1);
      expect(Buffer.from(since, 'base64url').toString('latin1')).not.toMatch(/sync|example/);
      lengths.add(since.length);
    }
    expect(lengths.size).toBe(1);
  });
});
