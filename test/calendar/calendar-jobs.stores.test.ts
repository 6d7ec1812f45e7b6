import type { GuestNotice } from '../../src/event/event.store.ts';
import { stores } from '../stores.ts';
import { alice, bob, oneDay, guestEntryOf, eve, oneHour, makeMany } from '../event/event.harness.ts';
import type { EventJson } from '../event/event.harness.ts';
import { responseOf, dailySeries, withGuests as guestsOf, instanceIdOn } from '../event/list.harness.ts';
import { eventually } from '../eventually.ts';
import { calendarsOf } from './calendar.harness.ts';

const dora = 'dora@example.com';
const listQuery = `query ($calendarId: String!, $singleEvents: Boolean, $showDeleted: Boolean, $timeMin: DateTime, $timeMax: DateTime, $syncToken: String) {
  result: events(calendarId: $calendarId, singleEvents: $singleEvents, showDeleted: $showDeleted, timeMin: $timeMin, timeMax: $timeMax, syncToken: $syncToken, first: 2500) {
    nodes { id summary status start { date dateTime } } nextSyncToken } }`;

/** Tests of the jobs that change events in the background when calendars are created, deleted or changed. */
describe.each(stores)('events of created, deleted and changed calendars, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    const notifier = { notify: (notice: GuestNotice) => void notices.push(notice) };
    return { clock: () => Date.UTC(2026, 10, 1), notifier };
  });
  const calendars = calendarsOf(gateway);
  const readEvents = async (calendarId: string, variables = {}, as = calendarId): Promise<EventJson[]> =>
    (await gateway.run(listQuery, { calendarId, ...variables }, as)).event.nodes;
  const readSummaries = async (...args: Parameters<typeof readEvents>): Promise<string[]> =>
    (await readEvents(...args)).map(({ summary }) => summary).sort();

  test('a new calendar gets all events that invited its address', async () => {
    const guests = { attendees: [{ email: 'Dora@example.com', displayName: 'Dora' }, { email: eve }] };
    const singleEvent = await gateway.makeEvent({ summary: 'Single', ...guests });
    await gateway.makeEvent({ summary: 'Not hers', ...guestsOf(eve) });
    const series = await gateway.makeEvent({ ...dailySeries, summary: 'Series', ...guests });
    await gateway.changeEvent(instanceIdOn(series.id, 2), { summary: 'Changed' });
    await gateway.changeEvent(instanceIdOn(series.id, 3), guestsOf(eve));
    const moreGuests = [...guests.attendees, { email: bob }];
    await gateway.changeEvent(instanceIdOn(series.id, 4), { summary: 'Extended', attendees: moreGuests });
    const otherSeries = await gateway.makeEvent({ ...dailySeries, summary: 'Other' });
    await gateway.changeEvent(instanceIdOn(otherSeries.id, 2), { summary: 'Once', ...guests });
    await calendars.list(dora);
    const dorasEvents = ['Changed', 'Extended', 'Once', 'Series', 'Single'];
    await eventually(async () =>
      expect(await readSummaries(dora, { singleEvents: true })).toEqual(dorasEvents),
    );
    expect((await gateway.readOn(alice, singleEvent.id)).etag).toBe(singleEvent.etag);
    await gateway.changeEvent(singleEvent.id, responseOf(dora, 'accepted'), { as: dora });
    const dorasEntry = guestEntryOf(await gateway.readOn(alice, singleEvent.id), 'Dora@example.com');
    expect(dorasEntry).toMatchObject({ responseStatus: 'accepted', displayName: 'Dora' });
    expect(notices).toEqual([]);
  });

  test('many invitations are copied in batches', async () => {
    // A turn of a job handles at most 100 events.
    for (const index of makeMany(230, (index) => index))
      await gateway.makeEvent({ summary: `${index}`, ...guestsOf(dora) });
    await calendars.list(dora);
    await eventually(async () => expect(await readEvents(dora)).toHaveLength(230));
  });

  test('the events of a deleted calendar are cancelled for their guests, who are notified unless the event is over', async () => {
    const id = await calendars.make();
    const timesIn = (year: number) => ({
      start: { dateTime: `${year}-12-01T10:00:00Z` },
      end: { dateTime: `${year}-12-01T11:00:00Z` },
    });
    const bodies = [
      { ...timesIn(2026), summary: 'Coming', ...guestsOf(bob, eve) },
      { ...timesIn(2020), summary: 'Over', ...guestsOf(bob, eve) },
      { ...dailySeries, summary: 'Series', ...guestsOf(bob) },
      { ...timesIn(2026), summary: 'Alone' },
      { ...timesIn(2026), summary: 'Outside', ...guestsOf(eve) },
    ];
    for (const body of bodies) await gateway.makeEvent(body, { calendarId: id });
    await gateway.makeEvent({ summary: 'Elsewhere', ...guestsOf(bob) });
    const { nextSyncToken: syncToken } = (await gateway.run(listQuery, { calendarId: bob }, bob)).event;
    await calendars.remove(id, { sendUpdates: 'all' });
    await eventually(async () => expect(await readSummaries(bob)).toEqual(['Elsewhere']));
    const statuses = (await readEvents(bob, { syncToken })).map(({ status }) => status);
    expect(statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(notices.map(({ method, guests: recipients }) => [method, [...recipients].sort()]).sort()).toEqual([
      ['CANCEL', [bob]],
      ['CANCEL', [bob, eve]],
      ['CANCEL', [eve]],
    ]);
  });

  test('a deletion of many events continues in the background, also without notifications', async () => {
    const id = await calendars.make();
    // More than the 100 events of a job's first turn.
    for (const index of makeMany(130, (index) => index))
      await gateway.makeEvent({ summary: `${index}`, ...guestsOf(bob) }, { calendarId: id });
    await calendars.remove(id);
    await eventually(async () => expect(await readEvents(bob)).toEqual([]));
    expect(await readEvents(bob, { showDeleted: true })).toHaveLength(130);
    expect(notices).toEqual([]);
  });

  test('a sync token expires when the role changes, and a new list shows what the role may see', async () => {
    await gateway.makeEvent({ summary: 'Plan' });
    await calendars.share(alice, eve, 'freeBusyReader');
    const syncEvents = async (syncToken?: string) =>
      gateway.run(listQuery, { calendarId: alice, syncToken }, eve);
    const { nodes, nextSyncToken } = (await syncEvents()).event;
    expect(nodes).toMatchObject([{ summary: null }]);
    await calendars.share(alice, eve, 'reader');
    expect((await syncEvents(nextSyncToken)).problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    const laterPage = (await syncEvents()).event;
    expect(laterPage.nodes).toMatchObject([{ summary: 'Plan' }]);
    await calendars.share(alice, eve, 'none');
    expect((await syncEvents(laterPage.nextSyncToken)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    await calendars.share(alice, eve, 'reader');
    expect((await syncEvents(laterPage.nextSyncToken)).event.nodes).toEqual([]);
  });

  test('a new time zone moves all-day events in lists, and sync tokens stay valid', async () => {
    const id = await calendars.make({ timeZone: 'UTC' });
    const onCalendar = { calendarId: id };
    await gateway.makeEvent({ ...oneDay, summary: 'Day' }, onCalendar);
    await gateway.makeEvent({ ...oneHour, summary: 'Hour' }, onCalendar);
    const weekly = { ...oneDay, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] };
    await gateway.makeEvent({ ...weekly, summary: 'Days' }, onCalendar);
    const monthly = { ...oneDay, recurrence: ['RRULE:FREQ=MONTHLY;COUNT=3'] };
    const series = await gateway.makeEvent({ ...monthly, summary: 'Series' }, onCalendar);
    await gateway.changeEvent(`${series.id}_20261201`, { summary: 'Changed' }, onCalendar);
    const { nextSyncToken: syncToken } = (await gateway.run(listQuery, { calendarId: id })).event;
    // On Kiritimati (UTC+14), 1 December begins on 30 November at 10:00 UTC.
    const eveningRange = { timeMin: '2026-11-30T11:00:00Z', timeMax: '2026-11-30T12:00:00Z' };
    expect(await readSummaries(id, eveningRange, alice)).toEqual([]);
    const { event } = await calendars.patch(id, { timeZone: 'Pacific/Kiritimati' });
    expect(event.timeZone).toBe('Pacific/Kiritimati');
    expect(await readSummaries(id, eveningRange, alice)).toEqual(['Changed', 'Day', 'Days', 'Series']);
    const instances = await readSummaries(id, { ...eveningRange, singleEvents: true }, alice);
    expect(instances).toEqual(['Changed', 'Day', 'Days']);
    const nextDay = { timeMin: '2026-12-01T10:30:00Z', timeMax: '2026-12-01T12:00:00Z' };
    expect(await readSummaries(id, nextDay, alice)).toEqual([]);
    const morningRange = { timeMin: '2026-12-01T09:00:00Z', timeMax: '2026-12-01T09:30:00Z' };
    const morningEvents = await readSummaries(id, { ...morningRange, singleEvents: true }, alice);
    expect(morningEvents).toEqual(['Changed', 'Day', 'Days', 'Hour']);
    expect(await readEvents(id, { syncToken }, alice)).toEqual([]);
  });
});
