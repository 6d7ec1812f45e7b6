import {
  alice,
  berlin,
  bob,
  carol,
  emails,
  type EventGateway,
  many,
  people,
  popup,
  rita,
  type Shown,
  wanda,
} from './event.harness.ts';
import { answer, closed, daily, guests, hourAt, listed, nth } from './list.harness.ts';
import { stores } from '../stores.ts';

describe.each(stores)('lists, over $name', ({ useGateways }) => {
  const start = useGateways();

  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await start();
  });
  const ids = async (args: string, as = alice): Promise<string[]> => (await listed(gateway, as, args)).ids;
  const days = (id: string, ...of: number[]): string[] => of.map((day) => nth(id, day));
  const series = async (...invited: string[]): Promise<string> =>
    (await gateway.make({ ...daily, ...guests(...invited) })).id;

  test.each<[string, object]>([
    ['another colour', { colorId: '5' }],
    ['reminders', { reminders: { useDefault: false, overrides: [popup(3)] } }],
  ])('by update have each instance once for all, also one to which a guest gave %s', async (_name, own) => {
    const id = await series(bob, carol);
    await gateway.change(nth(id, 2), own, { as: bob });
    for (const as of [alice, bob, carol])
      expect((await ids('singleEvents: true, orderBy: updated', as)).sort()).toEqual(days(id, 1, 2, 3, 4));
  });

  test('have no instance with a guest list of its own for who is invited to the series later', async () => {
    const id = await series(bob);
    await gateway.change(nth(id, 2), guests(bob, wanda));
    await gateway.change(id, guests(bob, carol));
    await gateway.expectNotFound(carol, nth(id, 2));
    await gateway.refusesPatch(nth(id, 2), { colorId: '3' }, ['NOT_FOUND eventId notFound'], { as: carol });
    for (const more of ['', ', orderBy: startTime', ', orderBy: updated', ', showDeleted: true'])
      expect((await ids(`singleEvents: true${more}`, carol)).sort()).toEqual(days(id, 1, 3, 4));
  });

  test('keep the order that was given to the list of one instance, with the entries of the series', async () => {
    const id = await series(bob, carol);
    await gateway.change(nth(id, 2), guests(carol, bob, wanda));
    await gateway.change(id, { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] });
    const { attendees } = await gateway.on(alice, nth(id, 2));
    expect(attendees.map(({ email, displayName }: Shown) => `${email} ${displayName}`)).toEqual([
      `${carol} null`,
      `${bob} Bob`,
      `${wanda} null`,
    ]);
  });

  test('have an instance that a guest answered also when guests are hidden later', async () => {
    const id = await series(bob, carol);
    await gateway.change(nth(id, 2), answer(carol, 'declined'), { as: carol });
    const { ids: before, syncToken } = await listed(gateway, bob);
    await gateway.change(id, closed);
    for (const args of ['', syncToken]) expect(await ids(args, bob)).toEqual(before);
    expect(before).toEqual([id, nth(id, 2)]);
  });

  test('have what a guest of one instance was left with, also when the series moves away from it', async () => {
    const id = await series(carol);
    await gateway.change(nth(id, 2), guests(carol, bob));
    await gateway.change(nth(id, 2), guests(carol));
    expect(await ids('showDeleted: true', bob)).toEqual([nth(id, 2)]);
    await gateway.change(id, hourAt('2026-12-11', 10));
    expect(await ids('showDeleted: true', bob)).toEqual([nth(id, 2)]);
    expect(await ids('', bob)).toEqual([]);
  });

  test('have what is left of an instance whose series stopped being one', async () => {
    const id = await series();
    await gateway.change(nth(id, 2), { status: 'cancelled' });
    await gateway.patch(id, { recurrence: null });
    for (const more of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime'])
      expect(await ids(`showDeleted: true${more}`)).toEqual([id, nth(id, 2)]);
  });

  test('by start have what is left of an instance where it was when the caller was taken off', async () => {
    const id = await series(bob, carol);
    await gateway.change(nth(id, 3), { ...guests(carol), ...hourAt('2026-12-01', 12) });
    const args = 'singleEvents: true, showDeleted: true, orderBy: startTime';
    expect(await ids(args, bob)).toEqual(days(id, 1, 2, 3, 4));
    expect(await ids(args, carol)).toEqual(days(id, 1, 3, 2, 4));
  });

  test('have an instance to which a reader was invited alone, though its guests are hidden', async () => {
    const { id } = await gateway.make({ ...daily, ...closed, ...guests(bob) });
    await gateway.change(nth(id, 3), guests(bob, rita));
    const document = `{ result: events(calendarId: "${alice}") { nodes { id attendees { email } } } }`;
    const { nodes } = (await gateway.run(document, {}, rita)).event;
    expect(nodes.map((node: Shown) => [node.id, emails(node)])).toEqual([
      [id, [bob]],
      [nth(id, 3), [rita]],
    ]);
  });

  test('have each imported exception, also one that is stored in the same millisecond as its series', async () => {
    const [calendar, ...others] = people();
    const imported = many(40, (index) => ({ id: `series${index}`, ...daily }));
    const exceptions = imported.map(({ id }, index) => ({
      id: nth(id, 2),
      recurringEventId: id,
      originalStartTime: { dateTime: '2026-12-02T10:00:00+01:00', timeZone: berlin },
      summary: `changed ${index}`,
      ...hourAt('2026-12-02', 15),
    }));
    gateway = await start({
      clock: () => Date.UTC(2026, 10, 1),
      seed: { calendars: [{ ...calendar, events: [...imported, ...exceptions] }, ...others] },
    });
    const changed = exceptions.map(({ id }) => id);
    expect(await ids('')).toEqual([...imported.map(({ id }) => id), ...changed]);
    const found = await ids('singleEvents: true, orderBy: updated, q: "changed"');
    expect(found.sort()).toEqual(changed.sort());
    // And the next change has another etag, though the clock stands.
    const before = await gateway.on(alice, 'series0');
    expect((await gateway.change('series0', { summary: 'New' })).etag).not.toBe(before.etag);
  });

  test('with single events tell by sync that a series stopped being one: the token has expired', async () => {
    const id = await series(bob);
    const before = await Promise.all([alice, bob].map((as) => listed(gateway, as, 'singleEvents: true')));
    await gateway.change(id, { recurrence: null });
    await gateway.change(id, { summary: 'Once' });
    for (const [index, as] of [alice, bob].entries()) {
      const { event, problems, errors } = await gateway.run(
        `{ result: events(calendarId: "primary", singleEvents: true, ${before[index]?.syncToken}) { nodes { id } } }`,
        {},
        as,
      );
      expect([event, problems]).toEqual([null, ['BAD_USER_INPUT syncToken invalid']]);
      expect(errors?.[0]?.message).toMatch(/expired/);
    }
  });
});
