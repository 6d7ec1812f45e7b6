import {
  alice,
  bob,
  carol,
  emailsOf,
  guestEntryOf,
  eve,
  makeMany,
  popupReminder,
  type EventJson,
  withoutNulls,
} from './event.harness.ts';
import {
  inBerlin,
  createSeriesSplitter,
  documents,
  originalStarts,
  weeklySeries,
} from './following.harness.ts';
import { withGuests, hourAt } from './list.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const createConferenceBody = (requestId: string) => ({
  conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hostedCall' } } },
});

/** Tests of the instance that `eventId` names: the first of the new series, an exception in most tests. */
describe.each(stores)('the first instance of patchFollowingEvents, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const { run, splitSeries, expectNoProblems, listInstances, makeSeries, nthInstanceId } =
    createSeriesSplitter(gateway);
  const listSummaries = async (id: string): Promise<string[]> =>
    (await listInstances(id)).map(({ summary }) => summary);

  const exceptionTimes = {
    start: inBerlin('2026-10-12T15:00:00+02:00'),
    end: inBerlin('2026-10-12T16:00:00+02:00'),
  };
  /** Changes an instance's summary, location, times, reminders and guests. */
  const changeInstance = (series: EventJson, index: number): Promise<EventJson> =>
    gateway.changeEvent(nthInstanceId(series, index), {
      summary: 'Own',
      location: 'Own',
      reminders: popupReminder(5),
      ...withGuests(alice, bob, carol),
      ...(index === 0 && exceptionTimes),
    });

  test.each([
    ['the first one, whose series is changed', 0],
    ['a later one, which begins a new series', 2],
  ])('gets the change: %s', async (_name, index) => {
    const series = await makeSeries();
    await changeInstance(series, index);
    const attendeeChanges = { add: [{ email: newcomer }], remove: [bob] };
    const body = { summary: 'All', reminders: { useDefault: true, overrides: null } };
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, index), body, { attendeeChanges }),
    );
    const firstInstance = await gateway.readOn(alice, nthInstanceId(following, index));
    expect(firstInstance).toMatchObject({ summary: 'All', location: 'Own', reminders: { useDefault: true } });
    expect(emailsOf(firstInstance)).toEqual([alice, carol, newcomer]);
    expect(emailsOf(await gateway.readOn(alice, nthInstanceId(following, 4)))).toEqual([
      alice,
      eve,
      newcomer,
    ]);
    // Bob sees his removal from the existing series, but was never a guest of the new one.
    const { event: eventForBob, problems } = await gateway.read(nthInstanceId(following, index), { as: bob });
    expect([eventForBob?.status, problems]).toEqual(
      index === 0 ? ['cancelled', []] : [undefined, ['NOT_FOUND eventId notFound']],
    );
    expect(await listSummaries(following.id)).toEqual(originalStarts.slice(index).map(() => 'All'));
  });

  test('keeps unpatched fields, and its own start if only the end is patched', async () => {
    const series = await makeSeries();
    await changeInstance(series, 0);
    const end = inBerlin('2026-10-12T17:00:00+02:00');
    const { following } = await expectNoProblems(splitSeries(nthInstanceId(series, 0), { end }));
    const firstInstance = await gateway.readOn(alice, nthInstanceId(following, 0));
    expect(firstInstance).toMatchObject({ summary: 'Own', start: exceptionTimes.start, end });
    expect(emailsOf(firstInstance)).toEqual([alice, bob, carol]);
  });

  test('loses its own values if the series already has the sent ones', async () => {
    const series = await makeSeries();
    await gateway.changeEvent(nthInstanceId(series, 0), { summary: 'Own', ...withGuests(alice, carol) });
    const before = await gateway.readOn(alice, series.id);
    const { summary, start } = weeklySeries;
    const { following } = await expectNoProblems(splitSeries(nthInstanceId(series, 0), { summary, start }));
    expect(following.etag).toBe(before.etag);
    const firstInstance = await gateway.readOn(alice, nthInstanceId(series, 0));
    expect([firstInstance.summary, emailsOf(firstInstance)]).toEqual([weeklySeries.summary, [alice, carol]]);
    expect((await expectNoProblems(splitSeries(nthInstanceId(series, 0), { summary }))).following.etag).toBe(
      before.etag,
    );
    expect((await gateway.readOn(alice, nthInstanceId(series, 0))).etag).toBe(firstInstance.etag);
  });

  test.each([0, 2])('merges sent maps and replaces reminders (instance %i)', async (index) => {
    const series = await makeSeries({ reminders: popupReminder(30) });
    await gateway.changeEvent(nthInstanceId(series, index), {
      reminders: popupReminder(1),
      extendedProperties: { private: { own: 'own', z: '9' }, shared: { project: 'own', y: '8' } },
      source: { title: 'Own', url: 'https://own.example/' },
    });
    await gateway.changeEvent(series.id, { source: { title: 'Series', url: 'https://series.example/' } });
    const extendedProperties = { private: { own: null, n: '1' }, shared: { project: 'p' } };
    const patch = { reminders: popupReminder(44), extendedProperties, source: { title: 'All' } };
    const { following } = await expectNoProblems(splitSeries(nthInstanceId(series, index), patch));
    const firstInstance = await gateway.readOn(alice, nthInstanceId(following, index));
    expect([firstInstance.reminders, firstInstance.extendedProperties, firstInstance.source]).toEqual([
      popupReminder(44),
      { private: { z: '9', n: '1' }, shared: { project: 'p', y: '8' } },
      { title: 'All', url: 'https://own.example/' },
    ]);
    const laterInstance = await gateway.readOn(alice, nthInstanceId(following, 5));
    expect([laterInstance.reminders, laterInstance.extendedProperties, laterInstance.source]).toEqual([
      popupReminder(44),
      { private: { n: '1' }, shared: { project: 'p' } },
      { title: 'All', url: 'https://series.example/' },
    ]);
  });

  test('is not taken for an unchanged view if its etag is sent with other fields', async () => {
    const series = await makeSeries();
    const exceptionFields = { summary: 'Own', ...hourAt('2026-10-26', 11) };
    const changedInstance = await gateway.changeEvent(nthInstanceId(series, 2), exceptionFields);
    const { id, etag, iCalUID } = changedInstance;
    const sentFields = { id, etag, iCalUID, ...exceptionFields };
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), sentFields, { validateOnly: true }),
    );
    expect(following).toMatchObject(exceptionFields);
    const relocatedInstance = { ...(withoutNulls(changedInstance) as object), location: 'Room 9' };
    const secondSplit = await expectNoProblems(splitSeries(nthInstanceId(series, 2), relocatedInstance));
    const expected = { summary: weeklySeries.summary, location: 'Room 9', ...hourAt('2026-10-26', 9) };
    expect(secondSplit.following).toMatchObject(expected);
  });

  test('has the conference that is created for its series', async () => {
    const series = await makeSeries();
    const conferenceControls = { conferenceDataVersion: 1 };
    await gateway.changeEvent(nthInstanceId(series, 2), createConferenceBody('own'), conferenceControls);
    const { following } = await expectNoProblems(
      splitSeries(nthInstanceId(series, 2), createConferenceBody('all'), conferenceControls),
    );
    const [firstInstance, nextInstance] = await Promise.all(
      [2, 3].map((index) => gateway.readOn(alice, nthInstanceId(following, index))),
    );
    expect(firstInstance.conferenceData.conferenceId).toBe(nextInstance.conferenceData.conferenceId);
    expect(firstInstance.callLink).toBe(nextInstance.callLink);
  });

  test('with too many guests is refused, and nothing is divided', async () => {
    const series = await makeSeries();
    const crowdAddresses = makeMany(199, (index) => `guest${index}@elsewhere.example`);
    await gateway.changeEvent(nthInstanceId(series, 2), withGuests(alice, ...crowdAddresses));
    const attendeeChanges = { add: [{ email: newcomer }] };
    const { problems } = await splitSeries(nthInstanceId(series, 2), { summary: 'All' }, { attendeeChanges });
    expect(problems).toEqual(['BAD_USER_INPUT attendeeChanges tooMany']);
    expect(await listInstances(series.id)).toHaveLength(originalStarts.length);
  });

  test('keeps its changes when the series gets another time', async () => {
    const series = await makeSeries();
    await changeInstance(series, 0);
    const [start, end] = ['08', '10'].map((hours) => inBerlin(`2026-10-12T${hours}:00:00+02:00`));
    const { following } = await expectNoProblems(splitSeries(nthInstanceId(series, 0), { start, end }));
    const laterSummaries = originalStarts.slice(1).map(() => weeklySeries.summary);
    expect(await listSummaries(following.id)).toEqual(['Own', ...laterSummaries]);
  });

  test('at which the series cannot be divided is refused together with all other problems', async () => {
    const series = await makeSeries();
    const invalidPatch = { colorId: '99', summary: 'x' };
    expect((await splitSeries(series.id, invalidPatch, { maxAttendees: 0 })).problems).toEqual([
      'BAD_USER_INPUT eventId invalid',
      'BAD_USER_INPUT maxAttendees invalid',
      'BAD_USER_INPUT event.colorId invalid',
    ]);
    const colorProblem = 'FORBIDDEN event.colorId invalid';
    const { problems } = await splitSeries(nthInstanceId(series, 2), invalidPatch, { as: bob });
    expect(problems).toEqual(['FORBIDDEN eventId forbiddenForNonOrganizer', colorProblem]);
    await gateway.changeEvent(nthInstanceId(series, 2), { status: 'cancelled' });
    const { problems: moreProblems } = await splitSeries(nthInstanceId(series, 2), invalidPatch);
    expect(moreProblems).toEqual(['FORBIDDEN event.status forbidden', colorProblem]);
  });

  test('divides rules with different intervals if the patch has a recurrence', async () => {
    const rules = ['RRULE:FREQ=WEEKLY;INTERVAL=2', 'RRULE:FREQ=DAILY;INTERVAL=3'];
    const readFifthInstance = async (series: EventJson): Promise<EventJson> =>
      (await listInstances(series.id))[4];
    const fifthInstance = await readFifthInstance(await makeSeries({ recurrence: rules }));
    expect((await splitSeries(fifthInstance.id, { colorId: '99' })).problems).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT eventId invalid',
    ]);
    await gateway.changeEvent(fifthInstance.id, { summary: 'Own' });
    const { before, following } = await expectNoProblems(
      splitSeries(fifthInstance.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
    );
    expect(await listInstances(before.id)).toHaveLength(4);
    expect(await listSummaries(following.id)).toEqual(['Own', 'Planning', 'Planning']);
    const fifthOfOtherSeries = await readFifthInstance(await makeSeries({ recurrence: rules }));
    const singleEventSplit = await expectNoProblems(
      splitSeries(fifthOfOtherSeries.id, { recurrence: null, summary: 'Last' }),
    );
    const { recurrence, summary, start: singleStart } = singleEventSplit.following;
    expect([recurrence, summary]).toEqual([null, 'Last']);
    expect(singleStart).toEqual({ ...fifthInstance.start, date: null, timeZone: 'Europe/Berlin' });
    const fifthId = (await readFifthInstance(await makeSeries({ recurrence: rules }))).id;
    expect(
      await listInstances((await expectNoProblems(run(documents.delete, { eventId: fifthId }))).id),
    ).toHaveLength(4);
    // Rules of a patch count from the instance at which the series is divided.
    const anotherFifthInstance = await readFifthInstance(await makeSeries({ recurrence: rules }));
    const { following: seriesWithSameRules } = await expectNoProblems(
      splitSeries(anotherFifthInstance.id, { recurrence: rules }),
    );
    expect([seriesWithSameRules.recurrence, guestEntryOf(seriesWithSameRules, bob).email]).toEqual([
      rules,
      bob,
    ]);
  });
});
