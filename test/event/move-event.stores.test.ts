import type { GuestNotice } from '../../src/event/event.store.ts';
import { stores } from '../stores.ts';
import { selectEveryField } from '../selections.ts';
import {
  alice,
  bob,
  carol,
  type Controls,
  guestEntryOf,
  eve,
  oneHour,
  idOnlyFields,
  type EventJson,
  type Outcome,
  popupReminder,
  listPresentFields,
  problemsOf,
  sampleCalendars,
  fritz,
  rita,
  sten,
  wanda,
} from './event.harness.ts';
import { exportText, importText } from '../seed/data.harness.ts';
import {
  responseOf,
  dailySeries,
  deleteDocument,
  withGuests,
  listAllEvents,
  instanceIdOn,
} from './list.harness.ts';

const moveDocument = `mutation ($calendarId: String!, $eventId: String!, $destination: String!, $ifMatch: String, $sendUpdates: SendUpdates, $validateOnly: Boolean) {
  result: moveEvent(calendarId: $calendarId, eventId: $eventId, destination: $destination, ifMatch: $ifMatch, sendUpdates: $sendUpdates, validateOnly: $validateOnly) ${selectEveryField('Event')} }`;

/** Events that only an import of a file creates, on Carol's calendar. */
const lockedEvent = { ...oneHour, id: 'locked1', locked: true, creator: { email: wanda } };
const loneInstance = {
  ...oneHour,
  id: 'series1_20261201T090000Z',
  recurringEventId: 'series1',
  originalStartTime: oneHour.start,
  creator: { email: wanda },
};

describe.each(stores)('moveEvent, over $name', ({ useGateway, useGateways }) => {
  const startGateway = useGateways();
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return {
      notifier: { notify: (notice) => void notices.push(notice) },
      seed: { calendars: sampleCalendars([], [], [lockedEvent, loneInstance]) },
    };
  });
  /** Moves an event from Alice's calendar to Bob's, by default as Wanda, who may write to both. */
  const moveEvent = (eventId: string, { as = wanda, ...options }: Controls = {}): Promise<Outcome> =>
    gateway.run(moveDocument, { calendarId: alice, destination: bob, eventId, ...options }, as);
  const moveWithoutProblems = async (eventId: string, options?: Controls): Promise<EventJson> => {
    const { problems, warningTexts, event } = await moveEvent(eventId, options);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  };
  const expectProblems = async (outcome: Promise<Outcome>, ...problems: string[]): Promise<void> =>
    expect((await outcome).problems).toEqual(problems);
  const makeEvent = (body: object = {}, options: Controls = {}): Promise<EventJson> =>
    gateway.makeEvent(body, { as: wanda, ...options });
  const shareCalendar = async (calendarId: string, email: string, role: string): Promise<void> => {
    const shareOutcome = await gateway.ask(
      `mutation { setCalendarAccess(calendarId: "${calendarId}", email: "${email}", role: ${role}) { role } }`,
      {},
      { as: calendarId },
    );
    expect(problemsOf(shareOutcome)).toEqual([]);
  };
  const listInstancesOn = async (calendarId: string, eventId: string): Promise<string[]> => {
    const { event } = await gateway.run(
      'query ($calendarId: String!, $eventId: String!) { result: instances(calendarId: $calendarId, eventId: $eventId, showDeleted: true) { nodes { id status summary } } }',
      { calendarId, eventId },
      calendarId,
    );
    return event.nodes.map(
      ({ id, status, summary }: EventJson) => `${id.split('_')[1]} ${status} ${summary ?? ''}`,
    );
  };

  test('makes the owner of the destination the organizer, and cancels the event on the source', async () => {
    const event = await makeEvent({ summary: 'Planning', ...withGuests(carol, eve) });
    const [alicesListBefore, bobsListBefore] = [
      await listAllEvents(gateway, alice),
      await listAllEvents(gateway, bob),
    ];
    const result = await moveWithoutProblems(event.id);
    expect(result).toMatchObject({
      id: event.id,
      iCalUID: event.iCalUID,
      created: event.created,
      creator: { email: wanda },
      organizer: { email: bob, self: true },
      sequence: event.sequence + 1,
      summary: 'Planning',
      status: 'confirmed',
      attendees: event.attendees,
    });
    expect(result.nodeId).not.toBe(event.nodeId);
    expect(result).toEqual(await gateway.readOn(bob, event.id, wanda));
    expect(await gateway.readOn(carol, event.id)).toMatchObject({
      organizer: { email: bob, self: false },
      sequence: event.sequence + 1,
    });
    const sourceView = await gateway.readOn(alice, event.id);
    expect(listPresentFields(sourceView)).toEqual(idOnlyFields);
    expect(sourceView.status).toBe('cancelled');
    expect((await listAllEvents(gateway, alice)).statusTexts).toEqual([]);
    expect((await listAllEvents(gateway, alice, alicesListBefore.syncToken)).statusTexts).toEqual([
      `${event.id} cancelled`,
    ]);
    expect((await listAllEvents(gateway, bob, bobsListBefore.syncToken)).statusTexts).toEqual([
      `${event.id} confirmed`,
    ]);
  });

  test('changes nothing when repeated, and when the destination is the calendar itself', async () => {
    const event = await makeEvent();
    const result = await moveWithoutProblems(event.id, { ifMatch: event.etag });
    expect(await moveWithoutProblems(event.id, { ifMatch: event.etag })).toEqual(result);
    expect(await moveWithoutProblems(event.id, { calendarId: bob })).toEqual(result);
    await expectProblems(
      moveEvent(event.id, { as: carol }),
      'NOT_FOUND calendarId notFound',
      'NOT_FOUND destination notFound',
    );
  });

  test('does not let the source restore the event; moving it back does', async () => {
    const event = await makeEvent({ summary: 'Planning' });
    await moveWithoutProblems(event.id);
    await gateway.expectPatchRefused(event.id, { status: 'confirmed' }, ['FORBIDDEN event.status forbidden']);
    await expectProblems(moveEvent(event.id, { destination: carol }), 'FORBIDDEN eventId forbidden');
    const result = await moveWithoutProblems(event.id, { calendarId: bob, destination: alice });
    expect(result).toMatchObject({ summary: 'Planning', organizer: { email: alice }, sequence: 2 });
    expect((await gateway.readOn(bob, event.id)).status).toBe('cancelled');
    expect((await listAllEvents(gateway, alice)).statusTexts).toEqual([`${event.id} confirmed`]);
    expect(await gateway.changeEvent(event.id, { summary: 'Again' })).toMatchObject({ summary: 'Again' });
  });

  test('requires the role owner or the creator on the source, and the role writer on the destination', async () => {
    const { id } = await gateway.makeEvent();
    await expectProblems(moveEvent(id), 'FORBIDDEN calendarId forbidden');
    await expectProblems(
      moveEvent(id, { as: rita }),
      'FORBIDDEN calendarId forbidden',
      'FORBIDDEN destination forbidden',
    );
    await expectProblems(moveEvent(id, { as: alice }), 'NOT_FOUND destination notFound');
    await expectProblems(
      moveEvent(id, { as: sten, destination: 'nobody@example.com' }),
      'NOT_FOUND calendarId notFound',
      'NOT_FOUND destination notFound',
    );
    await shareCalendar(bob, alice, 'reader');
    await expectProblems(moveEvent(id, { as: alice }), 'FORBIDDEN destination forbidden');
    await shareCalendar(bob, alice, 'writer');
    expect(await moveWithoutProblems(id, { as: alice })).toMatchObject({ organizer: { email: bob } });
    await expectProblems(moveEvent('nothing'), 'NOT_FOUND eventId notFound');
  });

  test('refuses instances, copies, cancelled events, private copies and stale etags', async () => {
    const series = await makeEvent({ ...dailySeries, ...withGuests(bob) });
    const { problems, errors } = await moveEvent(instanceIdOn(series.id, 2));
    expect(problems).toEqual(['BAD_USER_INPUT eventId invalid']);
    expect(errors?.[0]?.message).toContain(series.id);
    await expectProblems(moveEvent(series.id, { as: bob, calendarId: bob, destination: 'primary' }));
    await expectProblems(
      moveEvent(series.id, { calendarId: bob, destination: carol }),
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    );
    await expectProblems(
      moveEvent(series.id, { ifMatch: '"old"' }),
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    );
    const { id } = await makeEvent();
    await gateway.run(deleteDocument, { calendarId: alice, eventId: id });
    await expectProblems(moveEvent(id), 'FORBIDDEN eventId forbidden');
    const fromCarol = { calendarId: carol, destination: bob };
    await expectProblems(moveEvent(lockedEvent.id, fromCarol), 'FORBIDDEN eventId forbidden');
    await expectProblems(moveEvent(loneInstance.id, fromCarol), 'BAD_USER_INPUT eventId invalid');
    const privateCopyEvent = await makeEvent({ privateCopy: true });
    await expectProblems(moveEvent(privateCopyEvent.id), 'FORBIDDEN eventId forbidden');
  });

  test('refuses an id or iCalUID that the destination has', async () => {
    const [eventWithSharedId, eventWithSharedUid] = [
      await makeEvent({ id: 'shared1' }),
      await makeEvent({ iCalUID: 'shared@example.com' }),
    ];
    await makeEvent({ id: 'shared1' }, { calendarId: bob });
    await makeEvent({ iCalUID: 'shared@example.com' }, { calendarId: bob });
    for (const { id } of [eventWithSharedId, eventWithSharedUid])
      await expectProblems(moveEvent(id), 'CONFLICT destination duplicate');
    expect((await gateway.readOn(alice, eventWithSharedId.id)).status).toBe('confirmed');
  });

  test('moves a series with its changed instances, also those for one guest', async () => {
    const series = await makeEvent({
      ...dailySeries,
      summary: 'Daily',
      colorId: '9',
      ...withGuests(carol, eve),
    });
    const [firstInstanceId, secondInstanceId, thirdInstanceId] = [
      instanceIdOn(series.id, 1),
      instanceIdOn(series.id, 2),
      instanceIdOn(series.id, 3),
    ];
    await gateway.changeEvent(firstInstanceId, { summary: 'First', colorId: '5' });
    await gateway.changeEvent(secondInstanceId, responseOf(carol, 'declined'), { as: carol });
    await gateway.changeEvent(thirdInstanceId, { ...withGuests(bob, eve) });
    const fourthInstanceId = instanceIdOn(series.id, 4);
    await gateway.changeEvent(fourthInstanceId, { status: 'cancelled' });
    await moveWithoutProblems(series.id);
    const expectedInstances = [
      '20261201T090000Z confirmed First',
      '20261202T090000Z confirmed Daily',
      '20261203T090000Z confirmed Daily',
      '20261204T090000Z cancelled ',
    ];
    expect(
      (await listInstancesOn(bob, series.id)).map((text) => text.replace(/cancelled .*/, 'cancelled ')),
    ).toEqual(expectedInstances);
    expect(await gateway.readOn(bob, firstInstanceId)).toMatchObject({
      colorId: '5',
      organizer: { email: bob },
    });
    expect(guestEntryOf(await gateway.readOn(bob, secondInstanceId), carol).responseStatus).toBe('declined');
    const thirdOnBobs = await gateway.readOn(bob, thirdInstanceId);
    expect(guestEntryOf(thirdOnBobs, bob)).toMatchObject({ organizer: true, self: true });
    expect((await gateway.readOn(carol, firstInstanceId)).summary).toBe('First');
    expect((await gateway.readOn(alice, firstInstanceId)).status).toBe('cancelled');
    await gateway.changeEvent(secondInstanceId, { summary: 'Second' }, { as: bob });
    expect((await gateway.readOn(carol, secondInstanceId)).summary).toBe('Second');
    await moveWithoutProblems(series.id, { calendarId: bob, destination: alice });
    expect(await gateway.readOn(alice, secondInstanceId)).toMatchObject({
      summary: 'Second',
      organizer: { email: alice },
    });
    expect((await gateway.readOn(alice, firstInstanceId)).colorId).toBe('5');
    expect((await gateway.readOn(alice, secondInstanceId)).colorId).toBe('9');
  });

  test('moves the fields of the copy, and settings of users who may read the destination', async () => {
    const copyFields = {
      colorId: '7',
      transparency: 'transparent',
      visibility: 'private',
      extendedProperties: { private: { key: 'a' }, shared: { key: 'b' } },
    };
    const { id } = await makeEvent({ ...copyFields, reminders: popupReminder(5) });
    await shareCalendar(alice, sten, 'writer');
    await gateway.changeEvent(id, { reminders: popupReminder(7) }, { as: sten, calendarId: alice });
    expect(await moveWithoutProblems(id)).toMatchObject({ ...copyFields, reminders: popupReminder(5) });
    await shareCalendar(bob, sten, 'writer');
    expect((await gateway.readOn(bob, id, sten)).reminders).toEqual({ useDefault: true, overrides: null });
  });

  test('keeps the own fields of a destination that was a guest', async () => {
    const event = await makeEvent({ ...dailySeries, colorId: '7', ...withGuests(bob, carol) });
    await gateway.changeEvent(event.id, responseOf(bob, 'tentative', 'Perhaps'), { as: bob });
    await gateway.changeEvent(event.id, { colorId: '3', reminders: popupReminder(9) }, { as: bob });
    await gateway.changeEvent(instanceIdOn(event.id, 2), { colorId: '4' }, { as: bob });
    const result = await moveWithoutProblems(event.id, { as: wanda });
    expect(result).toMatchObject({ colorId: '3', organizer: { email: bob, self: true } });
    expect(guestEntryOf(result, bob)).toMatchObject({
      organizer: true,
      responseStatus: 'tentative',
      comment: 'Perhaps',
    });
    expect((await gateway.readOn(bob, event.id)).reminders).toMatchObject(popupReminder(9));
    expect((await gateway.readOn(bob, instanceIdOn(event.id, 2))).colorId).toBe('4');
    expect((await gateway.readOn(bob, instanceIdOn(event.id, 3))).colorId).toBe('3');
  });

  test('shows an instance with its own guest list to a destination that it did not invite', async () => {
    const series = await makeEvent({ ...dailySeries, ...withGuests(carol) });
    await gateway.changeEvent(instanceIdOn(series.id, 2), { summary: 'Own list', ...withGuests(eve) });
    await gateway.changeEvent(series.id, withGuests(carol, bob));
    await gateway.run(deleteDocument, { calendarId: bob, eventId: series.id }, bob);
    const result = await moveWithoutProblems(series.id);
    expect(guestEntryOf(result, bob)).toMatchObject({ organizer: true, responseStatus: 'declined' });
    expect((await gateway.readOn(bob, instanceIdOn(series.id, 2))).summary).toBe('Own list');
    expect((await gateway.readOn(bob, instanceIdOn(series.id, 3))).status).toBe('confirmed');
  });

  test('leaves an instance to a former organizer who is a guest of it alone', async () => {
    const series = await makeEvent({ ...dailySeries, ...withGuests(carol) });
    await gateway.changeEvent(instanceIdOn(series.id, 2), {
      summary: 'Together',
      ...withGuests(alice, carol),
    });
    await moveWithoutProblems(series.id);
    expect((await gateway.readOn(alice, series.id)).status).toBe('cancelled');
    expect(await gateway.readOn(alice, instanceIdOn(series.id, 2))).toMatchObject({
      summary: 'Together',
      status: 'confirmed',
      organizer: { email: bob },
    });
  });

  test('keeps the response of a guest who had removed an instance', async () => {
    const event = await makeEvent({ ...dailySeries, ...withGuests(bob, carol) });
    await gateway.run(deleteDocument, { calendarId: bob, eventId: instanceIdOn(event.id, 2) }, bob);
    await moveWithoutProblems(event.id);
    const instance = await gateway.readOn(carol, instanceIdOn(event.id, 2));
    expect(guestEntryOf(instance, bob)).toMatchObject({ organizer: true, responseStatus: 'declined' });
    expect((await gateway.readOn(carol, instanceIdOn(event.id, 3))).attendees[0].responseStatus).toBe(
      'needsAction',
    );
  });

  test('later instances are not found on the source calendar', async () => {
    const { id } = await makeEvent(dailySeries);
    await moveWithoutProblems(id);
    await gateway.changeEvent(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] }, { as: bob });
    await gateway.changeEvent(instanceIdOn(id, 6), { summary: 'Later' }, { as: bob });
    await gateway.expectNotFound(alice, instanceIdOn(id, 6));
    const { errors } = await gateway.patch(id, { status: 'confirmed' });
    expect(errors?.[0]?.message).toContain('moved');
  });

  test('leaves a copy to a former organizer who is a guest', async () => {
    const event = await makeEvent({ ...dailySeries, visibility: 'private', ...withGuests(alice, carol) });
    await gateway.changeEvent(instanceIdOn(event.id, 2), withGuests(carol));
    await moveWithoutProblems(event.id);
    const copy = await gateway.readOn(alice, event.id);
    expect(copy).toMatchObject({ status: 'confirmed', organizer: { email: bob, self: false } });
    expect(guestEntryOf(copy, alice)).toMatchObject({ organizer: false, self: true });
    expect((await gateway.readOn(alice, instanceIdOn(event.id, 2))).status).toBe('cancelled');
    await gateway.expectPatchRefused(event.id, { summary: 'Mine' }, [
      'FORBIDDEN event.summary forbiddenForNonOrganizer',
    ]);
    await gateway.changeEvent(event.id, responseOf(alice, 'declined'));
    expect(guestEntryOf(await gateway.readOn(bob, event.id), alice).responseStatus).toBe('declined');
    await expectProblems(moveEvent(event.id), 'FORBIDDEN eventId forbiddenForNonOrganizer');
    await gateway.changeEvent(event.id, withGuests(carol), { as: bob });
    expect((await gateway.readOn(alice, event.id)).status).toBe('cancelled');
    await gateway.changeEvent(event.id, withGuests(carol, alice), { as: bob });
    expect((await gateway.readOn(alice, event.id)).status).toBe('confirmed');
  });

  test('moves an event between calendars of one owner', async () => {
    const { event: secondCalendar } = await gateway.run(
      'mutation { result: insertCalendar(calendar: { summary: "Second" }) { id } }',
      {},
    );
    const event = await gateway.makeEvent({ ...dailySeries, ...withGuests(alice, bob) });
    await gateway.changeEvent(instanceIdOn(event.id, 2), { summary: 'Changed' });
    const secondDestination = { as: alice, destination: secondCalendar.id };
    expect(await moveWithoutProblems(event.id, secondDestination)).toMatchObject({
      organizer: { email: alice, self: true },
    });
    expect((await gateway.readOn(alice, event.id)).status).toBe('cancelled');
    await gateway.changeEvent(
      event.id,
      { summary: 'New', ...withGuests(alice, carol) },
      { calendarId: secondCalendar.id },
    );
    expect((await gateway.readOn(alice, event.id)).status).toBe('cancelled');
    expect((await gateway.readOn(carol, event.id)).summary).toBe('New');
    await moveWithoutProblems(event.id, { as: alice, calendarId: secondCalendar.id, destination: 'primary' });
    expect(await gateway.readOn(alice, event.id)).toMatchObject({ status: 'confirmed', summary: 'New' });
    expect((await gateway.readOn(secondCalendar.id, event.id, alice)).status).toBe('cancelled');
    expect((await gateway.readOn(carol, instanceIdOn(event.id, 2))).summary).toBe('Changed');
  });

  test('notifies guests with an update', async () => {
    const event = await makeEvent({ ...withGuests(alice, bob, carol, eve) });
    const { event: preview, notifiedCount } = await moveEvent(event.id, {
      sendUpdates: 'all',
      validateOnly: true,
    });
    expect({ preview: preview.organizer.email, notifiedCount, notices }).toEqual({
      preview: bob,
      notifiedCount: 0,
      notices: [],
    });
    expect((await gateway.readOn(alice, event.id)).organizer.email).toBe(alice);
    const result = await moveEvent(event.id, { sendUpdates: 'all' });
    expect(result.notifiedCount).toBe(3);
    expect(notices).toEqual([
      {
        calendarId: bob,
        eventId: event.id,
        iCalUID: event.iCalUID,
        sequence: 1,
        method: 'REQUEST',
        change: 'updated',
        changed: ['organizer', 'sequence'],
        guests: [alice, carol, eve],
      },
    ]);
  });

  test('keeps guests hidden from each other and times hidden from free/busy readers', async () => {
    const event = await makeEvent({
      summary: 'Secret',
      guestsCanSeeOtherGuests: false,
      ...withGuests(carol, eve),
    });
    await moveWithoutProblems(event.id);
    expect((await gateway.readOn(carol, event.id)).attendees).toEqual([
      expect.objectContaining({ email: carol, self: true }),
    ]);
    expect((await gateway.readOn(bob, event.id)).attendees).toHaveLength(2);
    expect((await gateway.readOn(bob, event.id, fritz)).summary).toBeNull();
  });

  test('a guest’s copy that replaced an imported event does not stop the move, nor is the imported event found', async () => {
    const series = { ...dailySeries, iCalUID: 'daily@elsewhere.example' };
    const importOnBobsCalendar = (event: object): Promise<Outcome> =>
      gateway.run(
        'mutation ($event: EventInput!) { result: importEvent(calendarId: "bob@example.com", event: $event) { id } }',
        { event },
        bob,
      );
    const { event: copy } = await importOnBobsCalendar({ ...series, organizer: { email: alice } });
    await gateway.changeEvent(instanceIdOn(copy.id, 2), { colorId: '3' }, { as: bob });
    const { id } = await makeEvent({ ...series, ...withGuests(bob) });
    const uidArgs = 'iCalUID: "daily@elsewhere.example", showDeleted: true';
    expect((await listAllEvents(gateway, bob, uidArgs)).statusTexts).toEqual([
      `${id} confirmed`,
      `${instanceIdOn(id, 2)} confirmed`,
    ]);
    expect((await gateway.readOn(bob, copy.id)).status).toBe('cancelled');
    const { problems, errors } = await importOnBobsCalendar(series);
    expect(problems).toEqual(['CONFLICT event.iCalUID duplicate']);
    expect(errors?.[0]?.message).toContain('was not imported');
    expect((await moveWithoutProblems(id)).organizer).toMatchObject({ email: bob, self: true });
  });

  test('a move between calendars of one owner survives the export and import of all data', async () => {
    const { event: otherCalendar } = await gateway.run(
      'mutation { result: insertCalendar(calendar: { summary: "Second" }) { id } }',
      {},
    );
    const series = await gateway.makeEvent({ ...dailySeries, summary: 'Daily', ...withGuests(carol) });
    await gateway.changeEvent(instanceIdOn(series.id, 2), { summary: 'Other', colorId: '3' });
    await moveWithoutProblems(series.id, { as: alice, destination: otherCalendar.id });
    const exportedText = await exportText(gateway.stores);
    const restoredGateway = await startGateway({ seed: { calendars: [] } });
    expect((await importText(restoredGateway.stores, exportedText)).issues).toEqual([]);
    expect(await exportText(restoredGateway.stores)).toBe(exportedText);
    expect((await importText(restoredGateway.stores, exportedText)).issues).toEqual([]);
    expect(await restoredGateway.readOn(otherCalendar.id, instanceIdOn(series.id, 2), alice)).toMatchObject({
      summary: 'Other',
      colorId: '3',
    });
    expect((await restoredGateway.readOn(alice, series.id)).status).toBe('cancelled');
    expect((await listAllEvents(restoredGateway, alice, 'singleEvents: true')).ids).toEqual([]);
    const moveBackVariables = { calendarId: otherCalendar.id, destination: alice, eventId: series.id };
    expect((await restoredGateway.run(moveDocument, moveBackVariables)).problems).toEqual([]);
    expect((await restoredGateway.readOn(alice, instanceIdOn(series.id, 2))).summary).toBe('Other');
  });
});
