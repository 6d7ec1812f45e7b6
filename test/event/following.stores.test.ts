import type { GuestNotice } from '../../src/event/event.store.ts';
import {
  alice,
  bob,
  carol,
  type Controls,
  entryOf,
  eve,
  makeMany,
  type Outcome,
  popupReminder,
  type EventJson,
  wanda,
  withoutNulls,
} from './event.harness.ts';
import { inBerlin, useDivisions, documents, originalStarts, weeklySeries } from './following.harness.ts';
import { responseOf, withGuests, hourAt } from './list.harness.ts';
import { stores } from '../stores.ts';

const notFoundProblem = ['NOT_FOUND eventId notFound'];
const notAllowedProblem = ['FORBIDDEN eventId forbiddenForNonOrganizer'];
const cancelledProblem = ['FORBIDDEN event.status forbidden'];
const conditionProblem = ['PRECONDITION_FAILED ifMatch conditionNotMet'];
const invalidProblems = (...paths: string[]): string[] =>
  paths.map((path) => `BAD_USER_INPUT ${path} invalid`);

describe.each(stores)('patchFollowingEvents and deleteFollowingEvents, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return { notifier: { notify: (notice) => void notices.push(notice) } };
  });
  const { run, split, clean, instances, starts, makeSeries, nth } = useDivisions(gateway);
  const expectRefused = async (outcome: Promise<Outcome>, problems: readonly string[]): Promise<void> =>
    expect((await outcome).problems).toEqual(problems);
  const deleteFollowing = (eventId: string, controls: Controls = {}) =>
    run(documents.delete, { eventId, ...controls });
  const change = (id: string, body: object, as = alice): Promise<EventJson> =>
    gateway.changeEvent(id, body, { as });
  const listSummaries = async (id: string, as = alice): Promise<string[]> =>
    (await instances(id, as)).map(({ summary }) => summary);

  test('refuses ids that are no instances, guests, cancelled instances and invalid bodies', async () => {
    const series = await makeSeries({ guestsCanModify: true });
    await expectRefused(split(series.id), invalidProblems('eventId'));
    for (const id of [`${series.id}_20261013T070000Z`, 'nothing'])
      await expectRefused(split(id), notFoundProblem);
    await expectRefused(split(nth(series, 2), {}, { as: bob }), notAllowedProblem);
    await expectRefused(split(nth(series, 2), {}, { as: wanda, calendarId: bob }), notAllowedProblem);
    await expectRefused(deleteFollowing(nth(series, 2), { as: bob }), notAllowedProblem);
    const wrong = { status: 'cancelled', colorId: '99', id: 'another0id' };
    const { problems } = await split(nth(series, 2), wrong, { maxAttendees: 0, requestId: '' });
    expect(problems.toSorted()).toEqual([
      ...invalidProblems('event.colorId'),
      'BAD_USER_INPUT event.id immutable',
      ...invalidProblems('event.status', 'maxAttendees', 'requestId'),
    ]);
    await expectRefused(split(nth(series, 2), {}, { ifMatch: '"old"' }), conditionProblem);
    const recurrence = ['RRULE:FREQ=OFTEN'];
    await expectRefused(split(nth(series, 2), { recurrence }), invalidProblems('event.recurrence.0'));
    await change(nth(series, 4), { status: 'cancelled' });
    await expectRefused(split(nth(series, 4)), cancelledProblem);
    expect(await starts(series.id)).toEqual(
      originalStarts.filter((original) => original !== originalStarts[4]),
    );
    await change(series.id, { status: 'cancelled' });
    await expectRefused(split(nth(series, 2), { summary: 'x' }), cancelledProblem);
    await expectRefused(split(nth(series, 0)), cancelledProblem);
  });

  test('creates a series that keeps all unpatched fields', async () => {
    const series = await makeSeries();
    await change(series.id, responseOf(bob, 'tentative', 'Perhaps'), bob);
    const own = { colorId: '7', reminders: popupReminder(5) };
    await change(series.id, own, bob);
    const { etag: ifMatch } = await gateway.readOn(alice, nth(series, 2));
    const { before, following } = await clean(split(nth(series, 2), { location: 'Room 9' }, { ifMatch }));
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
    expect(entryOf(following, bob)).toMatchObject({ responseStatus: 'tentative', comment: 'Perhaps' });
    for (const as of [alice, bob]) {
      expect(await starts(series.id, as)).toEqual(originalStarts.slice(0, 2));
      expect(await starts(following.id, as)).toEqual(originalStarts.slice(2));
      expect(await gateway.readOn(as, following.id)).toMatchObject({ location: 'Room 9' });
    }
    expect(await gateway.readOn(bob, following.id)).toMatchObject(own);
    expect((await gateway.readOn(alice, following.id)).colorId).toBeNull();
    await expectRefused(gateway.read(nth(series, 2)), notFoundProblem);
  });

  test('sets UNTIL in UTC or by day, and divides RDATE and EXDATE', async () => {
    const zone = 'RDATE;TZID=America/New_York';
    const timedSeries = await makeSeries({
      recurrence: [
        'RRULE:FREQ=WEEKLY',
        'EXDATE:20261019T070000Z,20261102T080000Z',
        `${zone}:20261015T120000,20261105T120000`,
      ],
    });
    const { before, following } = await clean(split(nth(timedSeries, 2)));
    expect([before.recurrence, following.recurrence]).toEqual([
      ['RRULE:FREQ=WEEKLY;UNTIL=20261026T075959Z', 'EXDATE:20261019T070000Z', `${zone}:20261015T120000`],
      ['RRULE:FREQ=WEEKLY', 'EXDATE:20261102T080000Z', `${zone}:20261105T120000`],
    ]);
    const allDaySeries = await gateway.makeEvent({
      start: { date: '2026-10-12' },
      end: { date: '2026-10-13' },
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261020'],
    });
    const divided = await clean(split(`${allDaySeries.id}_20261015`, { summary: 'Days' }));
    expect(divided.before.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20261014']);
    expect(divided.following).toMatchObject({
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261020'],
      start: { date: '2026-10-15' },
      end: { date: '2026-10-16' },
    });
    const days = [15, 16, 17, 18, 19, 20].map((day) => `202610${day}`);
    expect(await starts(divided.following.id)).toEqual(days);
  });

  test('starts at the patched time, with the patched rule, or as a single event', async () => {
    const series = await makeSeries();
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'];
    const moved = await clean(split(nth(series, 3), { ...hourAt('2026-11-03', 14), recurrence }));
    expect(moved.following).toMatchObject({ sequence: 0, recurrence });
    expect(await starts(moved.following.id)).toEqual(['20261103T130000Z', '20261110T130000Z']);
    const single = await clean(split(nth(series, 1), { recurrence: null }));
    const start = inBerlin('2026-10-19T09:00:00+02:00');
    expect(single.following).toMatchObject({ recurrence: null, start });
    expect(await starts(series.id)).toEqual(originalStarts.slice(0, 1));
  });

  test('accepts the instance as it was read, changed or not', async () => {
    const series = await makeSeries();
    const [start, end] = ['11', '13'].map((hours) => inBerlin(`2026-10-26T${hours}:00:00+01:00`));
    const longer = { start, end };
    const instance = await change(nth(series, 2), { summary: 'Longer', ...longer });
    const { following } = await clean(split(nth(series, 2), { ...instance, location: 'Room 8' }));
    expect(following).toMatchObject({ summary: 'Planning', location: 'Room 8', ...hourAt('2026-10-26', 9) });
    expect(await gateway.readOn(alice, nth(following, 2))).toMatchObject({
      summary: 'Longer',
      location: 'Room 8',
      ...longer,
    });
    const next = withoutNulls(await gateway.readOn(alice, nth(following, 3))) as object;
    const { following: third } = await clean(split(nth(following, 3), { ...next, summary: 'Other' }));
    expect(await listSummaries(third.id)).toEqual(['Other', 'Other', 'Other']);
    // Patched fields also replace those of an exception.
    await change(nth(third, 4), { summary: 'Own', location: 'Own' });
    const { following: fourth } = await clean(split(nth(third, 4), { summary: 'All' }));
    expect(await instances(fourth.id)).toMatchObject([
      { summary: 'All', location: 'Own' },
      { summary: 'All', location: 'Room 8' },
    ]);
  });

  test('patches the series itself from its first instance', async () => {
    const series = await makeSeries();
    const first = await gateway.readOn(alice, nth(series, 0));
    const renamed = await clean(split(nth(series, 0), { ...first, summary: 'Renamed' }));
    const { id, iCalUID } = series;
    expect(renamed).toMatchObject({ before: null, following: { id, iCalUID, summary: 'Renamed' } });
    expect(await starts(id)).toEqual(originalStarts);
    const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20261012T070000Z'];
    const excluded = await makeSeries({ recurrence });
    expect(await clean(split(nth(excluded, 1), { summary: 'Renamed' }))).toMatchObject({
      before: null,
      following: { id: excluded.id, summary: 'Renamed' },
    });
  });

  test('keeps exceptions with their series', async () => {
    const series = await makeSeries();
    await change(nth(series, 1), { summary: 'Second' });
    await change(nth(series, 3), { summary: 'Fourth', colorId: '3' });
    await change(nth(series, 4), { status: 'cancelled' });
    await change(nth(series, 3), responseOf(bob, 'declined'), bob);
    await change(nth(series, 5), { attendees: [...weeklySeries.attendees, { email: carol }] });
    const readers = [alice, bob, carol];
    const tokens = await Promise.all(
      readers.map(async (as) => (await clean(run(documents.list, { as }))).nextSyncToken),
    );
    const { following } = await clean(split(nth(series, 2), { location: 'Room 9' }));
    for (const as of [alice, bob]) {
      expect(await listSummaries(series.id, as)).toEqual(['Planning', 'Second']);
      expect(await instances(following.id, as)).toMatchObject([
        { id: nth(following, 2), summary: 'Planning', location: 'Room 9' },
        { id: nth(following, 3), summary: 'Fourth', location: 'Room 9' },
        { id: nth(following, 5), summary: 'Planning', location: 'Room 9' },
      ]);
      for (const index of [3, 4, 5])
        expect((await gateway.readOn(as, nth(series, index))).status).toBe('cancelled');
    }
    expect((await gateway.readOn(alice, nth(following, 4))).status).toBe('cancelled');
    expect(entryOf(await gateway.readOn(alice, nth(following, 3)), bob).responseStatus).toBe('declined');
    expect(await gateway.readOn(carol, nth(following, 5))).toMatchObject({
      summary: 'Planning',
      location: 'Room 9',
      recurringEventId: following.id,
    });
    const changed = await Promise.all(
      readers.map(async (as, index) =>
        (await clean(run(documents.list, { as, syncToken: tokens[index] }))).nodes
          .map(({ id, status }: EventJson) => `${id} ${status}`)
          .sort(),
      ),
    );
    const cancelled = [nth(series, 3), nth(series, 4), nth(series, 5), nth(following, 4)];
    const confirmed = [following.id, series.id, nth(following, 3), nth(following, 5), nth(series, 1)];
    const withStatus = (status: string, ids: string[]) => ids.map((id) => `${id} ${status}`);
    const all = [...withStatus('cancelled', cancelled), ...withStatus('confirmed', confirmed)].sort();
    const carols = [`${nth(series, 5)} cancelled`, `${nth(following, 5)} confirmed`].sort();
    expect(changed).toEqual([all, all, carols]);
    const later = await clean(split(nth(following, 3), hourAt('2026-11-02', 10)));
    expect(await listSummaries(later.following.id)).toEqual(['Fourth', 'Planning']);
    expect((await gateway.readOn(carol, nth(following, 5))).status).toBe('cancelled');
  });

  test('applies the patched end, also with a rule that counts from before the instance', async () => {
    const rule = 'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=4';
    const series = await makeSeries({ recurrence: [rule, 'RDATE;TZID=Europe/Berlin:20261021T090000'] });
    const { following } = await clean(
      split(`${series.id}_20261021T070000Z`, { sequence: 9, end: { dateTime: '2026-10-21T11:30:00' } }),
    );
    expect(following.sequence).toBe(9);
    const listed = await instances(following.id);
    expect(listed.map(({ start, end }) => `${start.dateTime} ${end.dateTime}`)).toEqual([
      '2026-10-21T09:00:00+02:00 2026-10-21T11:30:00+02:00',
      '2026-10-26T09:00:00+01:00 2026-10-26T11:30:00+01:00',
      '2026-11-09T09:00:00+01:00 2026-11-09T11:30:00+01:00',
      '2026-11-23T09:00:00+01:00 2026-11-23T11:30:00+01:00',
    ]);
  });

  test("resets an exception that is patched to its series' values", async () => {
    const series = await makeSeries();
    await change(nth(series, 2), { summary: 'Own', location: 'Own', ...hourAt('2026-10-26', 15) });
    const { summary, location } = weeklySeries;
    const { following } = await clean(
      split(nth(series, 2), {
        summary,
        start: { dateTime: '2026-10-26T09:00:00' },
        end: { dateTime: '2026-10-26T10:00:00' },
      }),
    );
    const [first, second] = ['2026-10-26', '2026-11-02'].map((date) => ({
      dateTime: `${date}T09:00:00+01:00`,
    }));
    expect((await instances(following.id)).slice(0, 2)).toMatchObject([
      { summary, location: 'Own', start: first },
      { summary, location, start: second },
    ]);
  });

  test('keeps the series off calendars that deleted it and of removed guests, and adds new guests', async () => {
    const series = await makeSeries();
    await change(series.id, { status: 'cancelled' }, bob);
    const { following } = await clean(split(nth(series, 2), { summary: 'Other' }));
    expect(entryOf(following, bob).responseStatus).toBe('declined');
    expect((await clean(run(documents.list, { as: bob }))).nodes).toEqual([]);
    expect((await gateway.readOn(bob, following.id)).status).toBe('cancelled');
    const { following: third } = await clean(split(nth(following, 4), withGuests(alice, carol)));
    await expectRefused(gateway.read(third.id, { as: bob }), notFoundProblem);
    expect(await gateway.readOn(carol, third.id)).toMatchObject({ summary: 'Other', status: 'confirmed' });
    await expectRefused(gateway.read(series.id, { as: carol }), notFoundProblem);
  });

  test('adds and removes guests from the instance on', async () => {
    const series = await makeSeries();
    await change(series.id, responseOf(bob, 'accepted'), bob);
    const instance = await gateway.readOn(alice, nth(series, 2));
    const attendeeChanges = { add: [{ email: carol }], remove: [eve] };
    await expectRefused(
      split(nth(series, 2), instance, { attendeeChanges }),
      invalidProblems('attendeeChanges'),
    );
    const { before, following } = await clean(split(nth(series, 2), {}, { attendeeChanges }));
    const responsesOf = ({ attendees }: EventJson): string[] =>
      attendees.map(({ email, responseStatus }: EventJson) => `${email} ${responseStatus}`);
    const both = [`${alice} accepted`, `${bob} accepted`];
    expect(responsesOf(before)).toEqual([...both, `${eve} needsAction`]);
    expect(responsesOf(following)).toEqual([...both, `${carol} needsAction`]);
  });

  test('notifies guests of both series', async () => {
    const series = await makeSeries();
    const outcome = await split(nth(series, 2), withGuests(alice, bob, carol), { sendUpdates: 'all' });
    expect([outcome.problems, outcome.notifiedCount]).toEqual([[], 3]);
    const sent = notices.map((notice) => ({ ...notice, guests: [...notice.guests].sort() }));
    const method = 'REQUEST';
    expect(sent).toMatchObject([
      { eventId: series.id, method, change: 'updated', guests: [bob, eve] },
      { eventId: outcome.event.following.id, method, change: 'created', guests: [bob, carol] },
    ]);
  });

  test('divides once per requestId and repeats the result', async () => {
    const series = await makeSeries();
    const once = { requestId: 'once', sendUpdates: 'all' };
    const [first, ...repetitions] = await Promise.all(
      makeMany(4, () => split(nth(series, 2), { summary: 'Other' }, once)),
    );
    for (const repeated of repetitions) expect(repeated.event).toEqual(first?.event);
    expect(notices).toHaveLength(2);
    await expectRefused(split(nth(series, 2), { summary: 'Another' }, { requestId: 'once' }), [
      'CONFLICT requestId requestIdReused',
    ]);
    expect((await clean(run(documents.list, {}))).nodes).toHaveLength(2);
  });

  test('with validateOnly returns both series and stores nothing', async () => {
    const series = await makeSeries();
    const dryRun = { validateOnly: true, sendUpdates: 'all' };
    const { before, following } = await clean(split(nth(series, 2), { summary: 'Other' }, dryRun));
    expect(before.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2']);
    expect([following.summary, notices]).toEqual(['Other', []]);
    await expectRefused(gateway.read(following.id), notFoundProblem);
    expect(await gateway.readOn(alice, series.id)).toEqual(series);
  });

  test('divides once in twenty concurrent requests', async () => {
    const series = await makeSeries();
    const divide = (index: number) => split(nth(series, 3), { location: `Room ${index}` });
    const outcomes = await Promise.all(makeMany(20, divide));
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual(makeMany(19, () => notFoundProblem[0]));
    const { following } = outcomes.find(({ problems }) => problems.length === 0)?.event;
    expect(await starts(series.id)).toEqual(originalStarts.slice(0, 3));
    expect(await starts(following.id)).toEqual(originalStarts.slice(3));
    const { nodes } = await clean(run(documents.list, { singleEvents: true }));
    expect(nodes.map(({ id }: EventJson) => id).sort()).toEqual(
      originalStarts.map((_original, index) => nth(index < 3 ? series : following, index)).sort(),
    );
  });

  test('deletes following instances including exceptions', async () => {
    const series = await makeSeries();
    await change(nth(series, 1), { summary: 'Second' });
    await change(nth(series, 4), { summary: 'Fifth' });
    await expectRefused(deleteFollowing(series.id), invalidProblems('eventId'));
    await expectRefused(deleteFollowing(nth(series, 2), { ifMatch: '"old"' }), conditionProblem);
    const ended = { id: series.id, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] };
    expect(await deleteFollowing(nth(series, 2), { sendUpdates: 'all' })).toMatchObject({
      problems: [],
      notifiedCount: 2,
      event: ended,
    });
    for (const as of [alice, bob]) expect(await listSummaries(series.id, as)).toEqual(['Planning', 'Second']);
    await expectRefused(deleteFollowing(nth(series, 2)), notFoundProblem);
    await expectRefused(gateway.read(nth(series, 5)), notFoundProblem);
    expect((await gateway.readOn(alice, nth(series, 4))).status).toBe('cancelled');
    expect((await clean(deleteFollowing(nth(series, 0)))).status).toBe('cancelled');
    const cancelled = await gateway.readOn(alice, series.id);
    expect(await clean(deleteFollowing(nth(series, 1)))).toEqual(cancelled);
  });
});
