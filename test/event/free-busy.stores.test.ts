import {
  alice,
  berlin,
  bob,
  carol,
  type EventGateway,
  fritz,
  many,
  people,
  rita,
  room,
  sten,
  wanda,
} from './event.harness.ts';
import { busyOf, periodsOf, query, shortly, type Asked } from './free-busy.harness.ts';
import { answer, daily, guests, nth } from './list.harness.ts';
import { stores } from '../stores.ts';

/** An event on a day of December; nine to ten in UTC unless told. */
const on = (day: number, from = '09:00', to = '10:00'): object => ({
  start: { dateTime: `2026-12-0${day}T${from}:00Z` },
  end: { dateTime: `2026-12-0${day}T${to}:00Z` },
});
const days = (from: string, to: string): object => ({ start: { date: from }, end: { date: to } });
/** The period of such an event, and the periods of those from nine to ten. */
const utc = (day: number, from = '09:00', to = '10:00'): string =>
  `2026-12-0${day}T${from}:00Z 2026-12-0${day}T${to}:00Z`;
const hours = (...of: number[]): string[] => of.map((day) => utc(day));

type Made = (gateway: EventGateway) => Promise<unknown>;
const made =
  (...bodies: readonly object[]): Made =>
  async (gateway) => {
    for (const body of bodies) await gateway.make(body);
  };
/** Changes of an event, or of the instance of a day, by Alice unless told. */
type Change = readonly [body: object, by?: string, day?: number];
/** An event of Alice and Bob, and what becomes of it; `series` repeats daily from the first to the fourth. */
const changed =
  (event: object, ...changes: readonly Change[]): Made =>
  async (gateway) => {
    const { id } = await gateway.make({ ...guests(bob), ...event });
    for (const [body, as = alice, day] of changes)
      await gateway.change(day === undefined ? id : nth(id, day), body, { as });
  };
const series = (...changes: readonly Change[]): Made => changed(daily, ...changes);
const instance = (day: number, body: object, by = alice): Change => [body, by, day];
const invited = (responseStatus: string): Made => changed(on(1), [answer(bob, responseStatus), bob]);
const transparent = { transparency: 'transparent' };
const ofBob = { as: bob, calendarIds: [bob] };

type Case = readonly [what: string, make: Made, busy: readonly string[], asked?: Asked];
const rows: readonly Case[] = [
  ['nothing', made(), []],
  ['an event', made(on(1)), hours(1)],
  ['a private event', made({ ...on(1), visibility: 'private' }), hours(1), { as: fritz }],
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
  ['a series', series(), hours(1, 2, 3, 4)],
  ['an instance moved away', series(instance(2, on(9))), hours(1), { timeMax: '2026-12-03T00:00:00Z' }],
  [
    'an instance that is moved into the range',
    series(instance(4, on(2, '15:00', '16:00'))),
    [utc(2), utc(2, '15:00', '16:00')],
    { timeMin: '2026-12-02T00:00:00Z', timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an opaque instance of a transparent series',
    changed({ ...daily, ...transparent }, instance(2, { transparency: 'opaque' })),
    hours(2),
  ],
  ['a guest who declined', invited('declined'), [], ofBob],
  ['the organizer of what a guest declined', invited('declined'), hours(1)],
  [
    'an organizer who declined',
    made({
      ...on(1),
      attendees: [{ email: 'ALICE@Example.com', responseStatus: 'declined' }, { email: bob }],
    }),
    [],
  ],
  ['one declined instance', series(instance(2, answer(bob, 'declined'), bob)), hours(1, 3, 4), ofBob],
  [
    'a guest who accepted one instance of a series that was declined',
    series([answer(bob, 'declined'), bob], instance(3, answer(bob, 'accepted'), bob)),
    hours(3),
    ofBob,
  ],
  [
    'a guest of one instance alone',
    series(instance(2, { ...guests(bob, carol), ...on(5) })),
    hours(5),
    { as: carol, calendarIds: [carol] },
  ],
  [
    'an answer to one instance, whoever asks, though guests are hidden',
    changed(
      { ...daily, guestsCanSeeOtherGuests: false, ...guests(alice, rita) },
      instance(2, answer(alice, 'declined')),
    ),
    hours(1, 3, 4),
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
    const [of, ...others] = people([{ id: 'hour1', ...on(1) }], [{ id: 'hour2', ...on(2) }]);
    const closed = {
      id: 'closed@example.com',
      owner: room,
      timeZone: 'UTC',
      events: [{ id: 'hour3', ...on(3) }],
      acl: [{ email: fritz, role: 'none' }],
    };
    const gateway = await start({ seed: { calendars: [of, ...others, closed] } });
    const calendarIds = [bob, 'primary', closed.id, 'unknown', alice, bob];
    const found = await busyOf(gateway, { as: bob, calendarIds });
    expect(found.map(({ calendarId }) => calendarId)).toEqual(calendarIds);
    const missing = ['NOT_FOUND notFound'];
    const [first, second] = [hours(1), hours(2)];
    expect(found.map(shortly)).toEqual([second, second, missing, missing, missing, second]);
    expect(found[2]?.error.message).toBe('There is no such calendar.');
    expect(found[3]?.error).toEqual(found[2]?.error);
    for (const as of [fritz, rita, wanda]) {
      const seen = (await busyOf(gateway, { as, calendarIds })).map(shortly);
      expect(seen).toEqual([second, [], missing, missing, first, second]);
    }
    expect((await busyOf(gateway, { as: sten, calendarIds: [alice] })).map(shortly)).toEqual([missing]);
  });

  test('has at most 2500 periods for a calendar, and answers the others', async () => {
    const each = (interval: number) => ({
      start: { dateTime: '2026-12-01T00:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T00:01:00Z', timeZone: 'UTC' },
      recurrence: [`RRULE:FREQ=MINUTELY;INTERVAL=${interval};COUNT=2501`],
    });
    const every2nd = { id: 'every2nd', ...each(2) };
    const joined = { id: 'joined', ...on(1, '00:01', '00:02') };
    const calendars = people([every2nd], [every2nd, joined], [{ id: 'minutely', ...each(1) }]);
    const gateway = await start({ seed: { calendars } });
    const found = await busyOf(gateway, { as: rita, calendarIds: [alice, bob, carol] });
    expect(shortly(found[0])).toEqual(['BAD_USER_INPUT tooMany']);
    expect(found[1]?.busy).toHaveLength(2500);
    expect(shortly(found[2])).toEqual(['2026-12-01T00:00:00Z 2026-12-02T17:41:00Z']);
  });

  test('finds all of more events than are read at once', async () => {
    const at = (minutes: number): string =>
      new Date(Date.UTC(2026, 11, 1) + minutes * 60_000).toISOString().replace('.000', '');
    const events = many(1100, (index) => {
      const from = ((index * 7) % 1100) * 3;
      return { id: `event${index}`, start: { dateTime: at(from) }, end: { dateTime: at(from + 2) } };
    });
    const gateway = await start({ seed: { calendars: people(events) } });
    expect(await periodsOf(gateway)).toEqual(many(1100, (index) => `${at(index * 3)} ${at(index * 3 + 2)}`));
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
    const december = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2027-01-01T00:00:00Z' };
    const { problems: found } = await gateway.run(query, { calendarIds: [alice], ...december, ...asked });
    expect(found).toEqual(problems.map((problem) => `BAD_USER_INPUT ${problem}`));
  });
});
