import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  emailsOf,
  guestEntryOf,
  eve,
  type Outcome,
  type EventJson,
  zonedHour,
  rita,
} from './event.harness.ts';
import { inBerlin, createSeriesSplitter } from './following.harness.ts';
import { readPeriods } from './free-busy.harness.ts';
import {
  responseOf,
  withHiddenGuests,
  dailySeries,
  withGuests,
  hourAt,
  instanceIdsOn,
  listAllEvents,
  instanceIdOn,
} from './list.harness.ts';
import { stores } from '../stores.ts';

const formatRange = (day: string, from = '00:00', to = '23:59'): string =>
  `timeMin: "2026-12-${day}T${from}:00Z", timeMax: "2026-12-${day}T${to}:00Z"`;
const formatConfirmed = (...ids: string[]): string[] => ids.map((id) => `${id} confirmed`).sort();
const formatCancelled = (...ids: string[]): string[] => ids.map((id) => `${id} cancelled`).sort();

const exdateOfSecondDay = 'EXDATE;TZID=Europe/Berlin:20261202T100000';

/** Bob, who has a calendar here, was removed from a series and is invited to one of its instances. */
describe.each(stores)('a guest of one instance only, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const { splitSeries, expectNoProblems } = createSeriesSplitter(gateway);

  /** Lists the events on Bob's calendar as sorted `id status`. */
  const listBobsEvents = async (args = '', as = bob): Promise<string[]> =>
    (await listAllEvents(gateway, as, args, bob)).statusTexts.toSorted();
  const readSyncToken = async (): Promise<string> => (await listAllEvents(gateway, bob)).syncToken;
  const readBusyTimes = (): Promise<string[]> => readPeriods(gateway, { as: bob, calendarIds: [bob] });
  async function listInstances(id: string, args = ''): Promise<string[]> {
    const document = `{ result: instances(calendarId: "${bob}", eventId: "${id}"${args}) { nodes { id status } } }`;
    const { event, problems } = await gateway.run(document, {}, bob);
    expect(problems).toEqual([]);
    return event.nodes.map((node: EventJson) => `${node.id} ${node.status}`);
  }
  const changeEvent = (id: string, body: object, as = alice): Promise<EventJson> =>
    gateway.changeEvent(id, body, { as });
  /** Makes a series and removes Bob from it, after an optional change. */
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
  ])('sees only the instance, which %s', async (_name, body, changeBefore) => {
    const id = await makeSeries(body, changeBefore);
    const instance = instanceIdOn(id, 2);
    const tokenBeforeInvitation = await readSyncToken();
    const { event, problems, warningTexts } = await inviteBob(id);
    expect([problems, warningTexts, emailsOf(event)]).toEqual([[], [], [bob, carol]]);
    const bobsInstance = await gateway.readOn(bob, instance);
    expect(bobsInstance).toMatchObject({ id: instance, status: 'confirmed', recurringEventId: id });
    expect(bobsInstance.start).toMatchObject({ dateTime: '2026-12-02T10:00:00+01:00' });
    expect(guestEntryOf(bobsInstance, bob)).toMatchObject({ responseStatus: 'needsAction', self: true });
    expect(await gateway.readOn(bob, id)).toMatchObject({ status: 'cancelled', summary: null });
    for (const args of [
      '',
      'singleEvents: true',
      'singleEvents: true, orderBy: startTime',
      `iCalUID: "${bobsInstance.iCalUID}"`,
      `${formatRange('02')}, showDeleted: true, singleEvents: true`,
      tokenBeforeInvitation,
    ])
      expect([args, await listBobsEvents(args)]).toEqual([args, formatConfirmed(instance)]);
    expect(await listBobsEvents('', rita)).toEqual(formatConfirmed(instance));
    expect(await listBobsEvents('showDeleted: true')).toEqual([
      ...formatCancelled(id),
      ...formatConfirmed(instance),
    ]);
    const instanceStates = [
      ...formatConfirmed(instance),
      ...formatCancelled(...instanceIdsOn(id, 1, 3, 4)),
    ].sort();
    for (const order of ['', ', orderBy: startTime'])
      expect(await listBobsEvents(`singleEvents: true, showDeleted: true${order}`)).toEqual(instanceStates);
    expect(await listInstances(id)).toEqual(formatConfirmed(instance));
    expect(await listInstances(id, ', showDeleted: true')).toEqual(instanceStates);
    expect(await readBusyTimes()).toEqual(['2026-12-02T09:00:00Z 2026-12-02T10:00:00Z']);
    expect(emailsOf(await gateway.readOn(alice, instanceIdOn(id, 3)))).toEqual([carol]);
  });

  test('responds to the instance, deletes and restores it, and syncs only its changes', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const readResponse = async () => guestEntryOf(await gateway.readOn(alice, instance), bob).responseStatus;
    await changeEvent(instance, responseOf(bob, 'accepted'), bob);
    expect(await readResponse()).toBe('accepted');
    const deletedInstance = await changeEvent(instance, { status: 'cancelled' }, bob);
    expect([deletedInstance.status, await listBobsEvents(), await readResponse()]).toEqual([
      'cancelled',
      [],
      'declined',
    ]);
    await changeEvent(instance, { status: 'confirmed' }, bob);
    const tokenBeforeChanges = await readSyncToken();
    await changeEvent(instanceIdOn(id, 3), { summary: 'Third' });
    expect(await listBobsEvents(tokenBeforeChanges)).toEqual([]);
    await changeEvent(id, { summary: 'New' });
    expect(await listBobsEvents(tokenBeforeChanges)).toEqual(formatConfirmed(instance));
    expect((await gateway.readOn(bob, instance)).summary).toBe('New');
    expect((await gateway.readOn(bob, id)).summary).toBeNull();
  });

  test('gets mail about this instance only', async () => {
    const id = await makeSeries();
    const notifyAll = { sendUpdates: 'all' };
    const outcomes = [
      await inviteBob(id, 2, notifyAll),
      await gateway.patch(instanceIdOn(id, 2), { location: 'Room 1' }, notifyAll),
      await gateway.patch(instanceIdOn(id, 3), { location: 'Room 1' }, notifyAll),
      await gateway.patch(id, { location: 'Room 2' }, notifyAll),
      await gateway.patch(instanceIdOn(id, 2), withGuests(carol), notifyAll),
      await gateway.patch(instanceIdOn(id, 2), { location: 'Room 3' }, notifyAll),
    ];
    const bobAndCarol = `${bob} ${carol}`;
    const mailedGuests = notices.map((notice) => [...notice.guests].sort().join(' '));
    expect(mailedGuests).toEqual([bobAndCarol, bobAndCarol, carol, carol, bobAndCarol, carol]);
    expect(outcomes.map((outcome) => outcome.notifiedCount)).toEqual([2, 2, 1, 1, 2, 1]);
  });

  test('finds the instance at its new time, and cancelled when the series loses the occurrence', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const tokenBeforeMove = await readSyncToken();
    await changeEvent(instance, hourAt('2026-12-24', 15));
    for (const moreArgs of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime']) {
      expect(await listBobsEvents(formatRange('02') + moreArgs)).toEqual([]);
      expect(await listBobsEvents(formatRange('24') + moreArgs)).toEqual(formatConfirmed(instance));
    }
    expect(await listBobsEvents(tokenBeforeMove)).toEqual(formatConfirmed(instance));
    const tokenAfterMove = await readSyncToken();
    await gateway.patch(id, { recurrence: [...dailySeries.recurrence, exdateOfSecondDay] });
    expect([await listBobsEvents(), await listBobsEvents(tokenAfterMove)]).toEqual([
      [],
      formatCancelled(instance),
    ]);
    expect((await gateway.readOn(bob, instance)).status).toBe('cancelled');
    expect(await readBusyTimes()).toEqual([]);
  });

  test('gets a new end of the series', async () => {
    const id = await makeSeries();
    await inviteBob(id);
    await changeEvent(id, { end: inBerlin('2026-12-01T13:00:00+01:00') });
    expect(await listBobsEvents(formatRange('02', '11:00', '11:30'))).toEqual(
      formatConfirmed(instanceIdOn(id, 2)),
    );
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
    const tokenBefore = await readSyncToken();
    await changeEvent(id, withGuests(carol, bob));
    const allInstances = formatConfirmed(...instanceIdsOn(id, 1, 2, 3, 4));
    for (const moreArgs of ['', ', showDeleted: true', ', orderBy: startTime'])
      expect(await listBobsEvents(`singleEvents: true${moreArgs}`)).toEqual(allInstances);
    expect(await listInstances(id)).toEqual(allInstances);
    for (const args of ['', tokenBefore])
      expect(await listBobsEvents(args)).toEqual(formatConfirmed(id, instance));
    expect(guestEntryOf(await gateway.readOn(alice, instance), bob).responseStatus).toBe('accepted');
    const tokenWithSeries = await readSyncToken();
    await changeEvent(id, withGuests(carol));
    for (const args of ['', 'singleEvents: true']) expect(await listBobsEvents(args)).toEqual([]);
    expect(await listBobsEvents(tokenWithSeries)).toEqual(formatCancelled(id, instance));
    expect(emailsOf(await gateway.readOn(alice, instance))).toEqual([carol]);
    await changeEvent(instance, withGuests(carol, bob));
    expect(await listBobsEvents()).toEqual(formatConfirmed(instance));
    expect(guestEntryOf(await gateway.readOn(bob, instance), bob).responseStatus).toBe('needsAction');
  });

  test('can be added to the series while it has no such occurrence, and keeps own fields', async () => {
    const id = await makeSeries({}, (seriesId) => changeEvent(seriesId, { colorId: '4' }, bob));
    await inviteBob(id);
    await inviteBob(id, 3);
    expect((await changeEvent(instanceIdOn(id, 3), { colorId: null }, bob)).colorId).toBe(null);
    await changeEvent(instanceIdOn(id, 2), hourAt('2026-12-02', 15));
    await gateway.patch(id, { recurrence: [...dailySeries.recurrence, exdateOfSecondDay] });
    expect(await listBobsEvents()).toEqual(formatConfirmed(instanceIdOn(id, 3)));
    await changeEvent(id, withGuests(carol, bob));
    await changeEvent(id, { recurrence: dailySeries.recurrence });
    expect(await listBobsEvents('singleEvents: true')).toEqual(
      formatConfirmed(...instanceIdsOn(id, 1, 2, 3, 4)),
    );
    expect((await gateway.readOn(bob, instanceIdOn(id, 2))).colorId).toBe('4');
    expect((await gateway.readOn(bob, instanceIdOn(id, 3))).colorId).toBeNull();
    // The series moves and gets the guest back in one change.
    await changeEvent(id, withGuests(carol));
    await inviteBob(id);
    await changeEvent(id, { ...hourAt('2026-12-01', 12), ...withGuests(carol, bob) });
    await changeEvent(id, withGuests(carol));
    await changeEvent(id, zonedHour);
    expect([await listBobsEvents(), emailsOf(await gateway.readOn(alice, instanceIdOn(id, 2)))]).toEqual([
      [],
      [carol],
    ]);
  });

  test('can be invited by an insert of the instance', async () => {
    const id = await makeSeries();
    const movedTimes = {
      originalStartTime: inBerlin('2026-12-02T10:00:00+01:00'),
      ...hourAt('2026-12-02', 15),
    };
    await gateway.makeEvent({ recurringEventId: id, ...movedTimes, ...withGuests(bob, carol) });
    expect(await listBobsEvents('singleEvents: true')).toEqual(formatConfirmed(instanceIdOn(id, 2)));
  });

  test('keeps the last state of the instance after removal from it, and may be invited again', async () => {
    const id = await makeSeries();
    const instance = instanceIdOn(id, 2);
    await inviteBob(id);
    const tokenBeforeRemoval = await readSyncToken();
    await changeEvent(instance, withGuests(carol));
    expect([await listBobsEvents(), await listBobsEvents(tokenBeforeRemoval)]).toEqual([
      [],
      formatCancelled(instance),
    ]);
    const afterRemoval = await listAllEvents(gateway, bob, 'showDeleted: true');
    for (const eventId of [instance, id]) await changeEvent(eventId, { summary: 'Secret' });
    expect(await listBobsEvents(afterRemoval.syncToken)).toEqual([]);
    expect((await listAllEvents(gateway, bob, 'showDeleted: true')).nodes).toEqual(afterRemoval.nodes);
    await changeEvent(id, withGuests(carol, bob));
    expect(await listBobsEvents('singleEvents: true')).toEqual(
      formatConfirmed(...instanceIdsOn(id, 1, 3, 4)),
    );
    await inviteBob(id);
    expect(await listBobsEvents('singleEvents: true')).toEqual(
      formatConfirmed(...instanceIdsOn(id, 1, 2, 3, 4)),
    );
  });

  test('keeps it when the series is divided before it', async () => {
    const id = await makeSeries();
    await inviteBob(id, 3);
    await inviteBob(id, 1);
    const tokenBeforeSplit = await readSyncToken();
    const { following } = await expectNoProblems(splitSeries(instanceIdOn(id, 2)));
    expect(await listBobsEvents()).toEqual(
      formatConfirmed(instanceIdOn(id, 1), instanceIdOn(following.id, 3)),
    );
    expect(await listBobsEvents(tokenBeforeSplit)).toContain(`${instanceIdOn(id, 3)} cancelled`);
    expect(emailsOf(await gateway.readOn(alice, instanceIdOn(following.id, 3)))).toEqual([bob, carol]);
    await changeEvent(following.id, withGuests(carol, bob));
    const remainingIds = [instanceIdOn(id, 1), ...instanceIdsOn(following.id, 2, 3, 4)];
    expect(await listBobsEvents('singleEvents: true')).toEqual(formatConfirmed(...remainingIds));
  });

  test('can be invited by another guest with attendeeChanges', async () => {
    const id = await makeSeries();
    const attendeeChanges = { add: [{ email: bob }] };
    const event = await gateway.changeEvent(instanceIdOn(id, 2), {}, { as: carol, attendeeChanges });
    for (const readEvent of [event, await gateway.readOn(alice, instanceIdOn(id, 2))])
      expect(emailsOf(readEvent)).toEqual([carol, bob]);
    expect(await listBobsEvents()).toEqual(formatConfirmed(instanceIdOn(id, 2)));
  });
});
