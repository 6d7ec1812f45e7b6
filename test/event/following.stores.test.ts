import type { GuestNotice } from '../../src/core/runtime/notifier.ts';
import {
  alice,
  bob,
  carol,
  entryOf,
  eve,
  many,
  popup,
  wanda,
  withoutNulls,
  type Controls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';
import { at, divisionsOn, documents, originals, weekly } from './following.harness.ts';
import { stores } from '../stores.ts';

describe.each(stores)('a series that is changed from an instance on, over $name', ({ useGateways }) => {
  const start = useGateways();

  let gateway: EventGateway;
  let notices: GuestNotice[];
  beforeEach(async () => {
    notices = [];
    gateway = await start({ notifier: { notify: (notice) => void notices.push(notice) } });
  });

  const { run, split, clean, instances, starts, series, nth } = divisionsOn(() => gateway);

  test('is none to be divided at what is no instance, by guests, where it is cancelled, or with a body that is wrong', async () => {
    const made = await series({ guestsCanModify: true });
    expect((await split(made.id)).problems).toEqual(['BAD_USER_INPUT eventId invalid']);
    expect((await split(`${made.id}_20261013T070000Z`)).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await split('nothing')).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await split(nth(made, 2), {}, { as: bob })).problems).toEqual([
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    expect((await run(documents.delete, { as: bob, eventId: nth(made, 2) })).problems).toEqual([
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    expect((await split(nth(made, 2), {}, { as: wanda, calendarId: bob })).problems).toEqual([
      'FORBIDDEN eventId forbiddenForNonOrganizer',
    ]);
    expect(
      (
        await split(
          nth(made, 2),
          { status: 'cancelled', colorId: '99', id: 'another0id' },
          { maxAttendees: 0, requestId: '' },
        )
      ).problems.toSorted(),
    ).toEqual([
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT event.id immutable',
      'BAD_USER_INPUT event.status invalid',
      'BAD_USER_INPUT maxAttendees invalid',
      'BAD_USER_INPUT requestId invalid',
    ]);
    expect((await split(nth(made, 2), {}, { ifMatch: '"old"' })).problems).toEqual([
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    ]);
    expect((await split(nth(made, 2), { recurrence: ['RRULE:FREQ=OFTEN'] })).problems).toEqual([
      'BAD_USER_INPUT event.recurrence.0 invalid',
    ]);
    await gateway.change(nth(made, 4), { status: 'cancelled' });
    expect((await split(nth(made, 4))).problems).toEqual(['FORBIDDEN event.status forbidden']);
    expect(await starts(made.id)).toEqual(originals.filter((original) => original !== originals[4]));
    await gateway.change(made.id, { status: 'cancelled' });
    expect((await split(nth(made, 2), { summary: 'x' })).problems).toEqual([
      'FORBIDDEN event.status forbidden',
    ]);
    expect((await split(nth(made, 0))).problems).toEqual(['FORBIDDEN event.status forbidden']);
  });

  test('is not divided where its rules count from different starts', async () => {
    const made = await series({
      recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=2', 'RRULE:FREQ=DAILY;INTERVAL=3'],
    });
    const [, , , , fifth] = await instances(made.id);
    expect((await split(fifth.id)).problems).toEqual(['BAD_USER_INPUT eventId invalid']);
    const ended = await clean(run(documents.delete, { eventId: fifth.id }));
    expect((await instances(ended.id)).length).toBe(4);
  });

  test('goes on as another one that has all of it that the patch leaves alone', async () => {
    const made = await series();
    await gateway.change(
      made.id,
      {
        attendeesOmitted: true,
        attendees: [{ email: bob, responseStatus: 'tentative', comment: 'Perhaps' }],
      },
      { as: bob },
    );
    await gateway.change(made.id, { reminders: { useDefault: false, overrides: [popup(5)] } }, { as: bob });
    await gateway.change(made.id, { colorId: '7' }, { as: bob });
    const instance = await gateway.on(alice, nth(made, 2));
    const { before, following } = await clean(
      split(nth(made, 2), { location: 'Room 9' }, { ifMatch: instance.etag }),
    );
    expect(before).toMatchObject({
      id: made.id,
      iCalUID: made.iCalUID,
      sequence: 4,
      location: 'Room 3',
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
    });
    expect(following).toMatchObject({
      location: 'Room 9',
      summary: 'Planning',
      sequence: 0,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
      start: at('2026-10-26T09:00:00+01:00'),
      end: at('2026-10-26T10:00:00+01:00'),
      extendedProperties: weekly.extendedProperties,
      organizer: made.organizer,
      creator: made.creator,
      recurringEventId: null,
      originalStartTime: null,
    });
    expect(following.id).not.toBe(made.id);
    expect(following.iCalUID).not.toBe(made.iCalUID);
    expect(Date.parse(following.created)).toBeGreaterThanOrEqual(Date.parse(made.created));
    expect(entryOf(following, bob)).toMatchObject({ responseStatus: 'tentative', comment: 'Perhaps' });
    for (const as of [alice, bob]) {
      expect(await starts(made.id, as)).toEqual(originals.slice(0, 2));
      expect(await starts(following.id, as)).toEqual(originals.slice(2));
      expect(await gateway.on(as, following.id)).toMatchObject({ location: 'Room 9' });
    }
    expect(await gateway.on(bob, following.id)).toMatchObject({
      colorId: '7',
      reminders: { useDefault: false, overrides: [popup(5)] },
    });
    expect((await gateway.on(alice, following.id)).colorId).toBeNull();
    expect((await gateway.read(nth(made, 2))).problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('ends with a time in UTC, of days with the day before, and takes its dates to their sides', async () => {
    const timed = await series({
      recurrence: [
        'RRULE:FREQ=WEEKLY',
        'EXDATE:20261019T070000Z,20261102T080000Z',
        'RDATE;TZID=America/New_York:20261015T120000,20261105T120000',
      ],
    });
    const { before, following } = await clean(split(nth(timed, 2)));
    expect(before.recurrence).toEqual([
      'RRULE:FREQ=WEEKLY;UNTIL=20261026T075959Z',
      'EXDATE:20261019T070000Z',
      'RDATE;TZID=America/New_York:20261015T120000',
    ]);
    expect(following.recurrence).toEqual([
      'RRULE:FREQ=WEEKLY',
      'EXDATE:20261102T080000Z',
      'RDATE;TZID=America/New_York:20261105T120000',
    ]);
    const days = await gateway.make({
      start: { date: '2026-10-12' },
      end: { date: '2026-10-13' },
      recurrence: ['RRULE:FREQ=DAILY;UNTIL=20261020'],
    });
    const parts = await clean(split(`${days.id}_20261015`, { summary: 'Days' }));
    expect([parts.before.recurrence, parts.following.recurrence]).toEqual([
      ['RRULE:FREQ=DAILY;UNTIL=20261014'],
      ['RRULE:FREQ=DAILY;UNTIL=20261020'],
    ]);
    expect([parts.following.start.date, parts.following.end.date, await starts(parts.following.id)]).toEqual([
      '2026-10-15',
      '2026-10-16',
      ['20261015', '20261016', '20261017', '20261018', '20261019', '20261020'],
    ]);
  });

  test('begins when the patch says, by the rule that the patch says, or is one event', async () => {
    const made = await series();
    const moved = await clean(
      split(nth(made, 3), {
        start: at('2026-11-03T14:00:00+01:00'),
        end: at('2026-11-03T14:30:00+01:00'),
        recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'],
      }),
    );
    expect(moved.following).toMatchObject({
      sequence: 0,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'],
    });
    expect(await starts(moved.following.id)).toEqual(['20261103T130000Z', '20261110T130000Z']);
    const single = await clean(split(nth(made, 1), { recurrence: null }));
    expect(single.following).toMatchObject({ recurrence: null, start: at('2026-10-19T09:00:00+02:00') });
    expect(await starts(made.id)).toEqual(originals.slice(0, 1));
  });

  test('takes the instance as it was read, changed or not', async () => {
    const made = await series();
    await gateway.change(nth(made, 2), {
      summary: 'Longer',
      start: at('2026-10-26T11:00:00+01:00'),
      end: at('2026-10-26T13:00:00+01:00'),
    });
    const instance = await gateway.on(alice, nth(made, 2));
    const { following } = await clean(split(nth(made, 2), { ...instance, location: 'Room 8' }));
    expect(following).toMatchObject({
      summary: 'Planning',
      location: 'Room 8',
      start: at('2026-10-26T09:00:00+01:00'),
    });
    expect(await gateway.on(alice, nth(following, 2))).toMatchObject({
      summary: 'Longer',
      location: 'Room 8',
      start: at('2026-10-26T11:00:00+01:00'),
    });
    const next = await gateway.on(alice, nth(following, 3));
    const again = await clean(
      split(nth(following, 3), { ...(withoutNulls(next) as object), summary: 'Other' }),
    );
    expect((await instances(again.following.id)).map(({ summary }) => summary)).toEqual([
      'Other',
      'Other',
      'Other',
    ]);
    // What the patch changes holds for the instance itself, whatever was changed of it before.
    const { following: third } = again;
    await gateway.change(nth(third, 4), { summary: 'Own', location: 'Own' });
    const fourth = await clean(split(nth(third, 4), { summary: 'All' }));
    expect(
      (await instances(fourth.following.id)).map(({ summary, location }) => [summary, location]),
    ).toEqual([
      ['All', 'Own'],
      ['All', 'Room 8'],
    ]);
  });

  test('is patched itself from its first instance on', async () => {
    const made = await series();
    const first = await gateway.on(alice, nth(made, 0));
    const { before, following } = await clean(split(nth(made, 0), { ...first, summary: 'Renamed' }));
    expect([before, following.id, following.summary, following.iCalUID]).toEqual([
      null,
      made.id,
      'Renamed',
      made.iCalUID,
    ]);
    expect(await starts(made.id)).toEqual(originals);
    const excluded = await series({ recurrence: ['RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20261012T070000Z'] });
    const again = await clean(split(nth(excluded, 1), { summary: 'Renamed' }));
    expect([again.before, again.following.id, again.following.summary]).toEqual([
      null,
      excluded.id,
      'Renamed',
    ]);
  });

  test('takes the instances that were changed by themselves to their parts', async () => {
    const made = await series();
    await gateway.change(nth(made, 1), { summary: 'Second' });
    await gateway.change(nth(made, 3), { summary: 'Fourth', colorId: '3' });
    await gateway.change(nth(made, 4), { status: 'cancelled' });
    await gateway.change(
      nth(made, 3),
      { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'declined' }] },
      { as: bob },
    );
    await gateway.change(nth(made, 5), { attendees: [...weekly.attendees, { email: carol }] });
    const tokens = await Promise.all(
      [alice, bob, carol].map(async (as) => (await clean(run(documents.list, { as }))).nextSyncToken),
    );
    const { following } = await clean(split(nth(made, 2), { location: 'Room 9' }));
    for (const as of [alice, bob]) {
      expect((await instances(made.id, as)).map(({ summary }) => summary)).toEqual(['Planning', 'Second']);
      expect(
        (await instances(following.id, as)).map(({ id, summary, location }) => [id, summary, location]),
      ).toEqual([
        [nth(following, 2), 'Planning', 'Room 9'],
        [nth(following, 3), 'Fourth', 'Room 9'],
        [nth(following, 5), 'Planning', 'Room 9'],
      ]);
      for (const index of [3, 4, 5])
        expect((await gateway.read(nth(made, index), { as })).problems).toEqual([
          'NOT_FOUND eventId notFound',
        ]);
    }
    expect((await gateway.on(alice, nth(following, 4))).status).toBe('cancelled');
    expect(entryOf(await gateway.on(alice, nth(following, 3)), bob)).toMatchObject({
      responseStatus: 'declined',
    });
    expect(await gateway.on(carol, nth(following, 5))).toMatchObject({
      summary: 'Planning',
      location: 'Room 9',
      recurringEventId: following.id,
    });
    const changed = await Promise.all(
      [alice, bob, carol].map(async (as, index) =>
        (await clean(run(documents.list, { as, syncToken: tokens[index] }))).nodes
          .map(({ id, status }: Shown) => `${id} ${status}`)
          .sort(),
      ),
    );
    const gone = [3, 4, 5].map((index) => `${nth(made, index)} cancelled`);
    const there = [
      `${following.id} confirmed`,
      `${made.id} confirmed`,
      `${nth(following, 3)} confirmed`,
      `${nth(following, 4)} cancelled`,
      `${nth(following, 5)} confirmed`,
      `${nth(made, 1)} confirmed`,
      ...gone,
    ].sort();
    expect(changed[0]).toEqual(there);
    expect(changed[1]).toEqual(there);
    expect(changed[2]).toEqual([`${nth(made, 5)} cancelled`, `${nth(following, 5)} confirmed`].sort());
    const later = await clean(
      split(nth(following, 4).replace(originals[4], originals[3]), {
        start: at('2026-11-02T10:00:00+01:00'),
        end: at('2026-11-02T11:00:00+01:00'),
      }),
    );
    expect((await instances(later.following.id)).map(({ summary }) => summary)).toEqual([
      'Planning',
      'Planning',
      'Planning',
    ]);
    expect((await gateway.read(nth(following, 5), { as: carol })).problems).toEqual([
      'NOT_FOUND eventId notFound',
    ]);
  });

  test('has the end that the patch says, also where its rule has to be counted from before the instance', async () => {
    const made = await series({
      recurrence: [
        'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=4',
        'RDATE;TZID=Europe/Berlin:20261021T090000',
      ],
    });
    const { following } = await clean(
      split(`${made.id}_20261021T070000Z`, { sequence: 9, end: { dateTime: '2026-10-21T11:30:00' } }),
    );
    expect(following.sequence).toBe(9);
    expect(
      (await instances(following.id)).map(({ start: { dateTime: from }, end: { dateTime: to } }) => [
        from,
        to,
      ]),
    ).toEqual([
      ['2026-10-21T09:00:00+02:00', '2026-10-21T11:30:00+02:00'],
      ['2026-10-26T09:00:00+01:00', '2026-10-26T11:30:00+01:00'],
      ['2026-11-09T09:00:00+01:00', '2026-11-09T11:30:00+01:00'],
      ['2026-11-23T09:00:00+01:00', '2026-11-23T11:30:00+01:00'],
    ]);
  });

  test('takes along an instance that was changed by itself and is to be as its series again', async () => {
    const made = await series();
    await gateway.change(nth(made, 2), {
      summary: 'Own',
      location: 'Own',
      start: at('2026-10-26T15:00:00+01:00'),
      end: at('2026-10-26T16:00:00+01:00'),
    });
    const { following } = await clean(
      split(nth(made, 2), {
        summary: weekly.summary,
        start: { dateTime: '2026-10-26T09:00:00' },
        end: { dateTime: '2026-10-26T10:00:00' },
      }),
    );
    const [first, second] = await instances(following.id);
    expect(first).toMatchObject({
      summary: weekly.summary,
      location: 'Own',
      start: { dateTime: '2026-10-26T09:00:00+01:00' },
    });
    expect(second).toMatchObject({
      summary: weekly.summary,
      location: weekly.location,
      start: { dateTime: '2026-11-02T09:00:00+01:00' },
    });
  });

  test('stays off the calendar of who took it off, and of who is no guest any more; new guests come to the second part', async () => {
    const made = await series();
    await gateway.change(made.id, { status: 'cancelled' }, { as: bob });
    const { following } = await clean(split(nth(made, 2), { summary: 'Other' }));
    expect(entryOf(following, bob).responseStatus).toBe('declined');
    expect((await clean(run(documents.list, { as: bob }))).nodes).toEqual([]);
    expect((await gateway.on(bob, following.id)).status).toBe('cancelled');
    const third = await clean(split(nth(following, 4), { attendees: [{ email: alice }, { email: carol }] }));
    expect((await gateway.read(third.following.id, { as: bob })).problems).toEqual([
      'NOT_FOUND eventId notFound',
    ]);
    expect(await gateway.on(carol, third.following.id)).toMatchObject({
      summary: 'Other',
      status: 'confirmed',
    });
    expect((await gateway.read(made.id, { as: carol })).problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  test('has guests added and removed from there on', async () => {
    const made = await series();
    await gateway.change(
      made.id,
      { attendeesOmitted: true, attendees: [{ email: bob, responseStatus: 'accepted' }] },
      { as: bob },
    );
    const instance = await gateway.on(alice, nth(made, 2));
    const attendeeChanges = { add: [{ email: carol }], remove: [eve] };
    expect((await split(nth(made, 2), instance, { attendeeChanges })).problems).toEqual([
      'BAD_USER_INPUT attendeeChanges invalid',
    ]);
    const { before, following } = await clean(split(nth(made, 2), {}, { attendeeChanges }));
    expect(before.attendees.map(({ email, responseStatus }: Shown) => [email, responseStatus])).toEqual([
      [alice, 'accepted'],
      [bob, 'accepted'],
      [eve, 'needsAction'],
    ]);
    expect(following.attendees.map(({ email, responseStatus }: Shown) => [email, responseStatus])).toEqual([
      [alice, 'accepted'],
      [bob, 'accepted'],
      [carol, 'needsAction'],
    ]);
  });

  test('tells each guest once: of the end of the one, and of the other', async () => {
    const made = await series();
    const outcome = await split(
      nth(made, 2),
      { attendees: [{ email: alice }, { email: bob }, { email: carol }] },
      { sendUpdates: 'all' },
    );
    expect([outcome.problems, outcome.told]).toEqual([[], 3]);
    expect(
      notices.map(({ eventId, method, change, guests }) => [eventId, method, change, [...guests].sort()]),
    ).toEqual([
      [made.id, 'REQUEST', 'updated', [bob, eve]],
      [outcome.event.following.id, 'REQUEST', 'created', [bob, carol]],
    ]);
  });

  test('is divided once by the same request, and answers it again', async () => {
    const made = await series();
    const [first, ...others] = await Promise.all(
      many(4, () => split(nth(made, 2), { summary: 'Other' }, { requestId: 'once', sendUpdates: 'all' })),
    );
    for (const other of others) expect(other.event).toEqual(first?.event);
    expect(notices.length).toBe(2);
    expect((await split(nth(made, 2), { summary: 'Another' }, { requestId: 'once' })).problems).toEqual([
      'CONFLICT requestId requestIdReused',
    ]);
    expect((await clean(run(documents.list, {}))).nodes.length).toBe(2);
  });

  test('is shown as it would be, and stays as it is', async () => {
    const made = await series();
    const { before, following } = await clean(
      split(nth(made, 2), { summary: 'Other' }, { validateOnly: true, sendUpdates: 'all' }),
    );
    expect([before.recurrence, following.summary, notices]).toEqual([
      ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
      'Other',
      [],
    ]);
    expect((await gateway.read(following.id)).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect(await gateway.on(alice, made.id)).toEqual(made);
  });

  test('is what it was, in two parts, once, when twenty divide it at once', async () => {
    const made = await series();
    const outcomes = await Promise.all(
      many(20, (index) => split(nth(made, 3), { location: `Room ${index}` })),
    );
    const done = outcomes.filter(({ problems }) => problems.length === 0);
    expect(outcomes.flatMap(({ problems }) => problems)).toEqual(
      many(19, () => 'NOT_FOUND eventId notFound'),
    );
    const { nodes } = await clean(run(documents.list, { singleEvents: true }));
    expect(nodes.map(({ start: { dateTime } }: Shown) => Date.parse(dateTime)).sort()).toEqual(
      (await instances(made.id))
        .concat(await instances(done[0]?.event.following.id))
        .map(({ start: { dateTime } }) => Date.parse(dateTime))
        .sort(),
    );
    expect([await starts(made.id), await starts(done[0]?.event.following.id)]).toEqual([
      originals.slice(0, 3),
      originals.slice(3),
    ]);
  });

  test('ends before an instance, and with it what was changed behind', async () => {
    const made = await series();
    await gateway.change(nth(made, 1), { summary: 'Second' });
    await gateway.change(nth(made, 4), { summary: 'Fifth' });
    const drop = (eventId: string, more: Controls = {}) => run(documents.delete, { eventId, ...more });
    expect((await drop(made.id)).problems).toEqual(['BAD_USER_INPUT eventId invalid']);
    expect((await drop(nth(made, 2), { ifMatch: '"old"' })).problems).toEqual([
      'PRECONDITION_FAILED ifMatch conditionNotMet',
    ]);
    const outcome = await drop(nth(made, 2), { sendUpdates: 'all' });
    expect([outcome.problems, outcome.told, outcome.event.id, outcome.event.recurrence]).toEqual([
      [],
      2,
      made.id,
      ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'],
    ]);
    for (const as of [alice, bob])
      expect((await instances(made.id, as)).map(({ summary }) => summary)).toEqual(['Planning', 'Second']);
    expect((await drop(nth(made, 2))).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await gateway.read(nth(made, 4))).problems).toEqual(['NOT_FOUND eventId notFound']);
    expect((await clean(drop(nth(made, 0)))).status).toBe('cancelled');
    const cancelled = await gateway.on(alice, made.id);
    expect(await clean(drop(nth(made, 1)))).toEqual(cancelled);
  });
});
