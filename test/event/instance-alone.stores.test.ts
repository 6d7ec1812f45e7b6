import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  emails,
  entryOf,
  eve,
  type Outcome,
  rita,
  type Shown,
  zoned,
} from './event.harness.ts';
import { at, divisionsOn } from './following.harness.ts';
import { periodsOf } from './free-busy.harness.ts';
import { answer, closed, daily, guests, hourAt, listed, nth } from './list.harness.ts';
import { stores } from '../stores.ts';

const within = (day: string, from = '00:00', to = '23:59'): string =>
  `timeMin: "2026-12-${day}T${from}:00Z", timeMax: "2026-12-${day}T${to}:00Z"`;
const confirmed = (...ids: string[]): string[] => ids.map((id) => `${id} confirmed`).sort();
const cancelled = (...ids: string[]): string[] => ids.map((id) => `${id} cancelled`).sort();

const excluded = 'EXDATE;TZID=Europe/Berlin:20261202T100000';

/** A guest with a calendar here who was taken off a series, and is invited to one of its instances. */
describe.each(stores)('who is off a series and invited to an instance, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const { split, clean } = divisionsOn(gateway);

  /** Events that Bob's calendar shows, each as `id status`, sorted. */
  const list = async (args = '', as = bob): Promise<string[]> =>
    (await listed(gateway, as, args, bob)).shown.toSorted();
  const token = async (): Promise<string> => (await listed(gateway, bob)).syncToken;
  const busy = (): Promise<string[]> => periodsOf(gateway, { as: bob, calendarIds: [bob] });
  async function instances(id: string, args = ''): Promise<string[]> {
    const document = `{ result: instances(calendarId: "${bob}", eventId: "${id}"${args}) { nodes { id status } } }`;
    const { event, problems } = await gateway.run(document, {}, bob);
    expect(problems).toEqual([]);
    return event.nodes.map((node: Shown) => `${node.id} ${node.status}`);
  }
  const change = (id: string, body: object, as = alice): Promise<Shown> => gateway.change(id, body, { as });
  /** A series that Bob was taken off. */
  async function series(body: object = {}, before?: (id: string) => Promise<unknown>): Promise<string> {
    const { id } = await gateway.make({ ...daily, summary: 'Daily', ...guests(bob, carol), ...body });
    await before?.(id);
    await change(id, guests(carol));
    return id;
  }
  const invite = (id: string, day = 2, controls = {}): Promise<Outcome> =>
    gateway.patch(nth(id, day), guests(bob, carol), controls);
  const days = (id: string, ...of: number[]): string[] => of.map((day) => nth(id, day));

  test.each<[string, object, (id: string) => Promise<unknown>]>([
    ['nobody had changed', {}, async () => {}],
    ['has a summary of its own', {}, (id) => change(nth(id, 2), { summary: 'Own' })],
    ['the guest had answered', {}, (id) => change(nth(id, 2), answer(bob, 'tentative'), bob)],
    ['has a list of its own', {}, (id) => change(nth(id, 2), guests(bob, carol, eve))],
    ['had a list without the guest', {}, (id) => change(nth(id, 2), guests(carol))],
    ['the guest had removed', {}, (id) => change(nth(id, 2), { status: 'cancelled' }, bob)],
    ['has hidden guests', closed, (id) => change(nth(id, 2), { colorId: '4' }, carol)],
  ])('is a guest of one that %s, and of no other', async (_name, body, before) => {
    const id = await series(body, before);
    const instance = nth(id, 2);
    const since = await token();
    const { event, problems, notes } = await invite(id);
    expect([problems, notes, emails(event)]).toEqual([[], [], [bob, carol]]);
    const seen = await gateway.on(bob, instance);
    expect(seen).toMatchObject({ id: instance, status: 'confirmed', recurringEventId: id });
    expect(seen.start).toMatchObject({ dateTime: '2026-12-02T10:00:00+01:00' });
    expect(entryOf(seen, bob)).toMatchObject({ responseStatus: 'needsAction', self: true });
    expect(await gateway.on(bob, id)).toMatchObject({ status: 'cancelled', summary: null });
    for (const args of [
      '',
      'singleEvents: true',
      'singleEvents: true, orderBy: startTime',
      `iCalUID: "${seen.iCalUID}"`,
      `${within('02')}, showDeleted: true, singleEvents: true`,
      since,
    ])
      expect([args, await list(args)]).toEqual([args, confirmed(instance)]);
    expect(await list('', rita)).toEqual(confirmed(instance));
    expect(await list('showDeleted: true')).toEqual([...cancelled(id), ...confirmed(instance)]);
    const all = [...confirmed(instance), ...cancelled(...days(id, 1, 3, 4))].sort();
    for (const order of ['', ', orderBy: startTime'])
      expect(await list(`singleEvents: true, showDeleted: true${order}`)).toEqual(all);
    expect(await instances(id)).toEqual(confirmed(instance));
    expect(await instances(id, ', showDeleted: true')).toEqual(all);
    expect(await busy()).toEqual(['2026-12-02T09:00:00Z 2026-12-02T10:00:00Z']);
    expect(emails(await gateway.on(alice, nth(id, 3)))).toEqual([carol]);
  });

  test('answers, removes and restores it, and is told what becomes of it and not of others', async () => {
    const id = await series();
    const instance = nth(id, 2);
    await invite(id);
    const answered = async () => entryOf(await gateway.on(alice, instance), bob).responseStatus;
    await change(instance, answer(bob, 'accepted'), bob);
    expect(await answered()).toBe('accepted');
    const removed = await change(instance, { status: 'cancelled' }, bob);
    expect([removed.status, await list(), await answered()]).toEqual(['cancelled', [], 'declined']);
    await change(instance, { status: 'confirmed' }, bob);
    const since = await token();
    await change(nth(id, 3), { summary: 'Third' });
    expect(await list(since)).toEqual([]);
    await change(id, { summary: 'New' });
    expect(await list(since)).toEqual(confirmed(instance));
    expect((await gateway.on(bob, instance)).summary).toBe('New');
    expect((await gateway.on(bob, id)).summary).toBeNull();
  });

  test('gets mail of it, and of no other', async () => {
    const id = await series();
    const all = { sendUpdates: 'all' };
    const told = [
      await invite(id, 2, all),
      await gateway.patch(nth(id, 2), { location: 'Room 1' }, all),
      await gateway.patch(nth(id, 3), { location: 'Room 1' }, all),
      await gateway.patch(id, { location: 'Room 2' }, all),
      await gateway.patch(nth(id, 2), guests(carol), all),
      await gateway.patch(nth(id, 2), { location: 'Room 3' }, all),
    ];
    const both = `${bob} ${carol}`;
    const mailed = notices.map((notice) => [...notice.guests].sort().join(' '));
    expect(mailed).toEqual([both, both, carol, carol, both, carol]);
    expect(told.map((outcome) => outcome.told)).toEqual([2, 2, 1, 1, 2, 1]);
  });

  test('finds it when it is after its time changed, and cancelled when the series has no such occurrence', async () => {
    const id = await series();
    const instance = nth(id, 2);
    await invite(id);
    const since = await token();
    await change(instance, hourAt('2026-12-24', 15));
    for (const more of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime']) {
      expect(await list(within('02') + more)).toEqual([]);
      expect(await list(within('24') + more)).toEqual(confirmed(instance));
    }
    expect(await list(since)).toEqual(confirmed(instance));
    const moved = await token();
    await gateway.patch(id, { recurrence: [...daily.recurrence, excluded] });
    expect([await list(), await list(moved)]).toEqual([[], cancelled(instance)]);
    expect((await gateway.on(bob, instance)).status).toBe('cancelled');
    expect(await busy()).toEqual([]);
  });

  test('moves with an end of the series that leaves its start', async () => {
    const id = await series();
    await invite(id);
    await change(id, { end: at('2026-12-01T13:00:00+01:00') });
    expect(await list(within('02', '11:00', '11:30'))).toEqual(confirmed(nth(id, 2)));
    expect(await busy()).toEqual(['2026-12-02T09:00:00Z 2026-12-02T12:00:00Z']);
  });

  test.each([
    ['the same list', {}],
    ['hidden guests', closed],
  ])('is back on the series with it, off all when taken off, on one if invited: %s', async (_name, body) => {
    const id = await series(body);
    const instance = nth(id, 2);
    await invite(id);
    await change(instance, answer(bob, 'accepted'), bob);
    const alone = await token();
    await change(id, guests(carol, bob));
    const every = confirmed(...days(id, 1, 2, 3, 4));
    for (const more of ['', ', showDeleted: true', ', orderBy: startTime'])
      expect(await list(`singleEvents: true${more}`)).toEqual(every);
    expect(await instances(id)).toEqual(every);
    for (const args of ['', alone]) expect(await list(args)).toEqual(confirmed(id, instance));
    expect(entryOf(await gateway.on(alice, instance), bob).responseStatus).toBe('accepted');
    const whole = await token();
    await change(id, guests(carol));
    for (const args of ['', 'singleEvents: true']) expect(await list(args)).toEqual([]);
    expect(await list(whole)).toEqual(cancelled(id, instance));
    expect(emails(await gateway.on(alice, instance))).toEqual([carol]);
    await change(instance, guests(carol, bob));
    expect(await list()).toEqual(confirmed(instance));
    expect(entryOf(await gateway.on(bob, instance), bob).responseStatus).toBe('needsAction');
  });

  test('is back on the series with it though it is none at that moment, and keeps there what was set on it', async () => {
    const id = await series({}, (made) => change(made, { colorId: '4' }, bob));
    await invite(id);
    await invite(id, 3);
    expect((await change(nth(id, 3), { colorId: null }, bob)).colorId).toBe(null);
    await change(nth(id, 2), hourAt('2026-12-02', 15));
    await gateway.patch(id, { recurrence: [...daily.recurrence, excluded] });
    expect(await list()).toEqual(confirmed(nth(id, 3)));
    await change(id, guests(carol, bob));
    await change(id, { recurrence: daily.recurrence });
    expect(await list('singleEvents: true')).toEqual(confirmed(...days(id, 1, 2, 3, 4)));
    expect((await gateway.on(bob, nth(id, 2))).colorId).toBe('4');
    expect((await gateway.on(bob, nth(id, 3))).colorId).toBeNull();
    // Both at once: it is off, and its guest back on the series.
    await change(id, guests(carol));
    await invite(id);
    await change(id, { ...hourAt('2026-12-01', 12), ...guests(carol, bob) });
    await change(id, guests(carol));
    await change(id, zoned);
    expect([await list(), emails(await gateway.on(alice, nth(id, 2)))]).toEqual([[], [carol]]);
  });

  test('is invited by an insert of the instance, too', async () => {
    const id = await series();
    const times = { originalStartTime: at('2026-12-02T10:00:00+01:00'), ...hourAt('2026-12-02', 15) };
    await gateway.make({ recurringEventId: id, ...times, ...guests(bob, carol) });
    expect(await list('singleEvents: true')).toEqual(confirmed(nth(id, 2)));
  });

  test('is taken off it alone, has what it was, and is back on it', async () => {
    const id = await series();
    const instance = nth(id, 2);
    await invite(id);
    const since = await token();
    await change(instance, guests(carol));
    expect([await list(), await list(since)]).toEqual([[], cancelled(instance)]);
    const left = await listed(gateway, bob, 'showDeleted: true');
    for (const one of [instance, id]) await change(one, { summary: 'Secret' });
    expect(await list(left.syncToken)).toEqual([]);
    expect((await listed(gateway, bob, 'showDeleted: true')).nodes).toEqual(left.nodes);
    await change(id, guests(carol, bob));
    expect(await list('singleEvents: true')).toEqual(confirmed(...days(id, 1, 3, 4)));
    await invite(id);
    expect(await list('singleEvents: true')).toEqual(confirmed(...days(id, 1, 2, 3, 4)));
  });

  test('keeps it where the series is divided before it', async () => {
    const id = await series();
    await invite(id, 3);
    await invite(id, 1);
    const since = await token();
    const { following } = await clean(split(nth(id, 2)));
    expect(await list()).toEqual(confirmed(nth(id, 1), nth(following.id, 3)));
    expect(await list(since)).toContain(`${nth(id, 3)} cancelled`);
    expect(emails(await gateway.on(alice, nth(following.id, 3)))).toEqual([bob, carol]);
    await change(following.id, guests(carol, bob));
    expect(await list('singleEvents: true')).toEqual(confirmed(nth(id, 1), ...days(following.id, 2, 3, 4)));
  });

  test('is invited by a guest too, by difference, and is seen by the others', async () => {
    const id = await series();
    const attendeeChanges = { add: [{ email: bob }] };
    const event = await gateway.change(nth(id, 2), {}, { as: carol, attendeeChanges });
    for (const shown of [event, await gateway.on(alice, nth(id, 2))])
      expect(emails(shown)).toEqual([carol, bob]);
    expect(await list()).toEqual(confirmed(nth(id, 2)));
  });
});
