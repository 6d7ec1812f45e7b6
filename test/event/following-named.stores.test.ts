import {
  alice,
  bob,
  carol,
  emailsOf,
  entryOf,
  eve,
  makeMany,
  popupReminder,
  type EventJson,
  withoutNulls,
} from './event.harness.ts';
import { inBerlin, useDivisions, documents, originalStarts, weeklySeries } from './following.harness.ts';
import { withGuests, hourAt } from './list.harness.ts';
import { stores } from '../stores.ts';

const newcomer = 'newcomer@elsewhere.example';
const withConference = (requestId: string) => ({
  conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hostedCall' } } },
});

/** `eventId` names the first instance of the new series. These tests make it an exception before. */
describe.each(stores)('the first instance of patchFollowingEvents, over $name', ({ useGateway }) => {
  const gateway = useGateway();
  const { run, split, clean, instances, makeSeries, nth } = useDivisions(gateway);
  const listSummaries = async (id: string): Promise<string[]> =>
    (await instances(id)).map(({ summary }) => summary);

  const times = { start: inBerlin('2026-10-12T15:00:00+02:00'), end: inBerlin('2026-10-12T16:00:00+02:00') };
  /** Changes an instance's summary, location, times, reminders and guests. */
  const changeInstance = (series: EventJson, index: number): Promise<EventJson> =>
    gateway.changeEvent(nth(series, index), {
      summary: 'Own',
      location: 'Own',
      reminders: popupReminder(5),
      ...withGuests(alice, bob, carol),
      ...(index === 0 && times),
    });

  test.each([
    ['the first one, whose series is changed', 0],
    ['a later one, which begins a new series', 2],
  ])('gets the change: %s', async (_name, index) => {
    const series = await makeSeries();
    await changeInstance(series, index);
    const attendeeChanges = { add: [{ email: newcomer }], remove: [bob] };
    const body = { summary: 'All', reminders: { useDefault: true, overrides: null } };
    const { following } = await clean(split(nth(series, index), body, { attendeeChanges }));
    const firstInstance = await gateway.readOn(alice, nth(following, index));
    expect(firstInstance).toMatchObject({ summary: 'All', location: 'Own', reminders: { useDefault: true } });
    expect(emailsOf(firstInstance)).toEqual([alice, carol, newcomer]);
    expect(emailsOf(await gateway.readOn(alice, nth(following, 4)))).toEqual([alice, eve, newcomer]);
    // Bob sees his removal from the existing series, but was never a guest of the new one.
    const { event: gone, problems } = await gateway.read(nth(following, index), { as: bob });
    expect([gone?.status, problems]).toEqual(
      index === 0 ? ['cancelled', []] : [undefined, ['NOT_FOUND eventId notFound']],
    );
    expect(await listSummaries(following.id)).toEqual(originalStarts.slice(index).map(() => 'All'));
  });

  test('keeps unpatched fields, and its own start if only the end is patched', async () => {
    const series = await makeSeries();
    await changeInstance(series, 0);
    const end = inBerlin('2026-10-12T17:00:00+02:00');
    const { following } = await clean(split(nth(series, 0), { end }));
    const firstInstance = await gateway.readOn(alice, nth(following, 0));
    expect(firstInstance).toMatchObject({ summary: 'Own', start: times.start, end });
    expect(emailsOf(firstInstance)).toEqual([alice, bob, carol]);
  });

  test('loses its own values if the series already has the sent ones', async () => {
    const series = await makeSeries();
    await gateway.changeEvent(nth(series, 0), { summary: 'Own', ...withGuests(alice, carol) });
    const before = await gateway.readOn(alice, series.id);
    const { summary, start } = weeklySeries;
    const { following } = await clean(split(nth(series, 0), { summary, start }));
    expect(following.etag).toBe(before.etag);
    const firstInstance = await gateway.readOn(alice, nth(series, 0));
    expect([firstInstance.summary, emailsOf(firstInstance)]).toEqual([weeklySeries.summary, [alice, carol]]);
    expect((await clean(split(nth(series, 0), { summary }))).following.etag).toBe(before.etag);
    expect((await gateway.readOn(alice, nth(series, 0))).etag).toBe(firstInstance.etag);
  });

  test.each([0, 2])('merges sent maps and replaces reminders (instance %i)', async (index) => {
    const series = await makeSeries({ reminders: popupReminder(30) });
    await gateway.changeEvent(nth(series, index), {
      reminders: popupReminder(1),
      extendedProperties: { private: { own: 'own', z: '9' }, shared: { project: 'own', y: '8' } },
      source: { title: 'Own', url: 'https://own.example/' },
    });
    await gateway.changeEvent(series.id, { source: { title: 'Series', url: 'https://series.example/' } });
    const extendedProperties = { private: { own: null, n: '1' }, shared: { project: 'p' } };
    const patch = { reminders: popupReminder(44), extendedProperties, source: { title: 'All' } };
    const { following } = await clean(split(nth(series, index), patch));
    const firstInstance = await gateway.readOn(alice, nth(following, index));
    expect([firstInstance.reminders, firstInstance.extendedProperties, firstInstance.source]).toEqual([
      popupReminder(44),
      { private: { z: '9', n: '1' }, shared: { project: 'p', y: '8' } },
      { title: 'All', url: 'https://own.example/' },
    ]);
    const laterInstance = await gateway.readOn(alice, nth(following, 5));
    expect([laterInstance.reminders, laterInstance.extendedProperties, laterInstance.source]).toEqual([
      popupReminder(44),
      { private: { n: '1' }, shared: { project: 'p' } },
      { title: 'All', url: 'https://series.example/' },
    ]);
  });

  test('is not taken for an unchanged view if its etag is sent with other fields', async () => {
    const series = await makeSeries();
    const own = { summary: 'Own', ...hourAt('2026-10-26', 11) };
    const read = await gateway.changeEvent(nth(series, 2), own);
    const { id, etag, iCalUID } = read;
    const changed = { id, etag, iCalUID, ...own };
    const { following } = await clean(split(nth(series, 2), changed, { validateOnly: true }));
    expect(following).toMatchObject(own);
    const relocated = { ...(withoutNulls(read) as object), location: 'Room 9' };
    const second = await clean(split(nth(series, 2), relocated));
    const expected = { summary: weeklySeries.summary, location: 'Room 9', ...hourAt('2026-10-26', 9) };
    expect(second.following).toMatchObject(expected);
  });

  test('has the conference that is created for its series', async () => {
    const series = await makeSeries();
    const version = { conferenceDataVersion: 1 };
    await gateway.changeEvent(nth(series, 2), withConference('own'), version);
    const { following } = await clean(split(nth(series, 2), withConference('all'), version));
    const [firstInstance, next] = await Promise.all(
      [2, 3].map((index) => gateway.readOn(alice, nth(following, index))),
    );
    expect(firstInstance.conferenceData.conferenceId).toBe(next.conferenceData.conferenceId);
    expect(firstInstance.callLink).toBe(next.callLink);
  });

  test('with too many guests is refused, and nothing is divided', async () => {
    const series = await makeSeries();
    const crowdAddresses = makeMany(199, (index) => `guest${index}@elsewhere.example`);
    await gateway.changeEvent(nth(series, 2), withGuests(alice, ...crowdAddresses));
    const attendeeChanges = { add: [{ email: newcomer }] };
    const { problems } = await split(nth(series, 2), { summary: 'All' }, { attendeeChanges });
    expect(problems).toEqual(['BAD_USER_INPUT attendeeChanges tooMany']);
    expect(await instances(series.id)).toHaveLength(originalStarts.length);
  });

  test('keeps its changes when the series gets another time', async () => {
    const series = await makeSeries();
    await changeInstance(series, 0);
    const [start, end] = ['08', '10'].map((hours) => inBerlin(`2026-10-12T${hours}:00:00+02:00`));
    const { following } = await clean(split(nth(series, 0), { start, end }));
    const others = originalStarts.slice(1).map(() => weeklySeries.summary);
    expect(await listSummaries(following.id)).toEqual(['Own', ...others]);
  });

  test('at which the series cannot be divided is refused together with all other problems', async () => {
    const series = await makeSeries();
    const wrong = { colorId: '99', summary: 'x' };
    expect((await split(series.id, wrong, { maxAttendees: 0 })).problems).toEqual([
      'BAD_USER_INPUT eventId invalid',
      'BAD_USER_INPUT maxAttendees invalid',
      'BAD_USER_INPUT event.colorId invalid',
    ]);
    const color = 'FORBIDDEN event.colorId invalid';
    const { problems } = await split(nth(series, 2), wrong, { as: bob });
    expect(problems).toEqual(['FORBIDDEN eventId forbiddenForNonOrganizer', color]);
    await gateway.changeEvent(nth(series, 2), { status: 'cancelled' });
    const { problems: moreProblems } = await split(nth(series, 2), wrong);
    expect(moreProblems).toEqual(['FORBIDDEN event.status forbidden', color]);
  });

  test('divides rules with different intervals if the patch has a recurrence', async () => {
    const rules = ['RRULE:FREQ=WEEKLY;INTERVAL=2', 'RRULE:FREQ=DAILY;INTERVAL=3'];
    const fifthOf = async (series: EventJson): Promise<EventJson> => (await instances(series.id))[4];
    const fifth = await fifthOf(await makeSeries({ recurrence: rules }));
    expect((await split(fifth.id, { colorId: '99' })).problems).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT eventId invalid',
    ]);
    await gateway.changeEvent(fifth.id, { summary: 'Own' });
    const { before, following } = await clean(split(fifth.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
    expect(await instances(before.id)).toHaveLength(4);
    expect(await listSummaries(following.id)).toEqual(['Own', 'Planning', 'Planning']);
    const otherInstance = await fifthOf(await makeSeries({ recurrence: rules }));
    const single = await clean(split(otherInstance.id, { recurrence: null, summary: 'Last' }));
    const { recurrence, summary, start: begin } = single.following;
    expect([recurrence, summary]).toEqual([null, 'Last']);
    expect(begin).toEqual({ ...fifth.start, date: null, timeZone: 'Europe/Berlin' });
    const fifthId = (await fifthOf(await makeSeries({ recurrence: rules }))).id;
    expect(await instances((await clean(run(documents.delete, { eventId: fifthId }))).id)).toHaveLength(4);
    // Rules count from this instance.
    const second = await fifthOf(await makeSeries({ recurrence: rules }));
    const { following: sameRules } = await clean(split(second.id, { recurrence: rules }));
    expect([sameRules.recurrence, entryOf(sameRules, bob).email]).toEqual([rules, bob]);
  });
});
