import {
  alice,
  berlin,
  bob,
  carol,
  fritz,
  many,
  people,
  rita,
  room,
  sten,
  wanda,
  zoned,
  type EventGateway,
} from './event.harness.ts';
import { busyOf, periodsOf, query, shortly, type Asked } from './free-busy.harness.ts';
import { stores } from '../stores.ts';

const on = (day: number, from: string, to: string): object => ({
  start: { dateTime: `2026-12-0${day}T${from}:00Z` },
  end: { dateTime: `2026-12-0${day}T${to}:00Z` },
});
const days = (from: string, to: string): object => ({ start: { date: from }, end: { date: to } });
/** Ten to eleven in Berlin on the first four days of December. */
const daily = { ...zoned, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const nth = (id: string, day: number): string => `${id}_2026120${day}T090000Z`;
const utc = (day: number, from = '09:00', to = '10:00'): string =>
  `2026-12-0${day}T${from}:00Z 2026-12-0${day}T${to}:00Z`;
const declined = { attendees: [{ email: bob, responseStatus: 'declined' }], attendeesOmitted: true };

type Made = (gateway: EventGateway) => Promise<unknown>;
const made =
  (...bodies: readonly object[]): Made =>
  async (gateway) => {
    for (const body of bodies) await gateway.make(body);
  };
/** A series of Alice and Bob, and what becomes of it. */
const series =
  (change: (gateway: EventGateway, id: string) => Promise<unknown>, body: object = {}): Made =>
  async (gateway) => {
    const { id } = await gateway.make({ ...daily, attendees: [{ email: bob }], ...body });
    await change(gateway, id);
  };
const ofBob = { as: bob, calendarIds: [bob] };
const invited =
  (answer: string): Made =>
  async (gateway) => {
    const { id } = await gateway.make({ ...on(1, '09:00', '10:00'), attendees: [{ email: bob }] });
    await gateway.change(
      id,
      { attendees: [{ email: bob, responseStatus: answer }], attendeesOmitted: true },
      { as: bob },
    );
  };

type Case = readonly [what: string, make: Made, busy: readonly string[], asked?: Asked];
const rows: readonly Case[] = [
  ['nothing', made(), []],
  ['an event', made(on(1, '09:00', '10:00')), [utc(1)]],
  ['a transparent event', made({ ...on(1, '09:00', '10:00'), transparency: 'transparent' }), []],
  ['a tentative event', made({ ...on(1, '09:00', '10:00'), status: 'tentative' }), [utc(1)]],
  [
    'a cancelled event',
    async (gateway) =>
      gateway.change((await gateway.make(on(1, '09:00', '10:00'))).id, { status: 'cancelled' }),
    [],
  ],
  ['a private event', made({ ...on(1, '09:00', '10:00'), visibility: 'private' }), [utc(1)], { as: fritz }],
  [
    'events that overlap, lie within each other and touch',
    made(
      on(1, '11:00', '12:00'),
      on(1, '09:00', '10:30'),
      on(1, '10:00', '11:00'),
      on(1, '09:15', '09:30'),
      on(2, '09:00', '10:00'),
    ),
    [utc(1, '09:00', '12:00'), utc(2)],
  ],
  [
    'events in any order',
    made(on(3, '09:00', '10:00'), on(1, '09:00', '10:00'), on(2, '09:00', '10:00')),
    [utc(1), utc(2), utc(3)],
  ],
  [
    'what lies across the ends of the range, or outside',
    made(on(1, '08:00', '10:00'), on(1, '11:00', '13:00'), on(1, '07:00', '09:00'), on(1, '12:00', '14:00')),
    [utc(1, '09:00', '10:00'), utc(1, '11:00', '12:00')],
    { timeMin: '2026-12-01T10:00:00+01:00', timeMax: '2026-12-01T12:00:00Z' },
  ],
  [
    'an all-day event, in the zone of the calendar',
    made(days('2026-12-02', '2026-12-04')),
    ['2026-12-01T23:00:00Z 2026-12-03T23:00:00Z'],
  ],
  [
    'a series of days across a change of clocks',
    made({ ...days('2026-10-24', '2026-10-25'), recurrence: ['RRULE:FREQ=DAILY;COUNT=4;INTERVAL=2'] }),
    [
      '2026-10-24T00:00:00+02:00 2026-10-25T00:00:00+02:00',
      '2026-10-26T00:00:00+01:00 2026-10-27T00:00:00+01:00',
      '2026-10-28T00:00:00+01:00 2026-10-28T12:00:00+01:00',
    ],
    { timeMin: '2026-10-01T00:00:00Z', timeMax: '2026-10-28T11:00:00Z', timeZone: berlin },
  ],
  [
    'the offsets of a zone',
    made({ start: { dateTime: '2026-10-25T00:30:00Z' }, end: { dateTime: '2026-10-25T01:30:00.250Z' } }),
    ['2026-10-25T02:30:00+02:00 2026-10-25T02:30:00.250+01:00'],
    { timeMin: '2026-10-01T00:00:00Z', timeMax: '2026-11-01T00:00:00Z', timeZone: berlin },
  ],
  ['a series', series(async () => undefined), [1, 2, 3, 4].map((day) => utc(day))],
  ['a series that is cancelled', series((gateway, id) => gateway.change(id, { status: 'cancelled' })), []],
  [
    'an instance that is moved out of the range',
    series((gateway, id) => gateway.change(nth(id, 2), on(9, '09:00', '10:00'))),
    [utc(1)],
    { timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an instance that is moved into the range',
    series((gateway, id) => gateway.change(nth(id, 4), on(2, '15:00', '16:00'))),
    [utc(2), utc(2, '15:00', '16:00')],
    { timeMin: '2026-12-02T00:00:00Z', timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an instance that is cancelled',
    series((gateway, id) => gateway.change(nth(id, 2), { status: 'cancelled' })),
    [utc(1), utc(3), utc(4)],
  ],
  [
    'an instance that is transparent',
    series((gateway, id) => gateway.change(nth(id, 2), { transparency: 'transparent' })),
    [utc(1), utc(3), utc(4)],
  ],
  [
    'an opaque instance of a transparent series',
    series((gateway, id) => gateway.change(nth(id, 2), { transparency: 'opaque' }), {
      transparency: 'transparent',
    }),
    [utc(2)],
  ],
  [
    'an instance that was taken out of the rules',
    series((gateway, id) =>
      gateway.change(id, { recurrence: [...daily.recurrence, 'EXDATE:20261203T090000Z'] }),
    ),
    [utc(1), utc(2), utc(4)],
  ],
  [
    'a guest who did not answer',
    made({ ...on(1, '09:00', '10:00'), attendees: [{ email: bob }] }),
    [utc(1)],
    ofBob,
  ],
  ['a guest who may come', invited('tentative'), [utc(1)], ofBob],
  ['a guest who declined', invited('declined'), [], ofBob],
  ['the organizer of what a guest declined', invited('declined'), [utc(1)]],
  [
    'an organizer who declined',
    made({
      ...on(1, '09:00', '10:00'),
      attendees: [{ email: 'ALICE@Example.com', responseStatus: 'declined' }, { email: bob }],
    }),
    [],
  ],
  [
    'a guest whose copy is transparent',
    series((gateway, id) => gateway.change(id, { transparency: 'transparent' }, { as: bob })),
    [],
    ofBob,
  ],
  [
    'a guest who took the series off',
    series((gateway, id) => gateway.change(id, { status: 'cancelled' }, { as: bob })),
    [],
    ofBob,
  ],
  [
    'a guest who was taken off the list',
    series((gateway, id) => gateway.change(id, { attendees: [{ email: carol }] })),
    [],
    ofBob,
  ],
  [
    'a guest who declined one instance',
    series((gateway, id) => gateway.change(nth(id, 2), declined, { as: bob })),
    [utc(1), utc(3), utc(4)],
    ofBob,
  ],
  [
    'a guest who accepted one instance of a series that was declined',
    series(async (gateway, id) => {
      await gateway.change(id, declined, { as: bob });
      await gateway.change(
        nth(id, 3),
        { attendees: [{ email: bob, responseStatus: 'accepted' }], attendeesOmitted: true },
        { as: bob },
      );
    }),
    [utc(3)],
    ofBob,
  ],
  [
    'a guest of all instances but one',
    series((gateway, id) => gateway.change(nth(id, 2), { attendees: [{ email: carol }] })),
    [utc(1), utc(3), utc(4)],
    ofBob,
  ],
  [
    'a guest of one instance alone',
    series((gateway, id) =>
      gateway.change(nth(id, 2), {
        attendees: [{ email: bob }, { email: carol }],
        ...on(5, '09:00', '10:00'),
      }),
    ),
    [utc(5)],
    { as: carol, calendarIds: [carol] },
  ],
  [
    'an answer to one instance, whoever asks, though guests are hidden',
    series(
      (gateway, id) =>
        gateway.change(nth(id, 2), {
          attendees: [{ email: alice, responseStatus: 'declined' }],
          attendeesOmitted: true,
        }),
      { guestsCanSeeOtherGuests: false, attendees: [{ email: alice }, { email: rita }] },
    ),
    [utc(1), utc(3), utc(4)],
    { as: rita },
  ],
];

/** Each with as many entries as its test takes: one more would be a callback. */
const cases = rows.map(([what, make, busy, asked = {}]) => [what, make, busy, asked] as const);

describe.each(stores)('free and busy times, over $name', ({ useGateways }) => {
  const start = useGateways();

  test.each(cases)('tells of %s', async (_what, make, busy, asked) => {
    const gateway = await start();
    await make(gateway);
    expect(await periodsOf(gateway, asked)).toEqual(busy);
  });

  test('answers each calendar as it was named, in that order, with an error where it may not be seen', async () => {
    const [of, ...others] = people(
      [{ id: 'hour1', ...on(1, '09:00', '10:00') }],
      [{ id: 'hour2', ...on(2, '09:00', '10:00') }],
    );
    const closed = {
      id: 'closed@example.com',
      owner: room,
      timeZone: 'UTC',
      events: [{ id: 'hour3', ...on(3, '09:00', '10:00') }],
      acl: [{ email: fritz, role: 'none' }],
    };
    const gateway = await start({ seed: { calendars: [of, ...others, closed] } });
    const calendarIds = [bob, 'primary', closed.id, 'unknown', alice, bob];
    const answer = await busyOf(gateway, { as: bob, calendarIds });
    expect(answer.map(({ calendarId }) => calendarId)).toEqual(calendarIds);
    const missing = ['NOT_FOUND notFound'];
    expect(answer.map(shortly)).toEqual([[utc(2)], [utc(2)], missing, missing, missing, [utc(2)]]);
    expect(answer[2]?.error).toEqual({
      code: 'NOT_FOUND',
      reason: 'notFound',
      message: 'There is no such calendar.',
    });
    expect(answer[3]?.error).toEqual(answer[2]?.error);
    for (const as of [fritz, rita, wanda])
      expect((await busyOf(gateway, { as, calendarIds })).map(shortly)).toEqual([
        [utc(2)],
        [],
        missing,
        missing,
        [utc(1)],
        [utc(2)],
      ]);
    expect((await busyOf(gateway, { as: sten, calendarIds: [alice] })).map(shortly)).toEqual([missing]);
  });

  test('has at most 2500 periods for a calendar, and answers the others', async () => {
    const each = (interval: number) => ({
      start: { dateTime: '2026-12-01T00:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T00:01:00Z', timeZone: 'UTC' },
      recurrence: [`RRULE:FREQ=MINUTELY;INTERVAL=${interval};COUNT=2501`],
    });
    const first = { start: { dateTime: '2026-12-01T00:01:00Z' }, end: { dateTime: '2026-12-01T00:02:00Z' } };
    const gateway = await start({
      seed: {
        calendars: people(
          [{ id: 'every2nd', ...each(2) }],
          [
            { id: 'every2nd', ...each(2) },
            { id: 'joined', ...first },
          ],
          [{ id: 'minutely', ...each(1) }],
        ),
      },
    });
    const answer = await busyOf(gateway, { as: rita, calendarIds: [alice, bob, carol] });
    expect(shortly(answer[0])).toEqual(['BAD_USER_INPUT tooMany']);
    expect(answer[1]?.busy).toHaveLength(2500);
    expect(shortly(answer[2])).toEqual(['2026-12-01T00:00:00Z 2026-12-02T17:41:00Z']);
  });

  test('finds all of more events than are read at once', async () => {
    const at = (minutes: number) => ({
      dateTime: new Date(Date.UTC(2026, 11, 1) + minutes * 60_000).toISOString(),
    });
    const gateway = await start({
      seed: {
        calendars: people(
          many(1100, (index) => ({
            id: `event${index}`,
            start: at(((index * 7) % 1100) * 3),
            end: at(((index * 7) % 1100) * 3 + 2),
          })),
        ),
      },
    });
    expect(await periodsOf(gateway)).toEqual(
      many(1100, (index) =>
        [at(index * 3), at(index * 3 + 2)].map(({ dateTime }) => dateTime.replace('.000', '')).join(' '),
      ),
    );
  });

  test.each<[string, Asked, readonly string[]]>([
    [
      'all at once',
      { calendarIds: [], timeMax: '2026-11-01T00:00:00Z', timeZone: '+01:00' },
      ['timeMax invalid', 'calendarIds required', 'timeZone invalid'],
    ],
    ['a range of nothing', { timeMax: '2026-12-01T01:00:00+01:00' }, ['timeMax invalid']],
    [
      '51 calendars',
      { calendarIds: many(51, () => alice), timeZone: 'Mars/Olympus' },
      ['calendarIds tooMany', 'timeZone invalid'],
    ],
    ['50 calendars', { calendarIds: many(50, () => alice), timeZone: null }, []],
    ['184 days', { timeMax: '2027-06-03T00:00:00Z' }, []],
    ['more than 184 days', { timeMax: '2027-06-03T00:00:00.001Z' }, ['timeMax invalid']],
  ])('is asked for as it may be: %s', async (_what, asked, problems) => {
    const gateway = await start();
    const answer = await gateway.run(query, {
      calendarIds: [alice],
      timeMin: '2026-12-01T00:00:00Z',
      timeMax: '2027-01-01T00:00:00Z',
      ...asked,
    });
    expect(answer.problems).toEqual(problems.map((problem) => `BAD_USER_INPUT ${problem}`));
  });
});
