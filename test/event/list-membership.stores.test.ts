import {
  alice,
  berlin,
  bob,
  carol,
  type EventGateway,
  makeMany,
  sampleCalendars,
  popupReminder,
  type EventJson,
  rita,
  wanda,
} from './event.harness.ts';
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

describe.each(stores)('lists, over $name', ({ useGateways }) => {
  const startGateway = useGateways();

  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await startGateway();
  });
  const listIds = async (args: string, as = alice): Promise<string[]> =>
    (await listAllEvents(gateway, as, args)).ids;
  const makeSeries = async (...guestEmails: string[]): Promise<string> =>
    (await gateway.makeEvent({ ...dailySeries, ...withGuests(...guestEmails) })).id;

  test.each<[string, object]>([
    ['another colour', { colorId: '5' }],
    ['reminders', { reminders: popupReminder(3) }],
  ])('by updated have each instance once, also one to which a guest gave %s', async (_name, ownFields) => {
    const id = await makeSeries(bob, carol);
    await gateway.changeEvent(instanceIdOn(id, 2), ownFields, { as: bob });
    for (const as of [alice, bob, carol]) {
      const listedIds = await listIds('singleEvents: true, orderBy: updated', as);
      expect(listedIds.sort()).toEqual(instanceIdsOn(id, 1, 2, 3, 4));
    }
  });

  test('omit an instance with its own guest list for later guests of the series', async () => {
    const id = await makeSeries(bob);
    await gateway.changeEvent(instanceIdOn(id, 2), withGuests(bob, wanda));
    await gateway.changeEvent(id, withGuests(bob, carol));
    await gateway.expectNotFound(carol, instanceIdOn(id, 2));
    await gateway.expectPatchRefused(instanceIdOn(id, 2), { colorId: '3' }, ['NOT_FOUND eventId notFound'], {
      as: carol,
    });
    for (const moreArgs of ['', ', orderBy: startTime', ', orderBy: updated', ', showDeleted: true'])
      expect((await listIds(`singleEvents: true${moreArgs}`, carol)).sort()).toEqual(
        instanceIdsOn(id, 1, 3, 4),
      );
  });

  test("keep the order of an instance's guest list, with entries of the series", async () => {
    const id = await makeSeries(bob, carol);
    await gateway.changeEvent(instanceIdOn(id, 2), withGuests(carol, bob, wanda));
    await gateway.changeEvent(id, { attendees: [{ email: bob, displayName: 'Bob' }, { email: carol }] });
    const { attendees } = await gateway.readOn(alice, instanceIdOn(id, 2));
    expect(attendees.map(({ email, displayName }: EventJson) => `${email} ${displayName}`)).toEqual([
      `${carol} null`,
      `${bob} Bob`,
      `${wanda} null`,
    ]);
  });

  test('keep an instance with a response when guests become hidden', async () => {
    const id = await makeSeries(bob, carol);
    await gateway.changeEvent(instanceIdOn(id, 2), responseOf(carol, 'declined'), { as: carol });
    const { ids: idsBefore, syncToken } = await listAllEvents(gateway, bob);
    await gateway.changeEvent(id, withHiddenGuests);
    for (const args of ['', syncToken]) expect(await listIds(args, bob)).toEqual(idsBefore);
    expect(idsBefore).toEqual([id, instanceIdOn(id, 2)]);
  });

  test('keep the removed instance of a guest when the series moves', async () => {
    const id = await makeSeries(carol);
    await gateway.changeEvent(instanceIdOn(id, 2), withGuests(carol, bob));
    await gateway.changeEvent(instanceIdOn(id, 2), withGuests(carol));
    expect(await listIds('showDeleted: true', bob)).toEqual([instanceIdOn(id, 2)]);
    await gateway.changeEvent(id, hourAt('2026-12-11', 10));
    expect(await listIds('showDeleted: true', bob)).toEqual([instanceIdOn(id, 2)]);
    expect(await listIds('', bob)).toEqual([]);
  });

  test('keep a cancelled instance when its series becomes a single event', async () => {
    const id = await makeSeries();
    await gateway.changeEvent(instanceIdOn(id, 2), { status: 'cancelled' });
    await gateway.patch(id, { recurrence: null });
    for (const moreArgs of ['', ', singleEvents: true', ', singleEvents: true, orderBy: startTime'])
      expect(await listIds(`showDeleted: true${moreArgs}`)).toEqual([id, instanceIdOn(id, 2)]);
  });

  test('in the order of start keep an instance at its place when the caller was removed', async () => {
    const id = await makeSeries(bob, carol);
    await gateway.changeEvent(instanceIdOn(id, 3), { ...withGuests(carol), ...hourAt('2026-12-01', 12) });
    const args = 'singleEvents: true, showDeleted: true, orderBy: startTime';
    expect(await listIds(args, bob)).toEqual(instanceIdsOn(id, 1, 2, 3, 4));
    expect(await listIds(args, carol)).toEqual(instanceIdsOn(id, 1, 3, 2, 4));
  });

  test('include an instance of a reader who is its hidden guest', async () => {
    const { id } = await gateway.makeEvent({ ...dailySeries, ...withHiddenGuests, ...withGuests(bob) });
    await gateway.changeEvent(instanceIdOn(id, 3), withGuests(bob, rita));
    const document = `{ result: events(calendarId: "${alice}") { nodes { id attendees { email } } } }`;
    const { nodes } = (await gateway.run(document, {}, rita)).event;
    expect(nodes).toEqual([
      { id, ...withGuests(bob) },
      { id: instanceIdOn(id, 3), ...withGuests(rita) },
    ]);
  });

  test('include imported exceptions that were stored in the same millisecond as their series', async () => {
    const [calendar, ...otherCalendars] = sampleCalendars();
    const importedSeries = makeMany(40, (index) => ({ id: `series${index}`, ...dailySeries }));
    const exceptions = importedSeries.map(({ id }, index) => ({
      id: instanceIdOn(id, 2),
      recurringEventId: id,
      originalStartTime: { dateTime: '2026-12-02T10:00:00+01:00', timeZone: berlin },
      summary: `changed ${index}`,
      ...hourAt('2026-12-02', 15),
    }));
    gateway = await startGateway({
      clock: () => Date.UTC(2026, 10, 1),
      seed: { calendars: [{ ...calendar, events: [...importedSeries, ...exceptions] }, ...otherCalendars] },
    });
    const exceptionIds = exceptions.map(({ id }) => id);
    expect(await listIds('')).toEqual([...importedSeries.map(({ id }) => id), ...exceptionIds]);
    const matchingIds = await listIds('singleEvents: true, orderBy: updated, q: "changed"');
    expect(matchingIds.sort()).toEqual(exceptionIds.sort());
    // The next change has another etag while the clock stands still.
    const eventBefore = await gateway.readOn(alice, 'series0');
    expect((await gateway.changeEvent('series0', { summary: 'New' })).etag).not.toBe(eventBefore.etag);
  });

  test('with singleEvents expire sync tokens when a series becomes a single event', async () => {
    const id = await makeSeries(bob);
    const listsBefore = await Promise.all(
      [alice, bob].map((as) => listAllEvents(gateway, as, 'singleEvents: true')),
    );
    await gateway.changeEvent(id, { recurrence: null });
    await gateway.changeEvent(id, { summary: 'Once' });
    for (const [index, as] of [alice, bob].entries()) {
      const { event, problems, errors } = await gateway.run(
        `{ result: events(calendarId: "primary", singleEvents: true, ${listsBefore[index]?.syncToken}) { nodes { id } } }`,
        {},
        as,
      );
      expect([event, problems]).toEqual([null, ['BAD_USER_INPUT syncToken invalid']]);
      expect(errors?.[0]?.message).toMatch(/expired/);
    }
  });
});
