import {
  alice,
  bob,
  carol,
  guestEntryOf,
  eve,
  type EventJson,
  useEventGateway,
  rita,
  wanda,
} from './event.harness.ts';
import { inBerlin } from './following.harness.ts';
import { anyListDocument, responseOf, deleteDocument } from './list.harness.ts';

/** Times between two hours of a day, by default in summer time. */
const timesBetween = (day: string, from: string, to: string, offset = '+02:00') => ({
  start: inBerlin(`${day}T${from}:00${offset}`),
  end: inBerlin(`${day}T${to}:00${offset}`),
});
/** Ids of the first instances of the weekly series; their original starts are in UTC. */
const firstId = (id: string): string => `${id}_20261012T070000Z`;
const secondId = (id: string): string => `${id}_20261019T070000Z`;
const thirdId = (id: string): string => `${id}_20261026T080000Z`;
const fourthId = (id: string): string => `${id}_20261102T080000Z`;
const idsOf = (nodes: EventJson[]): string[] => nodes.map(({ id }: EventJson) => id);
/** Mondays at nine in Berlin, across the end of summer time on 25 October 2026. */
const weeklySeries = {
  summary: 'Planning',
  location: 'Room 3',
  ...timesBetween('2026-10-12', '09:00', '10:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
  attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }, { email: eve }],
};
const instancesDocument = `query ($calendarId: String!, $eventId: String!, $timeMin: DateTime, $timeMax: DateTime, $showDeleted: Boolean, $first: Int, $after: String) {
  result: instances(calendarId: $calendarId, eventId: $eventId, timeMin: $timeMin, timeMax: $timeMax, showDeleted: $showDeleted, first: $first, after: $after) {
    nodes { id status start { dateTime date } } pageInfo { hasNextPage endCursor } } }`;

describe('an instance of a series', () => {
  const gateway = useEventGateway();

  const makeSeries = (body: object = {}): Promise<EventJson> =>
    gateway.makeEvent({ ...weeklySeries, ...body });
  const listNodes = async (variables: object, as = alice): Promise<EventJson[]> => {
    const variablesByStart = { calendarId: as, singleEvents: true, orderBy: 'startTime', ...variables };
    return (await gateway.run(anyListDocument, variablesByStart, as)).event.nodes;
  };
  const listStarts = async (variables: object, as = alice): Promise<string[]> =>
    (await listNodes(variables, as)).map(({ start }: EventJson) => start.dateTime ?? start.date);
  /** Lists the ids of Alice's events on all pages. */
  async function listAllIds(variables: object): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | undefined, hasMore = true; hasMore;) {
      const { nodes: page, pageInfo } = (await gateway.run(anyListDocument, { ...variables, after })).event;
      ids.push(...idsOf(page));
      [after, hasMore] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    return ids;
  }
  /** Reads Bob's response to an event, as others see it. */
  const readBobsResponse = async (eventId: string, as = alice): Promise<string> =>
    guestEntryOf(await gateway.readOn(as, eventId), bob).responseStatus;
  const deleteEvent = (eventId: string, as = alice, moreVariables: object = {}) =>
    gateway.run(deleteDocument, { calendarId: as, eventId, ...moreVariables }, as);

  test('keeps its local time across a clock change on every calendar', async () => {
    const { id, iCalUID } = await makeSeries();
    const range = { iCalUID, timeMin: '2026-10-12T00:00:00-04:00', timeMax: '2026-11-03T00:00:00-05:00' };
    for (const as of [alice, bob]) {
      expect(await listStarts(range, as)).toEqual([
        '2026-10-12T09:00:00+02:00',
        '2026-10-19T09:00:00+02:00',
        '2026-10-26T09:00:00+01:00',
        '2026-11-02T09:00:00+01:00',
      ]);
      const listedInstances = await listNodes(range, as);
      expect(idsOf(listedInstances)).toEqual([firstId(id), secondId(id), thirdId(id), fourthId(id)]);
      for (const { recurringEventId } of listedInstances) expect(recurringEventId).toBe(id);
    }
    const { start: originalStartTime, end } = timesBetween('2026-10-26', '09:00', '10:00', '+01:00');
    const instance = { summary: 'Planning', recurringEventId: id, iCalUID, recurrence: null, end };
    expect(await gateway.readOn(bob, thirdId(id))).toMatchObject({ ...instance, originalStartTime });
    for (const original of ['20261026T070000Z', '20261026', '20261027T080000Z'])
      await gateway.expectNotFound(alice, `${id}_${original}`);
  });

  test('is changed by its id, also concurrently, and follows its series in other fields', async () => {
    const { id } = await makeSeries();
    const [location, end] = ['Room 9', inBerlin('2026-10-19T11:00:00+02:00')];
    const changes = [{ location }, { summary: 'Planning, long' }, { end }];
    await Promise.all(changes.map((body) => gateway.changeEvent(secondId(id), body)));
    await gateway.changeEvent(id, { description: 'Bring figures', location: 'Room 4' });
    for (const as of [alice, bob]) {
      const seriesFields = {
        description: 'Bring figures',
        recurringEventId: id,
        organizer: { email: alice },
      };
      const ownFields = { id: secondId(id), location, summary: 'Planning, long', end };
      expect(await gateway.readOn(as, secondId(id))).toMatchObject({ ...ownFields, ...seriesFields });
      expect(await gateway.readOn(as, thirdId(id))).toMatchObject({ ...seriesFields, location: 'Room 4' });
    }
    const variables = { calendarId: alice, eventId: id, timeMax: '2026-10-27T00:00:00Z' };
    const { event } = await gateway.run(instancesDocument, variables);
    expect(idsOf(event.nodes)).toEqual([firstId(id), secondId(id), thirdId(id)]);
    const refusals = ['FORBIDDEN event.summary forbiddenForNonOrganizer'];
    await gateway.expectPatchRefused(secondId(id), { summary: 'x' }, refusals, { as: bob });
  });

  test('gets responses, and is deleted and restored by a guest like a single event', async () => {
    const { id } = await makeSeries();
    await gateway.changeEvent(secondId(id), responseOf(bob, 'accepted', 'Late'), { as: bob });
    const { comment } = guestEntryOf(await gateway.readOn(alice, secondId(id)), bob);
    expect([await readBobsResponse(secondId(id)), comment]).toEqual(['accepted', 'Late']);
    expect(await readBobsResponse(thirdId(id))).toBe('needsAction');
    // The instance has no own guest list, so it gets later guests of the series.
    const { attendees } = await gateway.readOn(alice, id);
    await gateway.changeEvent(id, { attendees: [...attendees, { email: carol }] });
    expect(await readBobsResponse(secondId(id), carol)).toBe('accepted');
    expect((await deleteEvent(secondId(id), bob)).event).toBe(true);
    expect((await gateway.readOn(bob, secondId(id))).status).toBe('cancelled');
    expect(await readBobsResponse(secondId(id))).toBe('declined');
    expect((await gateway.readOn(bob, thirdId(id))).status).toBe('confirmed');
    await gateway.changeEvent(secondId(id), { status: 'confirmed' }, { as: bob });
    expect(await readBobsResponse(secondId(id))).toBe('accepted');
  });

  test('stays cancelled when its series is cancelled and restored', async () => {
    const { id, iCalUID } = await makeSeries();
    const range = { iCalUID, timeMin: '2026-10-12T00:00:00Z', timeMax: '2026-10-27T00:00:00Z' };
    for (const _again of [1, 2]) expect((await deleteEvent(secondId(id))).event).toBe(true);
    expect(await listStarts(range)).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
    const statuses = (await listNodes({ ...range, showDeleted: true })).map(({ status }) => status);
    expect(statuses).toEqual(['confirmed', 'cancelled', 'confirmed']);
    const cancelledFields = { status: 'cancelled', recurringEventId: id, summary: null };
    expect(await gateway.readOn(bob, secondId(id))).toMatchObject(cancelledFields);
    await deleteEvent(id);
    expect((await gateway.readOn(alice, thirdId(id))).status).toBe('cancelled');
    expect(await listStarts(range)).toEqual([]);
    await gateway.changeEvent(id, { status: 'confirmed' });
    expect(await listStarts(range)).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
  });

  test('is cancelled in syncs when the rules exclude it', async () => {
    const { id, iCalUID, recurrence } = await makeSeries();
    const nextDay = timesBetween('2026-10-20', '09:00', '10:00');
    await gateway.changeEvent(secondId(id), { summary: 'Moved', ...nextDay });
    const range = { iCalUID, timeMin: '2026-10-19T00:00:00Z', timeMax: '2026-10-27T00:00:00Z' };
    expect(await listStarts(range)).toEqual(['2026-10-20T09:00:00+02:00', '2026-10-26T09:00:00+01:00']);
    const { nextSyncToken } = (await gateway.run(anyListDocument, { calendarId: alice })).event;
    await gateway.patch(id, { recurrence: [...recurrence, 'EXDATE:20261019T070000Z'] });
    expect((await gateway.readOn(alice, secondId(id))).status).toBe('cancelled');
    expect(await listStarts(range)).toEqual(['2026-10-26T09:00:00+01:00']);
    const syncedNodes = (await gateway.run(anyListDocument, { calendarId: alice, syncToken: nextSyncToken }))
      .event.nodes;
    const statuses = syncedNodes.map((node: EventJson) => [node.id, node.status].join(' '));
    expect(statuses).toEqual([`${id} confirmed`, `${secondId(id)} cancelled`]);
    await gateway.changeEvent(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20261020T000000Z'] });
    expect(await listStarts({ iCalUID })).toEqual(['2026-10-12T09:00:00+02:00', '2026-10-19T09:00:00+02:00']);
  });

  test('is reset, with its guests, when the rules exclude it and include it again', async () => {
    const { id, recurrence } = await makeSeries();
    const { attendees } = await gateway.readOn(alice, secondId(id));
    const extendedList = [...attendees, { email: carol }];
    await gateway.changeEvent(secondId(id), { summary: 'Moved', attendees: extendedList });
    await deleteEvent(thirdId(id));
    const exdateLine = 'EXDATE:20261019T070000Z,20261026T080000Z';
    await gateway.patch(id, { recurrence: [...recurrence, exdateLine] });
    expect((await gateway.readOn(carol, secondId(id))).status).toBe('cancelled');
    await gateway.changeEvent(id, { recurrence });
    const resetFields = { status: 'confirmed', summary: 'Planning' };
    for (const as of [alice, bob]) expect(await gateway.readOn(as, secondId(id))).toMatchObject(resetFields);
    expect(await gateway.readOn(alice, thirdId(id))).toMatchObject({ status: 'confirmed' });
    expect(await gateway.readOn(carol, secondId(id))).toMatchObject({ status: 'cancelled' });
    // The instance can be changed or inserted again.
    const changedInstance = await gateway.changeEvent(secondId(id), { location: 'Room 5' });
    expect(changedInstance).toMatchObject({ summary: 'Planning', location: 'Room 5' });
    const insertedInstance = {
      ...timesBetween('2026-10-26', '12:00', '13:00', '+01:00'),
      recurringEventId: id,
      originalStartTime: inBerlin('2026-10-26T09:00:00+01:00'),
      summary: 'Later',
    };
    expect((await gateway.insert(insertedInstance)).event).toMatchObject({
      id: thirdId(id),
      summary: 'Later',
    });
    await gateway.expectInsertRefused(insertedInstance, ['CONFLICT event.originalStartTime duplicate']);
  });

  test('is sorted by its own last change if a list is in the order of updated', async () => {
    const { id, iCalUID } = await makeSeries();
    const otherEvent = await gateway.makeEvent(timesBetween('2026-10-12', '12:00', '13:00'));
    await gateway.changeEvent(secondId(id), { summary: 'Changed last' });
    const document = anyListDocument.replace('status summary', 'status summary updated');
    const range = { timeMin: '2026-10-12T00:00:00Z', timeMax: '2026-11-03T00:00:00Z' };
    const variables = { calendarId: alice, singleEvents: true, orderBy: 'updated', ...range };
    const { event } = await gateway.run(document, variables);
    const times = event.nodes.map(({ updated }: EventJson) => Date.parse(updated));
    expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
    expect(idsOf(event.nodes.slice(-2))).toEqual([otherEvent.id, secondId(id)]);
    expect(await listAllIds({ ...variables, iCalUID, first: 1 })).toEqual([
      firstId(id),
      thirdId(id),
      fourthId(id),
      secondId(id),
    ]);
  });

  test("gets another id on a guest's calendar that has an instance with the same id", async () => {
    const times = timesBetween('2027-01-04', '09:00', '10:00', '+01:00');
    const sharedSeriesId = `serie${Math.floor(Math.random() * 1e9).toString(32)}`;
    const dailySeries = { id: sharedSeriesId, ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
    await gateway.makeEvent({ ...dailySeries, summary: "Carol's" }, { as: carol, calendarId: carol });
    const { id } = await gateway.makeEvent({ ...dailySeries, attendees: [{ email: bob }] });
    const attendees = [{ email: bob }, { email: carol }];
    await gateway.changeEvent(`${id}_20270106T080000Z`, { summary: 'Invited', attendees });
    const carolsEvent = { summary: "Carol's", organizer: { email: carol } };
    expect(await gateway.readOn(carol, `${id}_20270106T080000Z`)).toMatchObject(carolsEvent);
    const range = { timeMin: '2027-01-06T00:00:00Z', timeMax: '2027-01-07T00:00:00Z' };
    const nodes = await listNodes(range, carol);
    expect(nodes.map(({ summary }) => summary).toSorted()).toEqual(["Carol's", 'Invited']);
    expect(new Set(idsOf(nodes)).size).toBe(2);
    const invitedInstance = nodes.find(({ summary }) => summary === 'Invited');
    expect(invitedInstance?.id).toBe(`${invitedInstance?.recurringEventId}_20270106T080000Z`);
    const alicesFields = { summary: 'Invited', organizer: { email: alice } };
    expect(await gateway.readOn(carol, invitedInstance?.id)).toMatchObject(alicesFields);
  });

  test('ignores the length of a PERIOD with a warning', async () => {
    const periodLine = 'RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20261014T090000/PT5H';
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=2', periodLine];
    const { event, warningTexts } = await gateway.insert({ ...weeklySeries, recurrence });
    expect(warningTexts).toEqual(['event.recurrence.1 ignored']);
    const { end } = await gateway.readOn(alice, `${event.id}_20261014T070000Z`);
    expect(end).toMatchObject(inBerlin('2026-10-14T10:00:00+02:00'));
    expect((await gateway.patch(event.id, { recurrence, summary: 'Same rules' })).warningTexts).toEqual([]);
  });

  test('loses the response of a guest who was removed from the series', async () => {
    const { id, attendees } = await makeSeries();
    await gateway.changeEvent(secondId(id), responseOf(bob, 'declined'), { as: bob });
    await gateway.changeEvent(id, { attendees: attendees.filter(({ email }: EventJson) => email !== bob) });
    await gateway.changeEvent(id, { attendees: [{ email: alice }, { email: bob }, { email: eve }] });
    for (const eventId of [id, secondId(id)]) expect(await readBobsResponse(eventId)).toBe('needsAction');
  });

  test('may have its own guests, who see it without the series', async () => {
    const { id } = await makeSeries();
    const { attendees } = await gateway.readOn(alice, secondId(id));
    const otherGuests = attendees.filter(({ email }: EventJson) => email !== bob);
    await gateway.changeEvent(secondId(id), { attendees: [...otherGuests, { email: carol }] });
    const instance = { id: secondId(id), recurringEventId: id, summary: 'Planning' };
    expect(await gateway.readOn(carol, secondId(id))).toMatchObject(instance);
    await gateway.expectNotFound(carol, id);
    expect((await gateway.readOn(bob, secondId(id))).status).toBe('cancelled');
    expect((await gateway.readOn(bob, thirdId(id))).status).toBe('confirmed');
    await gateway.changeEvent(id, { attendees: [{ email: alice }] });
    expect((await gateway.readOn(bob, thirdId(id))).status).toBe('cancelled');
    expect((await gateway.readOn(carol, secondId(id))).status).toBe('confirmed');
  });

  test('of a private series is private, and belongs to the organizer even if changed by a guest', async () => {
    const { id } = await makeSeries({ visibility: 'private', guestsCanModify: true });
    await gateway.changeEvent(secondId(id), { summary: 'By Bob' }, { as: bob });
    const timeOnlyFields = { summary: null, visibility: 'private' };
    expect(await gateway.readOn(alice, secondId(id), rita)).toMatchObject(timeOnlyFields);
    const fieldsForWriter = { summary: 'By Bob', organizer: { email: alice, self: true } };
    expect(await gateway.readOn(alice, secondId(id), wanda)).toMatchObject(fieldsForWriter);
  });

  test('cannot be restored in a cancelled series, merges maps by key, and needs a valid id', async () => {
    const { id } = await gateway.makeEvent({
      ...weeklySeries,
      extendedProperties: { shared: { a: '1', b: '2' } },
    });
    await gateway.changeEvent(secondId(id), { extendedProperties: { shared: { a: 'x' } } });
    await gateway.changeEvent(id, { extendedProperties: { shared: { b: '3', c: '4' } } });
    const { extendedProperties } = await gateway.readOn(alice, secondId(id));
    expect(extendedProperties.shared).toEqual({ a: 'x', b: '3', c: '4' });
    await gateway.run(deleteDocument, { calendarId: alice, eventId: id });
    await gateway.expectPatchRefused(secondId(id), { status: 'confirmed' }, [
      'FORBIDDEN event.status forbidden',
    ]);
    for (const original of ['20261299T090000Z', '20261299', '99999999'])
      await gateway.expectNotFound(alice, `${id}_${original}`);
  });
});
