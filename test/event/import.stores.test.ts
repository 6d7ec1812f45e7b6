import { stores } from '../stores.ts';
import { selectEveryField } from '../selections.ts';
import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  type Controls,
  guestEntryOf,
  eve,
  oneHour,
  halfAnHourLater,
  popupReminder,
  problemAt,
  type EventJson,
  type Outcome,
  rita,
  wanda,
} from './event.harness.ts';
import {
  responseOf,
  dailySeries,
  deleteDocument,
  withGuests,
  hourAt,
  listAllEvents,
  instanceIdOn,
} from './list.harness.ts';

const importDocument = `mutation ($calendarId: String!, $event: EventInput!, $conferenceDataVersion: Int, $supportsAttachments: Boolean, $validateOnly: Boolean, $requestId: String) {
  result: importEvent(calendarId: $calendarId, event: $event, conferenceDataVersion: $conferenceDataVersion, supportsAttachments: $supportsAttachments, validateOnly: $validateOnly, requestId: $requestId) ${selectEveryField('Event')} }`;

const planningUid = 'planning@elsewhere.example';
/** Own event: without `organizer`, so the calendar's owner organizes it. Eve organizes `foreignEvent`. */
const ownEvent = { ...oneHour, iCalUID: planningUid, summary: 'Planning' };
const organizer = { email: eve, displayName: 'Eve' };
const foreignEvent = { ...ownEvent, organizer, ...withGuests(alice, bob, carol) };

const alicesResponse = (responseStatus: string) => ({ attendees: [{ email: alice, responseStatus }] });
/** Removes the UTC offsets from the times of a body. */
const removeOffsets = ({ start, end }: typeof dailySeries) => ({
  start: { ...start, dateTime: start.dateTime.slice(0, 19) },
  end: { ...end, dateTime: end.dateTime.slice(0, 19) },
});

describe.each(stores)('importEvent, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const importBody = (event: object, { as = alice, ...options }: Controls = {}): Promise<Outcome> =>
    gateway.run(importDocument, { calendarId: alice, event, ...options }, as);
  const importWithoutProblems = async (event: object, options?: Controls): Promise<EventJson> => {
    const { problems, warningTexts, event: result } = await importBody(event, options);
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return result;
  };
  const expectRefused = async (
    event: object,
    problems: readonly string[],
    options?: Controls,
  ): Promise<void> => expect((await importBody(event, options)).problems).toEqual(problems);

  test('needs the iCalUID, a writer and a valid body', async () => {
    await expectRefused({ ...ownEvent, iCalUID: null, colorId: '99' }, [
      problemAt('iCalUID', 'required'),
      problemAt('colorId', 'invalid'),
    ]);
    await expectRefused(ownEvent, ['FORBIDDEN calendarId forbidden'], { as: rita });
    await expectRefused(ownEvent, ['NOT_FOUND calendarId notFound'], { calendarId: 'nobody@example.com' });
    await expectRefused({ ...ownEvent, recurringEventId: 'series' }, [
      problemAt('originalStartTime', 'required'),
    ]);
    await expectRefused({ ...ownEvent, organizer: { email: 'nobody' } }, [
      problemAt('organizer.email', 'invalid'),
    ]);
    await expectRefused({ iCalUID: planningUid, summary: 'Planning' }, [
      problemAt('start', 'required'),
      problemAt('end', 'required'),
    ]);
  });

  test('takes organizer, created, sequence and status, and ignores ids and other read-only fields', async () => {
    const { event, warningTexts } = await importBody({
      ...ownEvent,
      id: 'chosen1',
      organizer,
      created: '2020-01-01T10:00:00+01:00',
      sequence: 4,
      status: 'tentative',
      creator: { email: bob },
      htmlLink: 'https://elsewhere.example/',
    });
    expect(event).toMatchObject({
      ...ownEvent,
      start: { dateTime: expect.any(String) },
      end: { dateTime: expect.any(String) },
      organizer: { ...organizer, self: false },
      creator: { email: alice, self: true },
      created: '2020-01-01T09:00:00.000Z',
      sequence: 4,
      status: 'tentative',
    });
    expect(event.id).not.toBe('chosen1');
    expect(warningTexts.toSorted()).toEqual([
      'event.creator readOnly',
      'event.htmlLink readOnly',
      'event.id ignored',
    ]);
    expect(await gateway.readOn(alice, event.id)).toEqual(event);
  });

  test('keeps an event of somebody else on one calendar, with the rights of a guest', async () => {
    const event = await importWithoutProblems(
      { ...foreignEvent, attendees: [{ email: alice }, { email: bob, responseStatus: 'accepted' }] },
      { as: wanda },
    );
    expect(guestEntryOf(event, bob).responseStatus).toBe('accepted');
    await gateway.expectNotFound(bob, event.id);
    expect((await listAllEvents(gateway, bob)).ids).toEqual([]);
    await gateway.expectPatchRefused(event.id, { summary: 'Mine' }, [
      'FORBIDDEN event.summary forbiddenForNonOrganizer',
    ]);
    await gateway.changeEvent(event.id, { colorId: '3', reminders: popupReminder(5) });
    await gateway.changeEvent(event.id, responseOf(alice, 'accepted'));
    await gateway.changeEvent(event.id, { attendees: [...event.attendees, { email: carol }] });
    await gateway.expectNotFound(carol, event.id);
    expect((await gateway.readOn(alice, event.id)).attendees).toHaveLength(3);
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    expect((await gateway.readOn(alice, event.id)).status).toBe('cancelled');
    expect(await gateway.changeEvent(event.id, { status: 'confirmed' })).toMatchObject({
      summary: 'Planning',
    });
  });

  test('an own event is stored as by insertEvent, and notifies nobody', async () => {
    const body = {
      ...ownEvent,
      attendees: [
        { email: bob, responseStatus: 'accepted' },
        { email: eve, responseStatus: 'accepted' },
      ],
    };
    const { event, warningTexts, notifiedCount } = await importBody({
      ...body,
      organizer: { email: alice.toUpperCase() },
    });
    expect(warningTexts).toEqual(['event.attendees.0.responseStatus ignored']);
    expect({ notifiedCount, notices }).toEqual({ notifiedCount: 0, notices: [] });
    expect(event.organizer).toMatchObject({ email: alice, self: true });
    expect(guestEntryOf(event, bob).responseStatus).toBe('needsAction');
    expect(guestEntryOf(event, eve).responseStatus).toBe('accepted');
    const id = event.id as string;
    expect((await gateway.readOn(bob, id)).summary).toBe('Planning');
    await gateway.changeEvent(id, responseOf(bob, 'tentative'), { as: bob });
    const repeatedImport = await importBody({ ...body, summary: 'Other' });
    expect(repeatedImport.warningTexts).toEqual(['event.attendees.0.responseStatus ignored']);
    expect(guestEntryOf(repeatedImport.event, bob).responseStatus).toBe('tentative');
    expect((await gateway.readOn(bob, id)).summary).toBe('Other');
  });

  test('a repeated import replaces the shared part, and changes nothing if it is equal', async () => {
    const firstBody = {
      ...ownEvent,
      organizer,
      sequence: 1,
      location: 'Room 3',
      description: 'Text',
      colorId: '3',
      reminders: popupReminder(5),
      visibility: 'private',
      extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
      ...withGuests(alice, bob),
      guestsCanModify: true,
    };
    const event = await importWithoutProblems(firstBody);
    const { syncToken } = await listAllEvents(gateway, alice);
    expect(await importWithoutProblems(firstBody)).toEqual(event);
    expect((await listAllEvents(gateway, alice, syncToken)).statusTexts).toEqual([]);
    await gateway.changeEvent(event.id, { colorId: '4' });
    const { event: replacedEvent, warningTexts } = await importBody({
      ...ownEvent,
      ...halfAnHourLater,
      end: oneHour.end,
      colorId: '9',
    });
    expect(warningTexts).toEqual(['event.colorId ignored']);
    expect(replacedEvent).toMatchObject({
      id: event.id,
      organizer,
      sequence: 1,
      location: null,
      description: null,
      colorId: '4',
      reminders: popupReminder(5),
      visibility: 'private',
      extendedProperties: { private: { a: '1' }, shared: null },
      attendees: null,
      guestsCanModify: false,
    });
    expect((await listAllEvents(gateway, alice, syncToken)).statusTexts).toEqual([`${event.id} confirmed`]);
  });

  test('refuses a lower sequence, another organizer, and the iCalUID of an event that was not imported', async () => {
    await importWithoutProblems({ ...foreignEvent, sequence: 3 });
    await expectRefused({ ...foreignEvent, sequence: 2 }, [problemAt('sequence', 'invalid')]);
    await expectRefused({ ...foreignEvent, organizer: { email: bob } }, [
      problemAt('organizer.email', 'immutable'),
    ]);
    await gateway.makeEvent({ iCalUID: 'inserted@example.com', ...withGuests(bob) });
    const insertedBody = { ...ownEvent, iCalUID: 'inserted@example.com' };
    await expectRefused(insertedBody, ['CONFLICT event.iCalUID duplicate']);
    await expectRefused(insertedBody, ['CONFLICT event.iCalUID duplicate'], { as: bob, calendarId: bob });
  });

  test("keeps the owner's response, except for a higher sequence with another response", async () => {
    const event = await importWithoutProblems({ ...foreignEvent, sequence: 1 });
    await gateway.changeEvent(event.id, responseOf(alice, 'accepted', 'Yes'));
    const responseAfterImport = async (body: object): Promise<unknown> => {
      const { event: result, warningTexts } = await importBody({ ...foreignEvent, ...body });
      return [guestEntryOf(result, alice).responseStatus, guestEntryOf(result, alice).comment, warningTexts];
    };
    const ignoredWarnings = ['event.attendees.0.responseStatus ignored'];
    expect(await responseAfterImport({ sequence: 1, ...alicesResponse('declined') })).toEqual([
      'accepted',
      'Yes',
      ignoredWarnings,
    ]);
    expect(await responseAfterImport({ sequence: 2 })).toEqual(['accepted', 'Yes', []]);
    expect(await responseAfterImport({ sequence: 3, ...alicesResponse('declined') })).toEqual([
      'declined',
      null,
      [],
    ]);
    const guestWithComment = { email: alice, comment: 'Late', additionalGuests: 2 };
    const { event: eventAfterComment, warningTexts } = await importBody({
      ...foreignEvent,
      attendees: [guestWithComment],
    });
    expect(warningTexts).toEqual([
      'event.attendees.0.comment ignored',
      'event.attendees.0.additionalGuests ignored',
    ]);
    expect(guestEntryOf(eventAfterComment, alice)).toMatchObject({
      responseStatus: 'declined',
      comment: null,
      additionalGuests: 0,
    });
    await gateway.changeEvent(event.id, {
      attendeesOmitted: true,
      attendees: [{ ...guestWithComment, responseStatus: 'accepted' }],
    });
    await importWithoutProblems({
      ...foreignEvent,
      attendees: [{ ...guestWithComment, responseStatus: 'accepted' }],
    });
    await importWithoutProblems({
      ...foreignEvent,
      attendees: [{ ...guestWithComment, comment: null, additionalGuests: 0 }],
    });
  });

  test('imports a deleted own event again', async () => {
    const event = await importWithoutProblems(ownEvent);
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    expect(await importWithoutProblems({ ...ownEvent, summary: 'Again' })).toMatchObject({
      id: event.id,
      status: 'confirmed',
      summary: 'Again',
    });
  });

  test('imports instances of an imported series', async () => {
    const series = await importWithoutProblems({
      ...dailySeries,
      iCalUID: planningUid,
      organizer,
      summary: 'Daily',
      ...withGuests(alice, bob),
    });
    const instance = {
      iCalUID: planningUid,
      organizer,
      originalStartTime: { dateTime: '2026-12-02T09:00:00Z' },
      start: { dateTime: '2026-12-02T15:00:00+01:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-12-02T16:00:00+01:00', timeZone: 'Europe/Berlin' },
      summary: 'Moved',
    };
    const changedInstance = await importWithoutProblems(instance);
    expect(changedInstance).toMatchObject({
      id: instanceIdOn(series.id, 2),
      recurringEventId: series.id,
      summary: 'Moved',
    });
    expect(await importWithoutProblems(instance)).toEqual(changedInstance);
    const cancelledInstance = {
      iCalUID: planningUid,
      originalStartTime: { dateTime: '2026-12-03T09:00:00Z' },
      status: 'cancelled',
    };
    expect((await importWithoutProblems(cancelledInstance)).status).toBe('cancelled');
    const instanceOffSchedule = { ...instance, originalStartTime: { dateTime: '2026-12-02T10:00:00Z' } };
    await expectRefused(instanceOffSchedule, [problemAt('originalStartTime', 'invalid')]);
    expect((await importWithoutProblems({ ...instance, summary: 'Moved again' })).id).toBe(
      changedInstance.id,
    );
    expect((await gateway.readOn(alice, instanceIdOn(series.id, 1))).summary).toBe('Daily');
  });

  test('a repeated import of a series changes nothing; the first one of an instance takes its own fields', async () => {
    const extendedProperties = { private: { seat: '3' }, shared: { room: '1' } };
    const body = {
      ...dailySeries,
      iCalUID: planningUid,
      organizer,
      extendedProperties,
      ...withGuests(alice),
    };
    const series = await importWithoutProblems(body);
    expect(await importWithoutProblems(body)).toEqual(series);
    expect(await importWithoutProblems({ ...body, ...removeOffsets(body) })).toEqual(series);
    const instance = {
      ...hourAt('2026-12-02', 15),
      iCalUID: planningUid,
      originalStartTime: { dateTime: '2026-12-02T10:00:00', timeZone: 'Europe/Berlin' },
      colorId: '3',
      attendees: [{ email: alice, responseStatus: 'declined' }],
    };
    const importedInstance = await importWithoutProblems(instance);
    expect(importedInstance).toMatchObject({
      colorId: '3',
      attendees: [{ responseStatus: 'declined' }],
      // Absent shared fields are cleared; those of the calendar stay as in the series.
      extendedProperties: { private: { seat: '3' }, shared: null },
    });
    expect((await importBody({ ...instance, ...alicesResponse('accepted') })).warningTexts).toEqual([
      'event.attendees.0.responseStatus ignored',
    ]);
    expect((await importBody({ ...instance, colorId: '4' })).warningTexts).toEqual(['event.colorId ignored']);
  });

  test('instances that were imported first join their series', async () => {
    const instanceOn = (day: number, body: object) => ({
      iCalUID: planningUid,
      organizer,
      originalStartTime: { dateTime: `2026-12-0${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      ...body,
    });
    const firstInstance = await importWithoutProblems(
      instanceOn(2, { ...hourAt('2026-12-02', 15), summary: 'Moved' }),
    );
    expect(firstInstance.originalStartTime.dateTime).toBe('2026-12-02T10:00:00+01:00');
    const secondInstance = await importWithoutProblems(instanceOn(3, { status: 'cancelled' }));
    expect(secondInstance.recurringEventId).toBe(firstInstance.recurringEventId);
    await gateway.changeEvent(firstInstance.id, { colorId: '3' });
    const series = await importWithoutProblems({
      ...dailySeries,
      iCalUID: planningUid,
      organizer,
      summary: 'Daily',
    });
    expect(await gateway.readOn(alice, instanceIdOn(series.id, 2))).toMatchObject({
      summary: 'Moved',
      colorId: '3',
    });
    expect((await gateway.readOn(alice, instanceIdOn(series.id, 3))).status).toBe('cancelled');
    expect((await listAllEvents(gateway, alice, 'singleEvents: true')).ids.toSorted()).toEqual(
      [1, 2, 4].map((day) => instanceIdOn(series.id, day)).toSorted(),
    );
  });

  test('own instances that were imported first bring their guests to the series, as those imported after it do', async () => {
    const seriesBody = { ...dailySeries, summary: 'Daily', ...withGuests(bob) };
    const instances = [
      [2, withGuests(bob, carol, eve)],
      [3, withGuests(eve)],
      [4, {}],
    ] as const;
    const instanceOn = ([day, list]: (typeof instances)[number], iCalUID: string) => ({
      ...hourAt(`2026-12-0${day}`, 15),
      iCalUID,
      originalStartTime: { dateTime: `2026-12-0${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      summary: `Moved ${day}`,
      ...list,
    });
    const importAll = async (bodies: readonly object[]): Promise<EventJson[]> => {
      const events: EventJson[] = [];
      for (const body of bodies) events.push(await importWithoutProblems(body));
      return events;
    };
    const [seriesImportedFirst] = await importAll([
      { ...seriesBody, iCalUID: planningUid },
      ...instances.map((instance) => instanceOn(instance, planningUid)),
    ]);
    const instancesFirstUid = 'first@elsewhere.example';
    const instanceWithBob = await importWithoutProblems({
      ...instanceOn(instances[2], instancesFirstUid),
      ...withGuests(bob),
    });
    const standaloneInstances = await importAll(
      instances.map((instance) => instanceOn(instance, instancesFirstUid)),
    );
    expect(standaloneInstances[2]?.id).toBe(instanceWithBob.id);
    expect((await importWithoutProblems(instanceOn(instances[2], instancesFirstUid))).id).toBe(
      instanceWithBob.id,
    );
    const standaloneId = standaloneInstances[0].id as string;
    await gateway.changeEvent(standaloneId, { ...responseOf(bob, 'accepted'), colorId: '3' }, { as: bob });
    await gateway.run(deleteDocument, { calendarId: carol, eventId: standaloneId }, carol);
    const tokens = new Map<string, string>();
    for (const person of [bob, carol]) tokens.set(person, (await listAllEvents(gateway, person)).syncToken);
    const series = await importWithoutProblems({ ...seriesBody, iCalUID: instancesFirstUid });
    const readInstanceStates = async (person: string, id: string): Promise<string[]> => {
      const instanceStates: string[] = [];
      for (const day of [1, 2, 3, 4]) {
        const { event, problems } = await gateway.read(instanceIdOn(id, day), { as: person });
        instanceStates.push(event ? `${event.status} ${event.summary}` : problems.join());
      }
      return instanceStates;
    };
    for (const person of [alice, bob])
      expect(await readInstanceStates(person, series.id)).toEqual(
        await readInstanceStates(person, seriesImportedFirst.id),
      );
    const instanceId = instanceIdOn(series.id, 2);
    const bobsInstance = await gateway.readOn(bob, instanceId);
    expect([bobsInstance.colorId, guestEntryOf(bobsInstance, bob).responseStatus]).toEqual(['3', 'accepted']);
    expect((await gateway.readOn(carol, instanceId)).status).toBe('cancelled');
    expect(guestEntryOf(bobsInstance, carol).responseStatus).toBe('declined');
    for (const { id } of standaloneInstances)
      expect((await gateway.readOn(alice, id)).status).toBe('cancelled');
    for (const [person, token] of tokens)
      expect((await listAllEvents(gateway, person, token)).statusTexts).toContain(
        `${standaloneId} cancelled`,
      );
    await gateway.expectPatchRefused(
      standaloneId,
      { status: 'confirmed' },
      ['FORBIDDEN event.status forbidden'],
      {
        as: carol,
      },
    );
    await gateway.changeEvent(instanceId, { status: 'confirmed' }, { as: carol });
    await gateway.changeEvent(instanceId, { summary: 'Changed' });
    for (const person of [bob, carol])
      expect((await gateway.readOn(person, instanceId)).summary).toBe('Changed');
  });

  test('an instance beside an imported single event is stored alone', async () => {
    await importWithoutProblems({ ...ownEvent, organizer });
    const instance = { ...ownEvent, organizer, originalStartTime: { dateTime: '2026-12-01T09:00:00Z' } };
    expect((await importWithoutProblems(instance)).recurringEventId).toEqual(expect.any(String));
  });

  test('an event that the owner removed stays removed, with a warning, until a higher sequence', async () => {
    const event = await importWithoutProblems({ ...ownEvent, organizer, sequence: 1 });
    await gateway.run(deleteDocument, { calendarId: alice, eventId: event.id });
    const repeatedOutcome = await importBody({ ...ownEvent, organizer, sequence: 1 });
    expect([repeatedOutcome.event.status, repeatedOutcome.warningTexts]).toEqual([
      'cancelled',
      ['event.status ignored'],
    ]);
    const bodyWithGuest = { ...ownEvent, organizer, sequence: 2, ...alicesResponse('needsAction') };
    expect((await importBody(bodyWithGuest)).event.status).toBe('cancelled');
    expect((await importWithoutProblems({ ...ownEvent, organizer, sequence: 3 })).status).toBe('confirmed');
    const acceptedBody = { ...ownEvent, organizer, sequence: 3, ...alicesResponse('accepted') };
    expect((await importWithoutProblems(acceptedBody)).attendees).toMatchObject([
      { responseStatus: 'accepted' },
    ]);
    expect((await importWithoutProblems(acceptedBody)).attendees).toMatchObject([
      { responseStatus: 'accepted' },
    ]);
    expect((await importWithoutProblems({ ...ownEvent, organizer, sequence: 3 })).attendees).toMatchObject([
      { email: alice },
    ]);
  });

  test('stores an instance alone if its series is not on the calendar', async () => {
    const instance = {
      ...oneHour,
      iCalUID: planningUid,
      organizer,
      originalStartTime: { dateTime: '2026-12-01T09:00:00Z' },
      ...withGuests(alice),
    };
    const event = await importWithoutProblems(instance);
    expect(event.id).toBe(`${event.recurringEventId}_20261201T090000Z`);
    expect(await importWithoutProblems(instance)).toEqual(event);
    const otherDay = { ...instance, originalStartTime: { dateTime: '2026-12-08T09:00:00Z' } };
    expect((await importWithoutProblems(otherDay)).id).not.toBe(event.id);
    await gateway.changeEvent(event.id, responseOf(alice, 'accepted'));
    await expectRefused({ ...otherDay, recurrence: dailySeries.recurrence }, [
      problemAt('recurrence', 'invalid'),
    ]);
    const thirdDay = { ...instance, originalStartTime: { dateTime: '2026-12-15T09:00:00Z' } };
    expect((await importWithoutProblems({ ...thirdDay, recurrence: [] })).recurringEventId).toBe(
      event.recurringEventId,
    );
  });

  test('sends no mail in the name of another organizer; a response goes to the organizer', async () => {
    const event = await importWithoutProblems({ ...foreignEvent, guestsCanModify: true });
    const notifyAll = { sendUpdates: 'all' };
    const changes = [
      { summary: 'Changed' },
      { attendees: [{ email: alice }, { email: 'new@elsewhere.example' }] },
    ];
    for (const change of changes) {
      const { notifiedCount, warningTexts } = await gateway.patch(event.id, change, notifyAll);
      expect({ notifiedCount, warningTexts }).toEqual({
        notifiedCount: 0,
        warningTexts: ['sendUpdates incomplete'],
      });
    }
    expect(notices).toEqual([]);
    const { notifiedCount, warningTexts } = await gateway.patch(
      event.id,
      responseOf(alice, 'accepted'),
      notifyAll,
    );
    expect({ notifiedCount, warningTexts }).toEqual({ notifiedCount: 1, warningTexts: [] });
    expect(notices).toMatchObject([{ method: 'REPLY', guests: [eve] }]);
  });

  test('does not move, divide or hand over an event of somebody else', async () => {
    const series = await importWithoutProblems({ ...dailySeries, iCalUID: planningUid, organizer });
    const moveDocument = `mutation { result: moveEvent(calendarId: "${alice}", eventId: "${series.id}", destination: "${bob}") { id } }`;
    expect((await gateway.run(moveDocument, {}, wanda)).problems).toEqual([
      'FORBIDDEN calendarId forbidden',
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    const splitDocument = `mutation { result: deleteFollowingEvents(calendarId: "${alice}", eventId: "${instanceIdOn(series.id, 2)}") { id } }`;
    expect((await gateway.run(splitDocument, {})).problems).toEqual([
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    const { id } = await importWithoutProblems({
      ...ownEvent,
      iCalUID: 'alone@elsewhere.example',
      organizer,
      originalStartTime: oneHour.start,
    });
    const followingOperations = [
      `deleteFollowingEvents(calendarId: "${alice}", eventId: "${id}") { id }`,
      `patchFollowingEvents(calendarId: "${alice}", eventId: "${id}", event: { summary: "Mine" }) { following { id } }`,
    ];
    for (const followingOperation of followingOperations)
      expect((await gateway.run(`mutation { result: ${followingOperation} }`, {})).problems).toEqual([
        'FORBIDDEN eventId forbiddenForNonOrganizer',
      ]);
  });

  test('an invitation by the organizer replaces the imported copy, and keeps own fields and the response', async () => {
    const series = { ...dailySeries, iCalUID: planningUid, summary: 'Daily' };
    const original = await gateway.makeEvent(series, { as: bob, calendarId: bob });
    const copy = await importWithoutProblems({ ...series, organizer: { email: bob }, ...withGuests(alice) });
    await gateway.changeEvent(copy.id, { colorId: '3', reminders: popupReminder(5) });
    await gateway.changeEvent(copy.id, responseOf(alice, 'tentative', 'Perhaps'));
    await gateway.changeEvent(instanceIdOn(copy.id, 2), { colorId: '4' });
    const { syncToken } = await listAllEvents(gateway, alice);
    const invitedSeries = await gateway.changeEvent(original.id, withGuests(alice, carol), {
      as: bob,
      calendarId: bob,
    });
    expect(guestEntryOf(invitedSeries, alice)).toMatchObject({
      responseStatus: 'tentative',
      comment: 'Perhaps',
    });
    expect((await listAllEvents(gateway, alice)).statusTexts).toEqual([
      `${original.id} confirmed`,
      `${instanceIdOn(original.id, 2)} confirmed`,
    ]);
    const changesSince = await listAllEvents(gateway, alice, syncToken);
    expect(changesSince.statusTexts).toEqual(
      expect.arrayContaining([
        `${copy.id} cancelled`,
        `${instanceIdOn(copy.id, 2)} cancelled`,
        `${original.id} confirmed`,
      ]),
    );
    expect(await gateway.readOn(alice, original.id)).toMatchObject({
      colorId: '3',
      reminders: popupReminder(5),
      organizer: { email: bob, self: false },
    });
    await gateway.expectPatchRefused(copy.id, { status: 'confirmed' }, ['FORBIDDEN event.status forbidden']);
    await expectRefused({ ...series, organizer: { email: bob } }, ['CONFLICT event.iCalUID duplicate']);
    await gateway.changeEvent(original.id, { summary: 'Changed' }, { as: bob, calendarId: bob });
    expect((await gateway.readOn(alice, original.id)).summary).toBe('Changed');
  });

  test('an invitation keeps what the owner did to single instances, and replaces instances imported alone', async () => {
    const series = { ...dailySeries, iCalUID: planningUid, summary: 'Daily' };
    const original = await gateway.makeEvent(series, { as: bob, calendarId: bob });
    const copy = await importWithoutProblems({ ...series, organizer: { email: bob }, ...withGuests(alice) });
    await gateway.changeEvent(instanceIdOn(copy.id, 2), { colorId: '4' });
    await gateway.changeEvent(instanceIdOn(copy.id, 3), responseOf(alice, 'declined', 'Away'));
    await gateway.run(deleteDocument, { calendarId: alice, eventId: instanceIdOn(copy.id, 4) });
    await gateway.changeEvent(
      instanceIdOn(original.id, 2),
      { summary: 'Second' },
      { as: bob, calendarId: bob },
    );
    await gateway.changeEvent(original.id, withGuests(alice), { as: bob, calendarId: bob });
    const secondForAlice = await gateway.readOn(alice, instanceIdOn(original.id, 2));
    expect([secondForAlice.colorId, secondForAlice.summary]).toEqual(['4', 'Second']);
    const thirdForAlice = await gateway.readOn(alice, instanceIdOn(original.id, 3));
    expect(guestEntryOf(thirdForAlice, alice)).toMatchObject({ responseStatus: 'declined', comment: 'Away' });
    expect((await gateway.readOn(alice, instanceIdOn(original.id, 4))).status).toBe('cancelled');
    expect((await gateway.readOn(bob, instanceIdOn(original.id, 2))).colorId).toBeNull();

    const otherSeries = { ...series, iCalUID: 'alone@elsewhere.example' };
    const invitation = await gateway.makeEvent(otherSeries, { as: bob, calendarId: bob });
    const { start, end } = await gateway.readOn(bob, instanceIdOn(invitation.id, 2));
    const instance = { iCalUID: otherSeries.iCalUID, originalStartTime: start, start, end, summary: 'Alone' };
    const standaloneInstance = await importWithoutProblems({
      ...instance,
      organizer: { email: bob },
      ...withGuests(alice),
    });
    await gateway.changeEvent(standaloneInstance.id, { colorId: '7' });
    await gateway.changeEvent(invitation.id, withGuests(alice), { as: bob, calendarId: bob });
    expect((await gateway.readOn(alice, instanceIdOn(invitation.id, 2))).colorId).toBe('7');
    expect((await gateway.readOn(alice, standaloneInstance.id)).status).toBe('cancelled');
  });

  test('an invitation by anybody but its organizer leaves an imported event as it is, and reveals nothing of it', async () => {
    const copy = await importWithoutProblems(foreignEvent);
    await gateway.changeEvent(copy.id, { ...responseOf(alice, 'declined', 'Secret'), colorId: '3' });
    const before = await gateway.readOn(alice, copy.id);
    const asCarol = { as: carol, calendarId: carol };
    const expectNoResponse = (event: EventJson): void =>
      expect(guestEntryOf(event, alice)).toMatchObject({ responseStatus: 'needsAction', comment: null });
    const body = { ...ownEvent, ...withGuests(alice) };
    expectNoResponse((await gateway.insert(body, { ...asCarol, validateOnly: true })).event);
    const event = await gateway.makeEvent(body, asCarol);
    expectNoResponse(event);
    const bobsEvent = await gateway.makeEvent(ownEvent, { as: bob, calendarId: bob });
    expectNoResponse(
      await gateway.changeEvent(bobsEvent.id, withGuests(alice, eve), { as: bob, calendarId: bob }),
    );
    expect(await gateway.readOn(alice, copy.id)).toEqual(before);
    expect((await gateway.readOn(alice, event.id)).colorId).toBeNull();
    expect((await listAllEvents(gateway, alice)).ids.toSorted()).toEqual(
      [copy.id, event.id, bobsEvent.id].toSorted(),
    );
    expect(await importWithoutProblems(foreignEvent)).toEqual(before);
  });

  test('ignores fields that an event of somebody else cannot have, and a partial guest list', async () => {
    const { event, warningTexts } = await importBody({ ...foreignEvent, privateCopy: true });
    expect([event.privateCopy, warningTexts]).toEqual([false, ['event.privateCopy ignored']]);
    const bodyWithPartialList = { ...foreignEvent, ...withGuests(alice), attendeesOmitted: true };
    expect((await importBody(bodyWithPartialList)).warningTexts).toEqual(['event.attendeesOmitted ignored']);
    expect((await gateway.readOn(alice, event.id)).attendees).toHaveLength(3);
    const organizerWithoutEmail = {
      ...ownEvent,
      iCalUID: 'other@elsewhere.example',
      organizer: { displayName: 'Eve' },
    };
    expect((await importWithoutProblems(organizerWithoutEmail)).organizer).toMatchObject({
      email: alice,
      self: true,
    });
    await expectRefused({ ...ownEvent, organizer, originalStartTime: { dateTime: '2026-12-01T10:00:00' } }, [
      problemAt('originalStartTime', 'invalid'),
    ]);
  });

  test('a repeated import updates names, creation times and cancellations, and attachments with supportsAttachments', async () => {
    const attachments = [{ fileUrl: 'https://files.example/a' }];
    const attachmentSupport = { supportsAttachments: true };
    await importWithoutProblems({ ...ownEvent, organizer: { email: eve }, attachments }, attachmentSupport);
    const repeatedBody = { ...ownEvent, organizer, created: '2020-01-01T09:00:00Z' };
    const expectedFields = {
      organizer: { displayName: 'Eve' },
      attachments,
      created: '2020-01-01T09:00:00.000Z',
    };
    expect(await importWithoutProblems(repeatedBody)).toMatchObject(expectedFields);
    expect(await importWithoutProblems(repeatedBody)).toMatchObject(expectedFields);
    expect((await importWithoutProblems(repeatedBody, attachmentSupport)).attachments).toBeNull();
    const cancelledEvent = await importWithoutProblems({ iCalUID: planningUid, status: 'cancelled' });
    expect(cancelledEvent.status).toBe('cancelled');
    expect((await importWithoutProblems(repeatedBody)).status).toBe('confirmed');
  });

  test('a cancelled instance without its all-day series needs no times', async () => {
    const cancelledDay = {
      iCalUID: planningUid,
      organizer,
      originalStartTime: { date: '2026-12-03' },
      status: 'cancelled',
    };
    const event = await importWithoutProblems(cancelledDay);
    expect(event.id).toBe(`${event.recurringEventId}_20261203`);
    expect(event.status).toBe('cancelled');
  });

  test('an event that was moved away cannot be imported; an invitation takes the response of a removed copy', async () => {
    const event = await importWithoutProblems(ownEvent, { as: wanda });
    const moveToBobDocument = `mutation { result: moveEvent(calendarId: "${alice}", eventId: "${event.id}", destination: "${bob}") { id } }`;
    await gateway.run(moveToBobDocument, {}, wanda);
    const { problems, errors } = await importBody(ownEvent);
    expect(problems).toEqual(['CONFLICT event.iCalUID duplicate']);
    expect(errors?.[0]?.message).toContain('moved');
    const otherEvent = { ...ownEvent, iCalUID: 'second@elsewhere.example' };
    const original = await gateway.makeEvent(otherEvent, { as: bob, calendarId: bob });
    const copy = await importWithoutProblems({ ...otherEvent, organizer: { email: bob } });
    await gateway.run(deleteDocument, { calendarId: alice, eventId: copy.id });
    await gateway.changeEvent(original.id, withGuests(alice, carol), { as: bob, calendarId: bob });
    expect(guestEntryOf(await gateway.readOn(alice, original.id), alice).responseStatus).toBe('declined');
  });

  test('validates without storing, and returns the first result for a repeated request', async () => {
    expect(await importWithoutProblems(ownEvent, { validateOnly: true })).toMatchObject({
      summary: 'Planning',
    });
    expect((await listAllEvents(gateway, alice)).ids).toEqual([]);
    const event = await importWithoutProblems(ownEvent, { requestId: 'first' });
    expect(await importWithoutProblems(ownEvent, { requestId: 'first' })).toEqual(event);
    await expectRefused({ ...ownEvent, summary: 'Other' }, ['CONFLICT requestId requestIdReused'], {
      requestId: 'first',
    });
  });
});
