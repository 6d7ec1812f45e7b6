import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  emailsOf,
  entryOf,
  eve,
  type Outcome,
  rita,
  type EventJson,
  zonedHour,
} from './event.harness.ts';
import { inBerlin, useDivisions } from './following.harness.ts';
import { readPeriods } from './free-busy.harness.ts';
import {
  responseOf,
  withHiddenGuests,
  dailySeries,
  withGuests,
  hourAt,
  instanceIdsOn,
  listAll,
  instanceIdOn,
} from './list.harness.ts';
import { stores } from '../stores.ts';

const rangeOn = (day: string, from = '00:00', to = '23:59'): string =>
  `timeMin: "2026-12-${day}T${from}:00Z", timeMax: "2026-12-${day}T${to}:00Z"`;
const allConfirmed = (...ids: string[]): string[] => ids.map((id) => `${id} confirmed`).sort();
const allCancelled = (...ids: string[]): string[] => ids.map((id) => `${id} cancelled`).sort();

const exclusion = 'EXDATE;TZID=Europe/Berlin:20261202T100000';

/** Bob, who has a calendar here, was removed from a series and is invited to one of its instances. */
describe.each(stores)('a guest of one instance only, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const { split, clean } = useDivisions(gateway);

  /** Lists the events on Bob's calendar as sorted `id status`. */
  const listBobs = async (args = '', as = bob): Promise<string[]> =>
    (await listAll(gateway, as, args, bob)).shown.toSorted();
  const readToken = async (): Promise<string> => (await listAll(gateway, bob)).syncToken;
  const readBusyTimes = (): Promise<string[]> => readPeriods(gateway, { as: bob, calendarIds: [bob] });
  async function listInstances(id: string, args = ''): Promise<string[]> {
    const document = `{ result: instances(calendarId: "${bob}", eventId: "${id}"${args}) { nodes { id status } } }`;
    const { event, problems } = await gateway.run(document, {}, bob);
    expect(problems).toEqual([]);
    return event.nodes.map((node: EventJson) => `${node.id} ${node.status}`);
  }
  const changeEvent = (id: string, body: object, as = alice): Promise<EventJson> =>
    gateway.changeEvent(id, body, { as });
  /** Makes a series and removes Bob from it. */
  async function makeSeries(
    body: object = {},
    changeFirst?: (id: string) => Promise<unknown>,
  ): Promise<string> {
    const { id } = await gateway.makeEvent({
      ...dailySeries,
      summary: 'Daily',
      ...withGuests(bob, carol),
      ...body,
    });
    await changeFirst?.(id);
    await changeEvent(id, withGuests(carol));
    return id;
  }
  const inviteBob = (id: string, day = 2, controls = {}): Promise<Outcome> =>
    gateway.patch(instanceIdOn(id, day), withGuests(bob, carol), controls);

  test.each<[string, object, (id: string) => Promise<unknown>]>([
    ['is unchanged', {}, async () => {}],
    ['has its own summary', {}, (id) => changeEvent(instanceIdOn(id, 2), { summary: 'Own' })],
    [
      'the guest had responded to',
      {},
      (id) => changeEvent(instanceIdOn(id, 2), responseOf(bob, 'tentative'), bob),
    ],
    ['has its own guest list', {}, (id) => changeEvent(instanceIdOn(id, 2), withGuests(bob, carol, eve))],
    ['had a list without the guest', {}, (id) => changeEvent(instanceIdOn(id, 2), withGuests(carol))],
    ['the guest had removed', {}, (id) => changeEvent(instanceIdOn(id, 2), { status: 'cancelled' }, bob)],
    [
      'has hidden guests',
      withHiddenGuests,
      (id) => changeEvent(instanceIdOn(id, 2), { colorId: '4' }, carol),
    ],
  ])('sees only the instance, which %s', async (_name, body, before) => {
    const id = await makeSeries(body, before);
    const instance = instanceIdOn(id, 2);
    const since = await readToken();
    const { event, problems, warningTexts } = await inviteBob(id);
    expect([problems, warningTexts, emailsOf(event)]).toEqual([[], [], [bob, carol]]);
    const read = await gateway.readOn(bob, instance);
    expect(read).toMatchObject({ id: instance, status: 'confirmed', recurringEventId: id });
    expect(read.start).toMatchObject({ dateTime: '2026-12-02T10:00:00+01:00' });
    expect(entryOf(read, bob)).toMatchObject({ responseStatus: 'needsAction', self: true });
    expect(await gateway.readOn(bob, id)).toMatchObject({ status: 'cancelled', summary: null });
    for (const args of [
      '',
      'singleEvents: true',
      'singleEvents: true, orderBy: startTime',
      `iCalUID: "${read.iCalUID}"`,
      `${rangeOn('02')}, showDeleted: true, singleEvents: true`,
      since,
    ])
      expect([args, await listBobs(args)]).toEqual([args, allConfirmed(instance)]);
    expect(await listBobs('', rita)).toEqual(allConfirmed(instance));
    expect(await listBobs('showDeleted: true')).toEqual([...allCancelled(id), ...allConfirmed(instance)]);
    const all = [...allConfirmed(instance), ...allCancelled(...instanceIdsOn(id, 1, 3, 4))].sort();
    for (const order of ['', ', orderBy: startTime'])
      expect(await listBobs(`singleEvents: true, showDeleted: true${order}`)).toEqual(all);
    expect(await listInstances(id)).toEqual(allConfirmed(instance));
    expect(await listInstances(id, ', showDeleted: true')).toEqual(all);
    expect(await readBusyTimes()).toEqual(['2026-12-02T09:00:00Z 2026-12-02T10:00:00Z']);
    expect(emailsOf(await gateway.readOn(alice, instanceIdOn(id, 3)))).toEqual([carol]);
  });

  test('responds to it, deletes and restores it, and syncs only its changes', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const readResponse = async () => entryOf(await gateway.readOn(alice, instance), bob).responseStatus;
    await changeEvent(instance, responseOf(bob, 'accepted'), bob);
    expect(await readResponse()).toBe('accepted');
    const removed = await changeEvent(instance, { status: 'cancelled' }, bob);
    expect([removed.status, await listBobs(), await readResponse()]).toEqual(['cancelled', [], 'declined']);
    await changeEvent(instance, { status: 'confirmed' }, bob);
    const since = await readToken();
    await changeEvent(instanceIdOn(id, 3), { summary: 'Third' });
    expect(await listBobs(since)).toEqual([]);
    await changeEvent(id, { summary: 'New' });
    expect(await listBobs(since)).toEqual(allConfirmed(instance));
    expect((await gateway.readOn(bob, instance)).summary).toBe('New');
    expect((await gateway.readOn(bob, id)).summary).toBeNull();
  });

  test('gets mail about this instance only', async () => {
    const id = await makeSeries();
    const all = { sendUpdates: 'all' };
    const outcomes = [
      await inviteBob(id, 2, all),
      await gateway.patch(instanceIdOn(id, 2), { location: 'Room 1' }, all),
      await gateway.patch(instanceIdOn(id, 3), { location: 'Room 1' }, all),
      await gateway.patch(id, { location: 'Room 2' }, all),
      await gateway.patch(instanceIdOn(id, 2), withGuests(carol), all),
      await gateway.patch(instanceIdOn(id, 2), { location: 'Room 3' }, all),
    ];
    const both = `${bob} ${carol}`;
    const mailed = notices.map((notice) => [...notice.guests].sort().join(' '));
    expect(mailed).toEqual([both, both, carol, carol, both, carol]);
    expect(outcomes.map((outcome) => outcome.notifiedCount)).toEqual([2, 2, 1, 1, 2, 1]);
  });

  test('finds it at its new time, and finds it cancelled when the series loses the occurrence', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const since = await readToken();
    await changeEvent(instance, hourAt('2026-12-24', 15));
    for (const more of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime']) {
      expect(await listBobs(rangeOn('02') + more)).toEqual([]);
      expect(await listBobs(rangeOn('24') + more)).toEqual(allConfirmed(instance));
    }
    expect(await listBobs(since)).toEqual(allConfirmed(instance));
    const tokenAfterMove = await readToken();
    await gateway.patch(id, { recurrence: [...dailySeries.recurrence, exclusion] });
    expect([await listBobs(), await listBobs(tokenAfterMove)]).toEqual([[], allCancelled(instance)]);
    expect((await gateway.readOn(bob, instance)).status).toBe('cancelled');
    expect(await readBusyTimes()).toEqual([]);
  });

  test('gets a new end of the series', async () => {
    const id = await makeSeries();
    await inviteBob(id);
    await changeEvent(id, { end: inBerlin('2026-12-01T13:00:00+01:00') });
    expect(await listBobs(rangeOn('02', '11:00', '11:30'))).toEqual(allConfirmed(instanceIdOn(id, 2)));
    expect(await readBusyTimes()).toEqual(['2026-12-02T09:00:00Z 2026-12-02T12:00:00Z']);
  });

  test.each([
    ['the same list', {}],
    ['hidden guests', withHiddenGuests],
  ])('can be added to the series, removed, and invited to one again: %s', async (_name, body) => {
    const id = await makeSeries(body);
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    await changeEvent(instance, responseOf(bob, 'accepted'), bob);
    const tokenBefore = await readToken();
    await changeEvent(id, withGuests(carol, bob));
    const allInstances = allConfirmed(...instanceIdsOn(id, 1, 2, 3, 4));
    for (const more of ['', ', showDeleted: true', ', orderBy: startTime'])
      expect(await listBobs(`singleEvents: true${more}`)).toEqual(allInstances);
    expect(await listInstances(id)).toEqual(allInstances);
    for (const args of ['', tokenBefore]) expect(await listBobs(args)).toEqual(allConfirmed(id, instance));
    expect(entryOf(await gateway.readOn(alice, instance), bob).responseStatus).toBe('accepted');
    const tokenWithSeries = await readToken();
    await changeEvent(id, withGuests(carol));
    for (const args of ['', 'singleEvents: true']) expect(await listBobs(args)).toEqual([]);
    expect(await listBobs(tokenWithSeries)).toEqual(allCancelled(id, instance));
    expect(emailsOf(await gateway.readOn(alice, instance))).toEqual([carol]);
    await changeEvent(instance, withGuests(carol, bob));
    expect(await listBobs()).toEqual(allConfirmed(instance));
    expect(entryOf(await gateway.readOn(bob, instance), bob).responseStatus).toBe('needsAction');
  });

  test('can be added to the series while it has no such occurrence, and keeps own fields', async () => {
    const id = await makeSeries({}, (seriesId) => changeEvent(seriesId, { colorId: '4' }, bob));
    await inviteBob(id);
    await inviteBob(id, 3);
    expect((await changeEvent(instanceIdOn(id, 3), { colorId: null }, bob)).colorId).toBe(null);
    await changeEvent(instanceIdOn(id, 2), hourAt('2026-12-02', 15));
    await gateway.patch(id, { recurrence: [...dailySeries.recurrence, exclusion] });
    expect(await listBobs()).toEqual(allConfirmed(instanceIdOn(id, 3)));
    await changeEvent(id, withGuests(carol, bob));
    await changeEvent(id, { recurrence: dailySeries.recurrence });
    expect(await listBobs('singleEvents: true')).toEqual(allConfirmed(...instanceIdsOn(id, 1, 2, 3, 4)));
    expect((await gateway.readOn(bob, instanceIdOn(id, 2))).colorId).toBe('4');
    expect((await gateway.readOn(bob, instanceIdOn(id, 3))).colorId).toBeNull();
    // The series moves and gets the guest back in one change.
    await changeEvent(id, withGuests(carol));
    await inviteBob(id);
    await changeEvent(id, { ...hourAt('2026-12-01', 12), ...withGuests(carol, bob) });
    await changeEvent(id, withGuests(carol));
    await changeEvent(id, zonedHour);
    expect([await listBobs(), emailsOf(await gateway.readOn(alice, instanceIdOn(id, 2)))]).toEqual([
      [],
      [carol],
    ]);
  });

  test('can be invited by an insert of the instance', async () => {
    const id = await makeSeries();
    const times = { originalStartTime: inBerlin('2026-12-02T10:00:00+01:00'), ...hourAt('2026-12-02', 15) };
    await gateway.makeEvent({ recurringEventId: id, ...times, ...withGuests(bob, carol) });
    expect(await listBobs('singleEvents: true')).toEqual(allConfirmed(instanceIdOn(id, 2)));
  });

  test('keeps the last state after removal from it, and may be invited again', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const since = await readToken();
    await changeEvent(instance, withGuests(carol));
    expect([await listBobs(), await listBobs(since)]).toEqual([[], allCancelled(instance)]);
    const afterRemoval = await listAll(gateway, bob, 'showDeleted: true');
    for (const eventId of [instance, id]) await changeEvent(eventId, { summary: 'Secret' });
    expect(await listBobs(afterRemoval.syncToken)).toEqual([]);
    expect((await listAll(gateway, bob, 'showDeleted: true')).nodes).toEqual(afterRemoval.nodes);
    await changeEvent(id, withGuests(carol, bob));
    expect(await listBobs('singleEvents: true')).toEqual(allConfirmed(...instanceIdsOn(id, 1, 3, 4)));
    await inviteBob(id);
    expect(await listBobs('singleEvents: true')).toEqual(allConfirmed(...instanceIdsOn(id, 1, 2, 3, 4)));
  });

  test('keeps it when the series is divided before it', async () => {
    const id = await makeSeries();
    await inviteBob(id, 3);
    await inviteBob(id, 1);
    const since = await readToken();
    const { following } = await clean(split(instanceIdOn(id, 2)));
    expect(await listBobs()).toEqual(allConfirmed(instanceIdOn(id, 1), instanceIdOn(following.id, 3)));
    expect(await listBobs(since)).toContain(`${instanceIdOn(id, 3)} cancelled`);
    expect(emailsOf(await gateway.readOn(alice, instanceIdOn(following.id, 3)))).toEqual([bob, carol]);
    await changeEvent(following.id, withGuests(carol, bob));
    const remaining = [instanceIdOn(id, 1), ...instanceIdsOn(following.id, 2, 3, 4)];
    expect(await listBobs('singleEvents: true')).toEqual(allConfirmed(...remaining));
  });

  test('can be invited by another guest with attendeeChanges', async () => {
    const id = await makeSeries();
    const attendeeChanges = { add: [{ email: bob }] };
    const event = await gateway.changeEvent(instanceIdOn(id, 2), {}, { as: carol, attendeeChanges });
    for (const shown of [event, await gateway.readOn(alice, instanceIdOn(id, 2))])
      expect(emailsOf(shown)).toEqual([carol, bob]);
    expect(await listBobs()).toEqual(allConfirmed(instanceIdOn(id, 2)));
  });
});
