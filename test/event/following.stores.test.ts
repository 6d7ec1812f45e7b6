import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  type Controls,
  guestEntryOf,
  eve,
  makeMany,
  type Outcome,
  popupReminder,
  type EventJson,
  withoutNulls,
  wanda,
} from './event.harness.ts';
import {
  inBerlin,
  createSeriesSplitter,
  documents,
  originalStarts,
  weeklySeries,
} from './following.harness.ts';
import { responseOf, withGuests, hourAt } from './list.harness.ts';
import { stores } from '../stores.ts';

const notFoundProblems = ['NOT_FOUND eventId notFound'];
const notAllowedProblems = ['FORBIDDEN eventId forbiddenForNonOrganizer'];
const cancelledProblems = ['FORBIDDEN event.status forbidden'];
const conditionProblems = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
const formatInvalidProblems = (...paths: string[]): string[] =>
  paths.map((path) => `BAD_USER_INPUT ${path} invalid`);

describe.each(stores)('patchFollowingEvents and deleteFollowingEvents, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const { run, splitSeries, expectNoProblems, listInstances, listOriginalStarts, makeSeries, nthInstanceId } =
    createSeriesSplitter(gateway);
  const expectRefused = async (outcome: Promise<Outcome>, problems: readonly string[]): Promise<void> =>
    expect((await outcome).problems).toEqual(problems);
  const deleteFollowing = (eventId: string, controls: Controls = {}) =>
    run(documents.delete, { eventId, ...controls });
  const changeAs = (id: string, body: object, as = alice): Promise<EventJson> =>
    gateway.changeEvent(id, body, { as });
  const listSummaries = async (id: string, as = alice): Promise<string[]> =>
    (await listInstances(id, as)).map(({ summary }) => summary);

  test('refuses ids that are no instances, guests, cancelled instances and invalid bodies', async () => {
    const series = await makeSeries({ guestsCanModify: true });
    await expectRefused(splitSeries(series.id), formatInvalidProblems('eventId'));
    for (const id of [`${series.id}_20261013T070000Z`, 'nothing'])
      await expectRefused(splitSeries(id), notFoundProblems);
    await expectRefused(splitSeries(nthInstanceId(series, 2), {}, { as: bob }), notAllowedProblems);
    await expectRefused(
      splitSeries(nthInstanceId(series, 2), {}, { as: wanda, calendarId: bob }),
      notAllowedProblems,
    );
    await expectRefused(deleteFollowing(nthInstanceId(series, 2), { as: bob }), notAllowedProblems);
    const invalidPatch = { status: 'cancelled', colorId: '99', id: 'another0id' };
    const { problems } = await splitSeries(nthInstanceId(series, 2), invalidPatch, {
      maxAttendees: 0,
      requestId: '',
    });
    expect(problems.toSorted()).toEqual([
      ...formatInvalidProblems('event.colorId'),
      'BAD_USER_INPUT event.id immutable',
      ...formatInvalidProblems('event.status', 'maxAttendees', 'requestId'),
    ]);
    await expectRefused(splitSeries(nthInstanceId(series, 2), {}, { ifMatch: '"old"' }), conditionProblems);
    const recurrence = ['RRULE:FREQ=OFTEN'];
    await expectRefused(
      splitSeries(nthInstanceId(series, 2), { recurrence }),
      formatInvalidProblems('event.recurrence.0'),
    );
    await changeAs(nthInstanceId(series, 4), { status: 'cancelled' });
    await expectRefused(splitSeries(nthInstanceId(series, 4)), cancelledProblems);
    expect(await listOriginalStarts(series.id)).toEqual(
      originalStarts.filter((original) => original !== originalStarts[4]),
    );
    await changeAs(series.id, { status: 'cancelled' });
    await expectRefused(splitSeries(nthInstanceId(series, 2), { summary: 'x' }), cancelledProblems);
    await expectRefused(splitSeries(nthInstanceId(series, 0)), cancelledProblems);
  });

  test('creates a series that keeps all unpatched fields', async () => {
    const series = await makeSeries();
    await changeAs(series.id, responseOf(bob, 'tentative', 'Perhaps'), bob);
    const fieldsOfBob = { colorId: '7', reminders: popupReminder(5) };
    await changeAs(series.id, fieldsOfBob, bob);
    const { etag: ifMatch } = await gateway.readOn(alice, nthInstanceId(series, 2));
    const { before, following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), { location: 'Room 9' }, { ifMatch }),
    );
    expect(before).toMatchObject({
      id: series.id,
      iCalUID: series.iCalUID,
      sequence: 4,
      location: 'Room 3',
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
    });
    expect(following).toMatchObject({
      location: 'Room 9',
      summary: 'Planning',
      sequence: 0,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
      ...hourAt('2026-10-26', 9),
      extendedProperties: weeklySeries.extendedProperties,
      organizer: series.organizer,
      creator: series.creator,
      recurringEventId: null,
      originalStartTime: null,
    });
    expect(following.id).not.toBe(series.id);
    expect(following.iCalUID).not.toBe(series.iCalUID);
    expect(Date.parse(following.created)).toBeGreaterThanOrEqual(Date.parse(series.created));
    expect(guestEntryOf(following, bob)).toMatchObject({ responseStatus: 'tentative', comment: 'Perhaps' });
    for (const as of [alice, bob]) {
      expect(await listOriginalStarts(series.id, as)).toEqual(originalStarts.slice(0, 2));
      expect(await listOriginalStarts(following.id, as)).toEqual(originalStarts.slice(2));
      expect(await gateway.readOn(as, following.id)).toMatchObject({ location: 'Room 9' });
    }
    expect(await gateway.readOn(bob, following.id)).toMatchObject(fieldsOfBob);
    expect((await gateway.readOn(alice, following.id)).colorId).toBeNull();
    await expectRefused(gateway.read(nthInstanceId(series, 2)), notFoundProblems);
  });

  test('sets UNTIL in UTC or by day, and divides RDATE and EXDATE', async () => {
    const rdatePrefix = 'RDATE;TZID=America/New_York';
    const timedSeries = await makeSeries({
      recurrence: [
        'RRULE:FREQ=WEEKLY',
        'EXDATE:20261019T070000Z,20261102T080000Z',
        `${rdatePrefix}:20261015T120000,20261105T120000`,
      ],
    });
    const { before, following } = await expectNoProblems(splitSeries(nthInstanceId(timedSeries, 2)));
    expect([before.recurrence, following.recurrence]).toEqual([
      [
        'RRULE:FREQ=WEEKLY;UNTIL=20261026T075959Z',
        'EXDATE:20261019T070000Z',
        `${rdatePrefix}:20261015T120000`,
      ],
      ['RRULE:FREQ=WEEKLY', 'EXDATE:20261102T080000Z', `${rdatePrefix}:20261105T120000`],
    ]);
    const allDaySeries = await gateway.makeEvent({
      start: { date: '2026-10-12' },
      end: { date: '2026-10-13' },
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261020'],
    });
    const allDaySplit = await expectNoProblems(
      splitSeries(`${allDaySeries.id}_20261015`, { summary: 'Days' }),
    );
    expect(allDaySplit.before.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20261014']);
    expect(allDaySplit.following).toMatchObject({
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261020'],
      start: { date: '2026-10-15' },
      end: { date: '2026-10-16' },
    });
    const expectedDays = [15, 16, 17, 18, 19, 20].map((day) => `202610${day}`);
    expect(await listOriginalStarts(allDaySplit.following.id)).toEqual(expectedDays);
  });

  test('starts at the patched time, with the patched rule, or as a single event', async () => {
    const series = await makeSeries();
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'];
    const movedSplit = await expectNoProblems(
      splitSeries(nthInstanceId(series, 3), { ...hourAt('2026-11-03', 14), recurrence }),
    );
    expect(movedSplit.following).toMatchObject({ sequence: 0, recurrence });
    expect(await listOriginalStarts(movedSplit.following.id)).toEqual([
      '20261103T130000Z',
      '20261110T130000Z',
    ]);
    const singleEventSplit = await expectNoProblems(
      splitSeries(nthInstanceId(series, 1), { recurrence: null }),
    );
    const start = inBerlin('2026-10-19T09:00:00+02:00');
    expect(singleEventSplit.following).toMatchObject({ recurrence: null, start });
    expect(await listOriginalStarts(series.id)).toEqual(originalStarts.slice(0, 1));
  });

  test('accepts the instance as it was read, changed or not', async () => {
    const series = await makeSeries();
    const [start, end] = ['11', '13'].map((hours) => inBerlin(`2026-10-26T${hours}:00:00+01:00`));
    const longerTimes = { start, end };
    const instance = await changeAs(nthInstanceId(series, 2), { summary: 'Longer', ...longerTimes });
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), { ...instance, location: 'Room 8' }),
    );
    expect(following).toMatchObject({ summary: 'Planning', location: 'Room 8', ...hourAt('2026-10-26', 9) });
    expect(await gateway.readOn(alice, nthInstanceId(following, 2))).toMatchObject({
      summary: 'Longer',
      location: 'Room 8',
      ...longerTimes,
    });
    const nextInstance = withoutNulls(await gateway.readOn(alice, nthInstanceId(following, 3))) as object;
    const { following: thirdSeries } = await expectNoProblems(
      splitSeries(nthInstanceId(following, 3), { ...nextInstance, summary: 'Other' }),
    );
    expect(await listSummaries(thirdSeries.id)).toEqual(['Other', 'Other', 'Other']);
    // Patched fields also replace an exception's own values.
    await changeAs(nthInstanceId(thirdSeries, 4), { summary: 'Own', location: 'Own' });
    const { following: fourthSeries } = await expectNoProblems(
      splitSeries(nthInstanceId(thirdSeries, 4), { summary: 'All' }),
    );
    expect(await listInstances(fourthSeries.id)).toMatchObject([
      { summary: 'All', location: 'Own' },
      { summary: 'All', location: 'Room 8' },
    ]);
  });

  test('patches the series itself from its first instance', async () => {
    const series = await makeSeries();
    const firstInstance = await gateway.readOn(alice, nthInstanceId(series, 0));
    const splitAtFirst = await expectNoProblems(
      splitSeries(nthInstanceId(series, 0), { ...firstInstance, summary: 'Renamed' }),
    );
    const { id, iCalUID } = series;
    expect(splitAtFirst).toMatchObject({ before: null, following: { id, iCalUID, summary: 'Renamed' } });
    expect(await listOriginalStarts(id)).toEqual(originalStarts);
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20261012T070000Z'];
    const seriesWithoutFirst = await makeSeries({ recurrence });
    expect(
      await expectNoProblems(splitSeries(nthInstanceId(seriesWithoutFirst, 1), { summary: 'Renamed' })),
    ).toMatchObject({
      before: null,
      following: { id: seriesWithoutFirst.id, summary: 'Renamed' },
    });
  });

  test('keeps exceptions with their series', async () => {
    const series = await makeSeries();
    await changeAs(nthInstanceId(series, 1), { summary: 'Second' });
    await changeAs(nthInstanceId(series, 3), { summary: 'Fourth', colorId: '3' });
    await changeAs(nthInstanceId(series, 4), { status: 'cancelled' });
    await changeAs(nthInstanceId(series, 3), responseOf(bob, 'declined'), bob);
    await changeAs(nthInstanceId(series, 5), { attendees: [...weeklySeries.attendees, { email: carol }] });
    const readers = [alice, bob, carol];
    const syncTokens = await Promise.all(
      readers.map(async (as) => (await expectNoProblems(run(documents.list, { as }))).nextSyncToken),
    );
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), { location: 'Room 9' }),
    );
    for (const as of [alice, bob]) {
      expect(await listSummaries(series.id, as)).toEqual(['Planning', 'Second']);
      expect(await listInstances(following.id, as)).toMatchObject([
        { id: nthInstanceId(following, 2), summary: 'Planning', location: 'Room 9' },
        { id: nthInstanceId(following, 3), summary: 'Fourth', location: 'Room 9' },
        { id: nthInstanceId(following, 5), summary: 'Planning', location: 'Room 9' },
      ]);
      for (const index of [3, 4, 5])
        expect((await gateway.readOn(as, nthInstanceId(series, index))).status).toBe('cancelled');
    }
    expect((await gateway.readOn(alice, nthInstanceId(following, 4))).status).toBe('cancelled');
    expect(guestEntryOf(await gateway.readOn(alice, nthInstanceId(following, 3)), bob).responseStatus).toBe(
      'declined',
    );
    expect(await gateway.readOn(carol, nthInstanceId(following, 5))).toMatchObject({
      summary: 'Planning',
      location: 'Room 9',
      recurringEventId: following.id,
    });
    const changesByReader = await Promise.all(
      readers.map(async (as, index) =>
        (await expectNoProblems(run(documents.list, { as, syncToken: syncTokens[index] }))).nodes
          .map(({ id, status }: EventJson) => `${id} ${status}`)
          .sort(),
      ),
    );
    const cancelledIds = [
      nthInstanceId(series, 3),
      nthInstanceId(series, 4),
      nthInstanceId(series, 5),
      nthInstanceId(following, 4),
    ];
    const confirmedIds = [
      following.id,
      series.id,
      nthInstanceId(following, 3),
      nthInstanceId(following, 5),
      nthInstanceId(series, 1),
    ];
    const appendStatus = (status: string, ids: string[]) => ids.map((id) => `${id} ${status}`);
    const changesOfSeries = [
      ...appendStatus('cancelled', cancelledIds),
      ...appendStatus('confirmed', confirmedIds),
    ].sort();
    const changesForCarol = [
      `${nthInstanceId(series, 5)} cancelled`,
      `${nthInstanceId(following, 5)} confirmed`,
    ].sort();
    expect(changesByReader).toEqual([changesOfSeries, changesOfSeries, changesForCarol]);
    const laterSplit = await expectNoProblems(
      splitSeries(nthInstanceId(following, 3), hourAt('2026-11-02', 10)),
    );
    expect(await listSummaries(laterSplit.following.id)).toEqual(['Fourth', 'Planning']);
    expect((await gateway.readOn(carol, nthInstanceId(following, 5))).status).toBe('cancelled');
  });

  test('applies the patched end, also with a rule that counts from before the instance', async () => {
    const rule = 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=4';
    const series = await makeSeries({ recurrence: [rule, 'RDATE;TZID=Europe/Berlin:20261021T090000'] });
    const { following } = await expectNoProblems(
      splitSeries(`${series.id}_20261021T070000Z`, { sequence: 9, end: { dateTime: '2026-10-21T11:30:00' } }),
    );
    expect(following.sequence).toBe(9);
    const followingInstances = await listInstances(following.id);
    expect(followingInstances.map(({ start, end }) => `${start.dateTime} ${end.dateTime}`)).toEqual([
      '2026-10-21T09:00:00+02:00 2026-10-21T11:30:00+02:00',
      '2026-10-26T09:00:00+01:00 2026-10-26T11:30:00+01:00',
      '2026-11-09T09:00:00+01:00 2026-11-09T11:30:00+01:00',
      '2026-11-23T09:00:00+01:00 2026-11-23T11:30:00+01:00',
    ]);
  });

  test("resets an exception that is patched to its series' values", async () => {
    const series = await makeSeries();
    await changeAs(nthInstanceId(series, 2), {
      summary: 'Own',
      location: 'Own',
      ...hourAt('2026-10-26', 15),
    });
    const { summary, location } = weeklySeries;
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), {
        summary,
        start: { dateTime: '2026-10-26T09:00:00' },
        end: { dateTime: '2026-10-26T10:00:00' },
      }),
    );
    const [first, second] = ['2026-10-26', '2026-11-02'].map((date) => ({
      dateTime: `${date}T09:00:00+01:00`,
    }));
    expect((await listInstances(following.id)).slice(0, 2)).toMatchObject([
      { summary, location: 'Own', start: first },
      { summary, location, start: second },
    ]);
  });

  test('keeps the new series off calendars that deleted the old one and of removed guests; new guests get it', async () => {
    const series = await makeSeries();
    await changeAs(series.id, { status: 'cancelled' }, bob);
    const { following } = await expectNoProblems(splitSeries(nthInstanceId(series, 2), { summary: 'Other' }));
    expect(guestEntryOf(following, bob).responseStatus).toBe('declined');
    expect((await expectNoProblems(run(documents.list, { as: bob }))).nodes).toEqual([]);
    expect((await gateway.readOn(bob, following.id)).status).toBe('cancelled');
    const { following: laterSeries } = await expectNoProblems(
      splitSeries(nthInstanceId(following, 4), withGuests(alice, carol)),
    );
    await expectRefused(gateway.read(laterSeries.id, { as: bob }), notFoundProblems);
    expect(await gateway.readOn(carol, laterSeries.id)).toMatchObject({
      summary: 'Other',
      status: 'confirmed',
    });
    await expectRefused(gateway.read(series.id, { as: carol }), notFoundProblems);
  });

  test('adds and removes guests from the instance on', async () => {
    const series = await makeSeries();
    await changeAs(series.id, responseOf(bob, 'accepted'), bob);
    const instance = await gateway.readOn(alice, nthInstanceId(series, 2));
    const attendeeChanges = { add: [{ email: carol }], remove: [eve] };
    await expectRefused(
      splitSeries(nthInstanceId(series, 2), instance, { attendeeChanges }),
      formatInvalidProblems('attendeeChanges'),
    );
    const { before, following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), {}, { attendeeChanges }),
    );
    const responsesOf = ({ attendees }: EventJson): string[] =>
      attendees.map(({ email, responseStatus }: EventJson) => `${email} ${responseStatus}`);
    const unchangedResponses = [`${alice} accepted`, `${bob} accepted`];
    expect(responsesOf(before)).toEqual([...unchangedResponses, `${eve} needsAction`]);
    expect(responsesOf(following)).toEqual([...unchangedResponses, `${carol} needsAction`]);
  });

  test('notifies guests of both series', async () => {
    const series = await makeSeries();
    const outcome = await splitSeries(nthInstanceId(series, 2), withGuests(alice, bob, carol), {
      sendUpdates: 'all',
    });
    expect([outcome.problems, outcome.notifiedCount]).toEqual([[], 3]);
    const sortedNotices = notices.map((notice) => ({ ...notice, guests: [...notice.guests].sort() }));
    const method = 'REQUEST';
    expect(sortedNotices).toMatchObject([
      { eventId: series.id, method, change: 'updated', guests: [bob, eve] },
      { eventId: outcome.event.following.id, method, change: 'created', guests: [bob, carol] },
    ]);
  });

  test('divides once per requestId and repeats the result', async () => {
    const series = await makeSeries();
    const onceControls = { requestId: 'once', sendUpdates: 'all' };
    const [firstOutcome, ...repetitions] = await Promise.all(
      makeMany(4, () => splitSeries(nthInstanceId(series, 2), { summary: 'Other' }, onceControls)),
    );
    for (const repeated of repetitions) expect(repeated.event).toEqual(firstOutcome?.event);
    expect(notices).toHaveLength(2);
    await expectRefused(
      splitSeries(nthInstanceId(series, 2), { summary: 'Another' }, { requestId: 'once' }),
      ['CONFLICT requestId requestIdReused'],
    );
    expect((await expectNoProblems(run(documents.list, {}))).nodes).toHaveLength(2);
  });

  test('with validateOnly returns both series and stores nothing', async () => {
    const series = await makeSeries();
    const dryRun = { validateOnly: true, sendUpdates: 'all' };
    const { before, following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), { summary: 'Other' }, dryRun),
    );
    expect(before.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2']);
    expect([following.summary, notices]).toEqual(['Other', []]);
    await expectRefused(gateway.read(following.id), notFoundProblems);
    expect(await gateway.readOn(alice, series.id)).toEqual(series);
  });

  test('divides once in twenty concurrent requests', async () => {
    const series = await makeSeries();
    const divide = (index: number) => splitSeries(nthInstanceId(series, 3), { location: `Room ${index}` });
    const outcomes = await Promise.all(makeMany(20, divide));
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual(makeMany(19, () => notFoundProblems[0]));
    const { following } = outcomes.find(({ problems }) => problems.length === 0)?.event;
    expect(await listOriginalStarts(series.id)).toEqual(originalStarts.slice(0, 3));
    expect(await listOriginalStarts(following.id)).toEqual(originalStarts.slice(3));
    const { nodes } = await expectNoProblems(run(documents.list, { singleEvents: true }));
    expect(nodes.map(({ id }: EventJson) => id).sort()).toEqual(
      originalStarts.map((_original, index) => nthInstanceId(index < 3 ? series : following, index)).sort(),
    );
  });

  test('deletes following instances including exceptions', async () => {
    const series = await makeSeries();
    await changeAs(nthInstanceId(series, 1), { summary: 'Second' });
    await changeAs(nthInstanceId(series, 4), { summary: 'Fifth' });
    await expectRefused(deleteFollowing(series.id), formatInvalidProblems('eventId'));
    await expectRefused(deleteFollowing(nthInstanceId(series, 2), { ifMatch: '"old"' }), conditionProblems);
    const endedSeries = { id: series.id, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] };
    expect(await deleteFollowing(nthInstanceId(series, 2), { sendUpdates: 'all' })).toMatchObject({
      problems: [],
      notifiedCount: 2,
      event: endedSeries,
    });
    for (const as of [alice, bob]) expect(await listSummaries(series.id, as)).toEqual(['Planning', 'Second']);
    await expectRefused(deleteFollowing(nthInstanceId(series, 2)), notFoundProblems);
    await expectRefused(gateway.read(nthInstanceId(series, 5)), notFoundProblems);
    expect((await gateway.readOn(alice, nthInstanceId(series, 4))).status).toBe('cancelled');
    expect((await expectNoProblems(deleteFollowing(nthInstanceId(series, 0)))).status).toBe('cancelled');
    const cancelledSeries = await gateway.readOn(alice, series.id);
    expect(await expectNoProblems(deleteFollowing(nthInstanceId(series, 1)))).toEqual(cancelledSeries);
  });
});
