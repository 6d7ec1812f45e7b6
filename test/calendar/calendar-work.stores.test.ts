import type { GuestNotice } from '../../src/event/event.store.ts';
import { stores } from '../stores.ts';
import { alice, bob, day, entryOf, eve, hour, many, zoned, type Shown } from '../event/event.harness.ts';
import { eventually } from '../eventually.ts';
import { calendarsOf } from './calendar.harness.ts';

const dora = 'dora@example.com';
const list = `query ($calendarId: String!, $singleEvents: Boolean, $showDeleted: Boolean, $timeMin: DateTime, $timeMax: DateTime, $syncToken: String) {
  result: events(calendarId: $calendarId, singleEvents: $singleEvents, showDeleted: $showDeleted, timeMin: $timeMin, timeMax: $timeMax, syncToken: $syncToken, first: 2500) {
    nodes { id summary status start { date dateTime } } nextSyncToken } }`;

/** What becomes of events when calendars come, go and change. */
describe.each(stores)('what calendars mean for events, over $name', ({ useGateway }) => {
  let notices: GuestNotice[];
  const gateway = useGateway(() => {
    notices = [];
    return {
      clock: () => Date.UTC(2026, 10, 1),
      notifier: { notify: (notice) => void notices.push(notice) },
    };
  });
  const of = calendarsOf(gateway);
  const events = async (calendarId: string, variables: object = {}, as = calendarId): Promise<Shown[]> =>
    (await gateway.run(list, { calendarId, ...variables }, as)).event.nodes;
  const summaries = async (...args: Parameters<typeof events>): Promise<string[]> =>
    (await events(...args)).map(({ summary }) => summary).sort();

  test('events that invited an address come to its calendar, with all that they are', async () => {
    const guests = { attendees: [{ email: 'Dora@example.com', displayName: 'Dora' }, { email: eve }] };
    const single = await gateway.make({ summary: 'Single', ...guests });
    await gateway.make({ summary: 'Not hers', attendees: [{ email: eve }] });
    const series = await gateway.make({
      ...zoned,
      summary: 'Series',
      ...guests,
      recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    });
    await gateway.change(`${series.id}_20261202T090000Z`, { summary: 'Changed' });
    await gateway.change(`${series.id}_20261203T090000Z`, { attendees: [{ email: eve }] });
    await gateway.change(`${series.id}_20261204T090000Z`, {
      summary: 'Extended',
      attendees: [...guests.attendees, { email: bob }],
    });
    const other = await gateway.make({
      ...zoned,
      summary: 'Other',
      recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    });
    await gateway.change(`${other.id}_20261202T090000Z`, { summary: 'Once', ...guests });
    await of.list(dora);
    await eventually(async () =>
      expect(await summaries(dora, { singleEvents: true })).toEqual([
        'Changed',
        'Extended',
        'Once',
        'Series',
        'Single',
      ]),
    );
    expect((await gateway.on(alice, single.id)).etag).toBe(single.etag);
    await gateway.change(
      single.id,
      { attendees: [{ email: dora, responseStatus: 'accepted' }], attendeesOmitted: true },
      { as: dora },
    );
    expect(entryOf(await gateway.on(alice, single.id), 'Dora@example.com')).toMatchObject({
      responseStatus: 'accepted',
      displayName: 'Dora',
    });
    expect(notices).toEqual([]);
  });

  test('many invitations come in turns', async () => {
    for (const index of many(230, (one) => one))
      await gateway.make({ summary: `${index}`, attendees: [{ email: dora }] });
    await of.list(dora);
    await eventually(async () => expect(await events(dora)).toHaveLength(230));
  });

  test('the events of a deleted calendar are cancelled for their guests, and those not over yet are told', async () => {
    const id = await of.make();
    const at = (year: number) => ({
      start: { dateTime: `${year}-12-01T10:00:00Z` },
      end: { dateTime: `${year}-12-01T11:00:00Z` },
    });
    const on = { calendarId: id };
    const guests = { attendees: [{ email: bob }, { email: eve }] };
    await gateway.make({ ...at(2026), summary: 'Coming', ...guests }, on);
    await gateway.make({ ...at(2020), summary: 'Over', ...guests }, on);
    await gateway.make(
      { ...zoned, summary: 'Series', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], attendees: [{ email: bob }] },
      on,
    );
    await gateway.make({ ...at(2026), summary: 'Alone' }, on);
    await gateway.make({ ...at(2026), summary: 'Outside', attendees: [{ email: eve }] }, on);
    await gateway.make({ summary: 'Elsewhere', attendees: [{ email: bob }] });
    const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: bob }, bob)).event;
    await of.remove(id, { sendUpdates: 'all' });
    await eventually(async () => expect(await summaries(bob)).toEqual(['Elsewhere']));
    expect((await events(bob, { syncToken })).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(notices.map(({ method, guests: told }) => [method, [...told].sort()]).sort()).toEqual([
      ['CANCEL', [bob]],
      ['CANCEL', [bob, eve]],
      ['CANCEL', [eve]],
    ]);
  });

  test('a deletion of many events goes on in the background, also where nobody is told', async () => {
    const id = await of.make();
    for (const index of many(130, (one) => one))
      await gateway.make({ summary: `${index}`, attendees: [{ email: bob }] }, { calendarId: id });
    await of.remove(id);
    await eventually(async () => expect(await events(bob)).toEqual([]));
    expect(await events(bob, { showDeleted: true })).toHaveLength(130);
    expect(notices).toEqual([]);
  });

  test('with another role a sync token expires, which lists anew what the role shows', async () => {
    await gateway.make({ summary: 'Plan' });
    await of.share(alice, eve, 'freeBusyReader');
    const synced = async (syncToken?: string) => gateway.run(list, { calendarId: alice, syncToken }, eve);
    const { nodes, nextSyncToken } = (await synced()).event;
    expect(nodes).toMatchObject([{ summary: null }]);
    await of.share(alice, eve, 'reader');
    expect((await synced(nextSyncToken)).problems).toEqual(['BAD_USER_INPUT syncToken invalid']);
    const later = (await synced()).event;
    expect(later.nodes).toMatchObject([{ summary: 'Plan' }]);
    await of.share(alice, eve, 'none');
    expect((await synced(later.nextSyncToken)).problems).toEqual(['NOT_FOUND calendarId notFound']);
    await of.share(alice, eve, 'reader');
    expect((await synced(later.nextSyncToken)).event.nodes).toEqual([]);
  });

  test('another time zone moves days at once, in lists too; sync tokens stay good', async () => {
    const id = await of.make({ timeZone: 'UTC' });
    const on = { calendarId: id };
    await gateway.make({ ...day, summary: 'Day' }, on);
    await gateway.make({ ...hour, summary: 'Hour' }, on);
    await gateway.make({ ...day, summary: 'Days', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] }, on);
    const moved = await gateway.make(
      { ...day, summary: 'Series', recurrence: ['RRULE:FREQ=MONTHLY;COUNT=3'] },
      on,
    );
    await gateway.change(`${moved.id}_20261201`, { summary: 'Changed' }, on);
    const { nextSyncToken: syncToken } = (await gateway.run(list, { calendarId: id })).event;
    // The first of December begins ten hours earlier on Kiritimati than in Berlin or so.
    const evening = { timeMin: '2026-11-30T11:00:00Z', timeMax: '2026-11-30T12:00:00Z' };
    expect(await summaries(id, evening, alice)).toEqual([]);
    const { event } = await of.patch(id, { timeZone: 'Pacific/Kiritimati' });
    expect(event.timeZone).toBe('Pacific/Kiritimati');
    expect(await summaries(id, evening, alice)).toEqual(['Changed', 'Day', 'Days', 'Series']);
    expect(await summaries(id, { ...evening, singleEvents: true }, alice)).toEqual([
      'Changed',
      'Day',
      'Days',
    ]);
    expect(
      await summaries(id, { timeMin: '2026-12-01T10:30:00Z', timeMax: '2026-12-01T12:00:00Z' }, alice),
    ).toEqual([]);
    expect(
      await summaries(
        id,
        { timeMin: '2026-12-01T09:00:00Z', timeMax: '2026-12-01T09:30:00Z', singleEvents: true },
        alice,
      ),
    ).toEqual(['Changed', 'Day', 'Days', 'Hour']);
    expect(await events(id, { syncToken }, alice)).toEqual([]);
  });
});
