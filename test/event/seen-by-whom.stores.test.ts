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
  wanda,
  zoned,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { stores } from '../stores.ts';

const daily = { ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const nth = (id: string, day: number): string => `${id}_2026120${day}T090000Z`;
const guests = (...list: string[]) => ({ attendees: list.map((email) => ({ email })) });
const closed = { guestsCanSeeOtherGuests: false };

interface List {
  readonly nodes: Shown[];
  readonly nextSyncToken: string;
}

async function list(gateway: EventGateway, as: string, args = '', calendarId = as): Promise<List> {
  const { data, errors } = await gateway.ask(
    `{ events(calendarId: "${calendarId}", first: 2500${args === '' ? '' : `, ${args}`}) { nodes { id status summary updated etag } nextSyncToken } }`,
    {},
    { as },
  );
  expect(errors).toBeUndefined();
  return data.events;
}
const ids = async (...args: Parameters<typeof list>): Promise<string[]> =>
  (await list(...args)).nodes.map(({ id }) => id);

describe.each(stores)('a caller, over $name', ({ useGateways }) => {
  const start = useGateways();

  test.each<[string, string, string]>([
    ['a reader', rita, 'singleEvents: true'],
    ['a reader', rita, 'showDeleted: true'],
    ['a reader', rita, 'singleEvents: true, orderBy: startTime'],
    ['a free/busy reader', fritz, 'singleEvents: true'],
    ['a free/busy reader', fritz, 'singleEvents: true, orderBy: updated'],
  ])(
    'who is %s (%s) does not find a private series or event by its iCalUID (%s)',
    async (_role, as, args) => {
      const gateway = await start();
      const series = await gateway.make({ ...daily, visibility: 'private' });
      const single = await gateway.make({ visibility: 'private' });
      const open = await gateway.make({ ...daily });
      for (const { iCalUID } of [series, single])
        expect(await ids(gateway, as, `${args}, iCalUID: "${iCalUID}"`, alice)).toEqual([]);
      expect((await ids(gateway, as, `${args}, iCalUID: "${open.iCalUID}"`, alice)).length > 0).toBe(
        as === rita,
      );
      expect((await ids(gateway, alice, `${args}, iCalUID: "${series.iCalUID}"`)).length).toBeGreaterThan(0);
    },
  );

  describe('who was taken off a guest list', () => {
    test.each([
      ['an event', hour, ''],
      ['a series', daily, ''],
      ['a series', daily, 'singleEvents: true, '],
    ])(
      'has what was left of %s: found by the time it had then and not by its iCalUID (%#)',
      async (_name, times, more) => {
        const gateway = await start();
        const { id, iCalUID } = await gateway.make({ ...times, ...guests(bob, carol) });
        await gateway.change(id, guests(carol));
        const moved = {
          start: { dateTime: '2026-12-24T10:00:00+01:00' },
          end: { dateTime: '2026-12-24T11:00:00+01:00' },
        };
        const before = await list(gateway, bob, `${more}showDeleted: true`);
        await gateway.change(id, moved);
        const [then, now] = [
          'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"',
          'timeMin: "2026-12-24T00:00:00Z", timeMax: "2026-12-25T00:00:00Z"',
        ];
        expect((await ids(gateway, bob, `${more}showDeleted: true, ${then}`)).length).toBe(1);
        expect(await ids(gateway, bob, `${more}showDeleted: true, ${now}`)).toEqual([]);
        expect(await ids(gateway, bob, `${more}showDeleted: true, iCalUID: "${iCalUID}"`)).toEqual([]);
        expect((await list(gateway, bob, `${more}showDeleted: true`)).nodes).toEqual(before.nodes);
        expect((await ids(gateway, carol, `${more}${now}`)).length).toBe(1);
      },
    );

    test('is told once, and never again of what becomes of it', async () => {
      const gateway = await start();
      const single = await gateway.make(guests(bob, carol));
      const series = await gateway.make({ ...daily, ...guests(bob, carol) });
      await gateway.change(nth(series.id, 2), { summary: 'Own' });
      const first = await list(gateway, bob);
      for (const { id } of [single, series])
        await gateway.change(id, { ...guests(carol), location: 'Room 1' });
      const told = await list(gateway, bob, `syncToken: "${first.nextSyncToken}"`);
      expect(told.nodes.map(({ id, status }) => [id, status])).toEqual(
        [single.id, series.id, nth(series.id, 2)].map((id) => [id, 'cancelled']),
      );
      for (const { id } of [single, series])
        await gateway.change(id, { summary: 'Later', ...guests(carol, eve) });
      await gateway.change(nth(series.id, 2), { summary: 'Later' });
      await gateway.change(nth(series.id, 3), { summary: 'New' });
      expect(await ids(gateway, bob, `syncToken: "${told.nextSyncToken}"`)).toEqual([]);
      expect(await ids(gateway, bob, 'showDeleted: true')).toEqual([single.id, series.id, nth(series.id, 2)]);
    });

    test('of one instance has that one as it was', async () => {
      const gateway = await start();
      const { id } = await gateway.make({ ...daily, ...guests(bob) });
      const instance = nth(id, 2);
      await gateway.change(instance, guests(bob, carol));
      await gateway.change(instance, guests(bob));
      const { nextSyncToken, nodes } = await list(gateway, carol, 'showDeleted: true');
      expect(nodes.map((node) => node.id)).toEqual([instance]);
      await gateway.change(instance, {
        start: { dateTime: '2026-12-24T10:00:00+01:00' },
        end: { dateTime: '2026-12-24T11:00:00+01:00' },
      });
      await gateway.change(id, { summary: 'New' });
      expect(await ids(gateway, carol, `syncToken: "${nextSyncToken}"`)).toEqual([]);
      expect(await ids(gateway, carol, 'showDeleted: true, timeMin: "2026-12-24T00:00:00Z"')).toEqual([]);
      expect((await list(gateway, carol, 'showDeleted: true')).nodes).toEqual(nodes);
    });
  });

  test('who is off one instance has nothing more of it for having removed the series', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...guests(bob, carol) });
    await gateway.change(nth(id, 2), { ...guests(bob), summary: 'Secret' });
    const before = await gateway.on(carol, nth(id, 2));
    await gateway.change(id, { status: 'cancelled' }, { as: carol });
    const after = await gateway.on(carol, nth(id, 2));
    expect([after.summary, after.attendees, after.start, before.summary]).toEqual([null, null, null, null]);
    await gateway.change(nth(id, 2), { summary: 'More' });
    expect(await gateway.on(carol, nth(id, 2))).toEqual(after);
  });

  test('inserts an instance that others alone keep something on, or a hidden guest has answered', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...closed, guestsCanModify: true, ...guests(bob, carol) });
    await gateway.change(
      nth(id, 2),
      { attendeesOmitted: true, attendees: [{ email: carol, responseStatus: 'declined' }] },
      { as: carol },
    );
    await gateway.change(nth(id, 3), { colorId: '5' }, { as: carol });
    const instance = (day: number) => ({
      recurringEventId: id,
      originalStartTime: { dateTime: `2026-12-0${day}T09:00:00Z` },
      start: { dateTime: `2026-12-0${day}T15:00:00+01:00` },
      end: { dateTime: `2026-12-0${day}T16:00:00+01:00` },
    });
    for (const day of [2, 3])
      expect((await gateway.make(instance(day), { as: bob, calendarId: bob })).id).toBe(nth(id, day));
    expect((await gateway.insert(instance(3), { as: bob })).problems).toEqual([
      'CONFLICT event.originalStartTime duplicate',
    ]);
    expect(entryOf(await gateway.on(alice, nth(id, 2)), carol).responseStatus).toBe('declined');
  });

  test('who alone keeps something on an instance is told when its series changes', async () => {
    const gateway = await start();
    const { id } = await gateway.make(daily);
    await gateway.change(nth(id, 2), { reminders: { useDefault: false, overrides: [popup(3)] } });
    const { nextSyncToken } = await list(gateway, alice);
    await gateway.change(id, { summary: 'New' });
    expect(await ids(gateway, alice, `syncToken: "${nextSyncToken}"`)).toEqual([id, nth(id, 2)]);
    expect(await ids(gateway, wanda, '', alice)).toEqual([id]);
  });

  test('who was taken off a series finds nothing left of an instance that only a hidden guest had answered', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob, carol) });
    await gateway.change(
      nth(id, 2),
      { attendeesOmitted: true, attendees: [{ email: carol, responseStatus: 'declined' }] },
      { as: carol },
    );
    await gateway.change(id, { ...guests(carol), guestsCanSeeOtherGuests: true });
    expect(await ids(gateway, bob, 'showDeleted: true')).toEqual([id]);
  });

  test('does not see that another user set reminders or a colour on an instance: not in syncs, lists or their order', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...guests(bob) });
    const tokens = await Promise.all([alice, bob].map(async (as) => (await list(gateway, as)).nextSyncToken));
    await gateway.change(
      nth(id, 2),
      { reminders: { useDefault: false, overrides: [popup(3)] } },
      { as: wanda, calendarId: alice },
    );
    await gateway.change(nth(id, 3), { colorId: '5' }, { as: bob });
    const single = await gateway.make();
    expect(await ids(gateway, alice, `syncToken: "${tokens[0]}"`)).toEqual([single.id]);
    expect(await ids(gateway, bob, `syncToken: "${tokens[1]}"`)).toEqual([nth(id, 3)]);
    expect(await ids(gateway, alice)).toEqual([id, single.id]);
    expect(await ids(gateway, wanda, '', alice)).toEqual([id, nth(id, 2), single.id]);
    // An instance that is changed for all stands behind what came before, whoever had changed it for themselves.
    for (const day of [2, 3]) await gateway.change(nth(id, day), { summary: 'For all' });
    expect(await ids(gateway, alice)).toEqual([id, single.id, nth(id, 2), nth(id, 3)]);
    // And one that its series has no more was nothing to the others.
    await gateway.change(nth(id, 4), { colorId: '5' }, { as: bob });
    await gateway.change(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    expect(await ids(gateway, alice, 'singleEvents: true, showDeleted: true')).toEqual([
      ...[1, 2, 3].map((day) => nth(id, day)),
      single.id,
    ]);
    expect(
      (await list(gateway, bob, 'singleEvents: true, showDeleted: true')).nodes.map((node) => [
        node.id,
        node.status,
      ]),
    ).toContainEqual([nth(id, 4), 'cancelled']);
  });

  test('is not told of an instance whose hidden guests were changed, and is told which of the two entries comes first', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...closed, ...guests(alice, bob, carol) });
    const before = (await list(gateway, bob)).nextSyncToken;
    await gateway.change(nth(id, 2), guests(alice, bob, eve));
    expect(await ids(gateway, bob, `syncToken: "${before}"`)).toEqual([]);
    const single = await gateway.make({ ...closed, ...guests(alice, bob, carol) });
    const { nextSyncToken } = await list(gateway, bob);
    await gateway.change(single.id, guests(bob, alice, carol));
    expect(await ids(gateway, bob, `syncToken: "${nextSyncToken}"`)).toEqual([single.id]);
  });

  test('was taken off a series, and lists do not tell that a hidden guest had changed an instance of it', async () => {
    const gateway = await start();
    const lists = await Promise.all(
      [true, false].map(async (isEarly) => {
        const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob, carol) });
        if (isEarly) await gateway.change(nth(id, 3), { status: 'cancelled' }, { as: carol });
        await gateway.change(id, guests(carol));
        await gateway.change(nth(id, 3), guests(bob, carol));
        return (await ids(gateway, bob, 'showDeleted: true'))
          .filter((one) => one.startsWith(id))
          .map((one) => one.slice(id.length));
      }),
    );
    expect(lists).toEqual([
      ['', '_20261203T090000Z'],
      ['', '_20261203T090000Z'],
    ]);
  });

  test.each<[string, object]>([
    ['the organizer joins', guests(alice, bob, carol)],
    ['entries change', { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] }],
    ['the organizer joins behind', guests(carol, bob, alice)],
  ])(
    'sees the series on an instance whose hidden guests were changed, also when on its list %s',
    async (_name, change) => {
      const gateway = await start();
      const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob, carol) });
      await gateway.change(nth(id, 2), guests(bob, carol, eve));
      await gateway.change(id, change);
      const { data } = await gateway.ask(
        `{ one: event(calendarId: "primary", eventId: "${nth(id, 2)}") { attendees { email displayName } }
      other: event(calendarId: "primary", eventId: "${nth(id, 3)}") { attendees { email displayName } }
      events(calendarId: "primary", singleEvents: true) { nodes { id attendees { email displayName } } } }`,
        {},
        { as: bob },
      );
      expect(data.one).toEqual(data.other);
      expect(data.events.nodes.map(({ attendees }: Shown) => attendees)).toEqual(
        [1, 2, 3, 4].map(() => data.other.attendees),
      );
      expect(emails((await gateway.read(nth(id, 2))).event)).toContain(eve);
    },
  );

  test('is back on a series, but not on an instance that got a list meanwhile, whatever hidden guests keep there', async () => {
    const gateway = await start();
    for (const isKept of [true, false]) {
      const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob, carol) });
      if (isKept) await gateway.change(nth(id, 3), { colorId: '4' }, { as: carol });
      await gateway.change(id, guests(carol));
      await gateway.change(nth(id, 3), guests(carol, eve));
      await gateway.change(id, guests(carol, bob));
      expect(
        (await ids(gateway, bob, 'singleEvents: true, showDeleted: true')).filter((one) =>
          one.startsWith(id),
        ),
      ).toEqual([1, 2, 4].map((day) => nth(id, day)));
      expect((await gateway.read(nth(id, 3), { as: bob })).problems).toEqual(['NOT_FOUND eventId notFound']);
    }
  });

  test('who had coloured an instance is not back on it either, and finds it cancelled', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob, carol) });
    await gateway.change(nth(id, 3), { colorId: '4' }, { as: bob });
    await gateway.change(id, guests(carol));
    await gateway.change(nth(id, 3), guests(carol, eve));
    await gateway.change(id, guests(carol, bob));
    expect(await ids(gateway, bob, 'singleEvents: true')).toEqual([1, 2, 4].map((day) => nth(id, day)));
    expect((await gateway.read(nth(id, 3), { as: bob })).event).toMatchObject({
      status: 'cancelled',
      attendees: null,
    });
  });

  test('who was taken off a series is not told when instances are gone on which the caller kept something', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...guests(bob) });
    await gateway.change(
      nth(id, 2),
      { reminders: { useDefault: false, overrides: [popup(3)] } },
      { as: bob },
    );
    await gateway.change(id, guests(carol));
    const { nextSyncToken } = await list(gateway, bob);
    await gateway.change(id, {
      start: { dateTime: '2026-12-11T10:00:00+01:00' },
      end: { dateTime: '2026-12-11T11:00:00+01:00' },
    });
    expect(await ids(gateway, bob, `syncToken: "${nextSyncToken}"`)).toEqual([]);
  });

  test('does not see by an order when the guests of an instance were changed who are hidden', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...closed, ...guests(rita, bob) });
    await gateway.change(nth(id, 2), guests(rita, bob, eve));
    const single = await gateway.make(guests(rita));
    await gateway.change(nth(id, 2), { summary: 'For all' });
    expect(await ids(gateway, rita, '', alice)).toEqual([id, single.id, nth(id, 2)]);
  });

  test.each([true, false])(
    'who sends back what was shown changes nothing, where guests are hidden and may modify: %s',
    async (guestsCanModify) => {
      const gateway = await start();
      const { id } = await gateway.make({ ...closed, guestsCanModify, ...guests(eve, bob, carol, wanda) });
      const [before, ofAlice] = [await gateway.on(bob, id), await gateway.on(alice, id)];
      expect(await gateway.change(id, before, { as: bob })).toEqual(before);
      expect(await gateway.on(alice, id)).toEqual(ofAlice);
      await gateway.change(id, { status: 'cancelled' }, { as: bob });
      const left = await gateway.on(bob, id);
      expect(await gateway.change(id, left, { as: bob })).toEqual(left);
      expect(emails(await gateway.on(alice, id))).toEqual([eve, bob, carol, wanda]);
    },
  );

  test.each([true, undefined])(
    'who invites a hidden guest as a resource (%s) is told the same number as of a stranger',
    async (resource) => {
      const gateway = await start();
      const counts = await Promise.all(
        [guests(bob), guests(bob, eve)].map(async (list) => {
          const { id } = await gateway.make({ ...closed, ...list });
          return (
            await gateway.patch(
              id,
              { attendees: [{ email: bob }, { email: eve, resource }] },
              { as: bob, sendUpdates: 'all' },
            )
          ).told;
        }),
      );
      expect(counts).toEqual([resource ? 0 : 1, resource ? 0 : 1].map((count) => count + 0));
    },
  );

  test('who invites a hidden guest to an instance, and then answers the series, has the same answer there as with a stranger', async () => {
    const gateway = await start();
    const answers = await Promise.all(
      [guests(bob), guests(bob, eve)].map(async (list) => {
        const { id } = await gateway.make({ ...daily, ...closed, ...list });
        await gateway.change(nth(id, 2), guests(bob, eve), { as: bob });
        await gateway.change(
          id,
          { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted', comment: 'Yes' }] },
          { as: bob },
        );
        return [2, 3].map(async (day) => entryOf(await gateway.on(bob, nth(id, day)), bob));
      }),
    );
    for (const entries of await Promise.all(answers.map((one) => Promise.all(one)))) {
      expect(entries).toMatchObject([
        { responseStatus: 'accepted', comment: 'Yes' },
        { responseStatus: 'accepted', comment: 'Yes' },
      ]);
    }
  });

  test('answers the series for all instances, those with a guest list of their own too, save those answered one by one', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...daily, ...guests(bob, carol) });
    const answer = (responseStatus: string) => ({
      attendeesOmitted: true,
      attendees: [{ email: bob, responseStatus }],
    });
    await gateway.change(nth(id, 2), guests(bob, carol, eve));
    await gateway.change(nth(id, 3), guests(bob, carol, eve));
    await gateway.change(nth(id, 3), answer('tentative'), { as: bob });
    await gateway.change(nth(id, 4), answer('accepted'), { as: bob });
    for (const all of ['accepted', 'declined', 'accepted']) {
      await gateway.change(id, answer(all), { as: bob });
      const shown = await Promise.all(
        [1, 2, 3, 4].map(async (day) => entryOf(await gateway.on(alice, nth(id, day)), bob).responseStatus),
      );
      expect(shown).toEqual([all, all, 'tentative', 'accepted']);
    }
  });

  test('who is a guest and invites learns nothing of calendars here by externalOnly', async () => {
    const gateway = await start();
    const { id } = await gateway.make(guests(bob));
    for (const email of [carol, eve]) {
      const { told } = await gateway.patch(
        id,
        { attendees: [{ email: bob }, { email }] },
        { as: bob, sendUpdates: 'externalOnly', validateOnly: false },
      );
      expect(told).toBe(0);
    }
  });

  test('reads nothing in sync tokens and cursors, and sees in their lengths no change of what is hidden', async () => {
    const gateway = await start();
    const { id } = await gateway.make({ ...closed, ...guests(bob, carol) });
    const lengths = new Set<number>();
    for (let count = 0; count < 12; count += 1) {
      await gateway.change(
        id,
        { attendeesOmitted: true, attendees: [{ email: carol, comment: `No ${count}` }] },
        { as: carol },
      );
      const { nextSyncToken } = await list(gateway, bob);
      expect(Buffer.from(nextSyncToken, 'base64url').toString('latin1')).not.toMatch(/sync|example/);
      lengths.add(nextSyncToken.length);
    }
    expect(lengths.size).toBe(1);
  });
});
