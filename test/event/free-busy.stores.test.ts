import {
  alice,
  berlin,
  bob,
  carol,
  type EventGateway,
  makeMany,
  sampleCalendars,
  room,
  fritz,
  rita,
  sten,
  wanda,
} from './event.harness.ts';
import {
  readBusy,
  readPeriods,
  freeBusyQuery,
  formatPeriods,
  type FreeBusyVariables,
} from './free-busy.harness.ts';
import { responseOf, dailySeries, withGuests, instanceIdOn } from './list.harness.ts';
import { stores } from '../stores.ts';

/** Creates times on one of the first nine days of December 2026, by default from nine to ten in UTC. */
const createTimes = (day: number, from = '09:00', to = '10:00'): object => ({
  start: { dateTime: `2026-12-0${day}T${from}:00Z` },
  end: { dateTime: `2026-12-0${day}T${to}:00Z` },
});
const createAllDayTimes = (from: string, to: string): object => ({
  start: { date: from },
  end: { date: to },
});
/** Formats a busy period on a day. */
const periodTextOn = (day: number, from = '09:00', to = '10:00'): string =>
  `2026-12-0${day}T${from}:00Z 2026-12-0${day}T${to}:00Z`;
/** Formats the busy periods from nine to ten on several days. */
const nineToTenOn = (...onDays: number[]): string[] => onDays.map((day) => periodTextOn(day));

/** Prepares the events of a test on a gateway. */
type Arrangement = (gateway: EventGateway) => Promise<unknown>;
const arrangeEvents =
  (...bodies: readonly object[]): Arrangement =>
  async (gateway) => {
    for (const body of bodies) await gateway.makeEvent(body);
  };
/** A patch of an event, or of its instance on a day of December. The caller `as` is Alice by default. */
type Change = readonly [body: object, as?: string, day?: number];
/** Makes an event of Alice and Bob and changes it; `arrangeSeries` repeats it daily from 1 to 4 December. */
const arrangeChangedEvent =
  (event: object, ...changes: readonly Change[]): Arrangement =>
  async (gateway) => {
    const { id } = await gateway.makeEvent({ ...withGuests(bob), ...event });
    for (const [body, as = alice, day] of changes)
      await gateway.changeEvent(day === undefined ? id : instanceIdOn(id, day), body, { as });
  };
const arrangeSeries = (...changes: readonly Change[]): Arrangement =>
  arrangeChangedEvent(dailySeries, ...changes);
const changeInstance = (day: number, body: object, as = alice): Change => [body, as, day];
const arrangeResponseOfBob = (responseStatus: string): Arrangement =>
  arrangeChangedEvent(createTimes(1), [responseOf(bob, responseStatus), bob]);
const transparentFields = { transparency: 'transparent' };
const declinedByBob = responseOf(bob, 'declined');
const bobsCalendar = { as: bob, calendarIds: [bob] };

type Case = readonly [title: string, arrange: Arrangement, busy: readonly string[], args?: FreeBusyVariables];
const caseRows: readonly Case[] = [
  ['nothing on an empty calendar', arrangeEvents(), []],
  ['an event', arrangeEvents(createTimes(1)), nineToTenOn(1)],
  [
    'a private event',
    arrangeEvents({ ...createTimes(1), visibility: 'private' }),
    nineToTenOn(1),
    { as: fritz },
  ],
  [
    'an all-day event, in the zone of the calendar',
    arrangeEvents(createAllDayTimes('2026-12-02', '2026-12-04')),
    ['2026-12-01T23:00:00Z 2026-12-03T23:00:00Z'],
  ],
  [
    'a series of days across a change of clocks',
    arrangeEvents({
      ...createAllDayTimes('2026-10-24', '2026-10-25'),
      recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=4'],
    }),
    [
      '2026-10-24T00:00:00+02:00 2026-10-25T00:00:00+02:00',
      '2026-10-26T00:00:00+01:00 2026-10-27T00:00:00+01:00',
      '2026-10-28T00:00:00+01:00 2026-10-28T12:00:00+01:00',
    ],
    { timeMin: '2026-10-01T00:00:00Z', timeMax: '2026-10-28T11:00:00Z', timeZone: berlin },
  ],
  [
    'the offsets of a zone',
    arrangeEvents({
      start: { dateTime: '2026-10-25T00:30:00Z' },
      end: { dateTime: '2026-10-25T01:30:00.25Z' },
    }),
    ['2026-10-25T02:30:00+02:00 2026-10-25T02:30:00.250+01:00'],
    { timeMin: '2026-10-01T00:00:00Z', timeMax: '2026-11-01T00:00:00Z', timeZone: berlin },
  ],
  ['a series', arrangeSeries(), nineToTenOn(1, 2, 3, 4)],
  [
    'an instance moved out of the range',
    arrangeSeries(changeInstance(2, createTimes(9))),
    nineToTenOn(1),
    { timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an instance that is moved into the range',
    arrangeSeries(changeInstance(4, createTimes(2, '15:00', '16:00'))),
    [periodTextOn(2), periodTextOn(2, '15:00', '16:00')],
    { timeMin: '2026-12-02T00:00:00Z', timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an opaque instance of a transparent series',
    arrangeChangedEvent(
      { ...dailySeries, ...transparentFields },
      changeInstance(2, { transparency: 'opaque' }),
    ),
    nineToTenOn(2),
  ],
  ['a guest who declined', arrangeResponseOfBob('declined'), [], bobsCalendar],
  ['the organizer of an event that a guest declined', arrangeResponseOfBob('declined'), nineToTenOn(1)],
  [
    'an organizer who declined',
    arrangeEvents({
      ...createTimes(1),
      attendees: [{ email: 'ALICE@Example.com', responseStatus: 'declined' }, { email: bob }],
    }),
    [],
  ],
  [
    'one declined instance',
    arrangeSeries(changeInstance(2, declinedByBob, bob)),
    nineToTenOn(1, 3, 4),
    bobsCalendar,
  ],
  [
    'a guest who accepted one instance of a series that was declined',
    arrangeSeries([declinedByBob, bob], changeInstance(3, responseOf(bob, 'accepted'), bob)),
    nineToTenOn(3),
    bobsCalendar,
  ],
  [
    'a guest of a single instance of a series',
    arrangeSeries(changeInstance(2, { ...withGuests(bob, carol), ...createTimes(5) })),
    nineToTenOn(5),
    { as: carol, calendarIds: [carol] },
  ],
  [
    'a response to one instance, for any caller, even if guests are hidden',
    arrangeChangedEvent(
      { ...dailySeries, guestsCanSeeOtherGuests: false, ...withGuests(alice, rita) },
      changeInstance(2, responseOf(alice, 'declined')),
    ),
    nineToTenOn(1, 3, 4),
    { as: rita },
  ],
];
/** Cases of equal length: Jest passes a callback in place of a last argument that is missing. */
const cases = caseRows.map(([title, arrange, busy, args = {}]) => [title, arrange, busy, args] as const);

describe.each(stores)('free and busy times, over $name', ({ useGateways }) => {
  const startEmptyGateway = useGateways();

  test.each(cases)('include %s', async (_title, arrange, busy, args) => {
    const gateway = await startEmptyGateway();
    await arrange(gateway);
    expect(await readPeriods(gateway, args)).toEqual(busy);
  });

  test('are returned for calendars in the given order, with an error for invisible ones', async () => {
    const [alicesCalendar, ...otherCalendars] = sampleCalendars(
      ...[1, 2].map((day) => [{ id: `hour${day}`, ...createTimes(day) }]),
    );
    const closedCalendar = {
      id: 'closed@example.com',
      owner: room,
      timeZone: 'UTC',
      events: [{ id: 'hour3', ...createTimes(3) }],
      acl: [{ email: fritz, role: 'none' }],
    };
    const gateway = await startEmptyGateway({
      seed: { calendars: [alicesCalendar, ...otherCalendars, closedCalendar] },
    });
    const calendarIds = [bob, 'primary', closedCalendar.id, 'unknown', alice, bob];
    const calendars = await readBusy(gateway, { as: bob, calendarIds });
    expect(calendars.map(({ calendarId }) => calendarId)).toEqual(calendarIds);
    const notFoundErrors = ['NOT_FOUND notFound'];
    const [alicesPeriods, bobsPeriods] = [nineToTenOn(1), nineToTenOn(2)];
    expect(calendars.map(formatPeriods)).toEqual([
      bobsPeriods,
      bobsPeriods,
      notFoundErrors,
      notFoundErrors,
      notFoundErrors,
      bobsPeriods,
    ]);
    expect(calendars[2]?.error.message).toBe('There is no such calendar.');
    expect(calendars[3]?.error).toEqual(calendars[2]?.error);
    for (const as of [fritz, rita, wanda]) {
      const busyTimes = (await readBusy(gateway, { as, calendarIds })).map(formatPeriods);
      expect(busyTimes).toEqual([
        bobsPeriods,
        [],
        notFoundErrors,
        notFoundErrors,
        alicesPeriods,
        bobsPeriods,
      ]);
    }
    expect(await readPeriods(gateway, { as: sten })).toEqual(notFoundErrors);
  });

  test('are refused for a calendar with more than 2500 periods, and returned for the others', async () => {
    const seriesEveryMinutes = (interval: number) => ({
      start: { dateTime: '2026-12-01T00:00:00Z', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T00:01:00Z', timeZone: 'UTC' },
      recurrence: [`RRULE:FREQ=MINUTELY;INTERVAL=${interval};COUNT=2501`],
    });
    const everySecondMinute = { id: 'every2nd', ...seriesEveryMinutes(2) };
    const gapFiller = { id: 'joined', ...createTimes(1, '00:01', '00:02') };
    const everyMinute = { id: 'minutely', ...seriesEveryMinutes(1) };
    const calendars = sampleCalendars([everySecondMinute], [everySecondMinute, gapFiller], [everyMinute]);
    const gateway = await startEmptyGateway({ seed: { calendars } });
    const results = await readBusy(gateway, { as: rita, calendarIds: [alice, bob, carol] });
    expect(formatPeriods(results[0])).toEqual(['BAD_USER_INPUT tooMany']);
    expect(results[1]?.busy).toHaveLength(2500);
    expect(formatPeriods(results[2])).toEqual(['2026-12-01T00:00:00Z 2026-12-02T17:41:00Z']);
  });

  test('include every event if there are more than one database read returns', async () => {
    const eventCount = 1100;
    const timeAt = (minutes: number): string =>
      new Date(Date.UTC(2026, 11, 1) + minutes * 60_000).toISOString().replace('.000', '');
    const events = makeMany(eventCount, (index) => {
      // Shuffled: 7 and the count have no common divisor.
      const from = ((index * 7) % eventCount) * 3;
      return { id: `event${index}`, start: { dateTime: timeAt(from) }, end: { dateTime: timeAt(from + 2) } };
    });
    const gateway = await startEmptyGateway({ seed: { calendars: sampleCalendars(events) } });
    const expected = makeMany(eventCount, (index) => `${timeAt(index * 3)} ${timeAt(index * 3 + 2)}`);
    expect(await readPeriods(gateway)).toEqual(expected);
  });

  test.each<[string, FreeBusyVariables, readonly string[]]>([
    [
      'all problems at once',
      { calendarIds: [], timeMax: '2026-11-01T00:00:00Z', timeZone: '+01:00' },
      ['timeMax invalid', 'calendarIds required', 'timeZone invalid'],
    ],
    ['an empty range', { timeMax: '2026-12-01T01:00:00+01:00' }, ['timeMax invalid']],
    [
      '51 calendars',
      { calendarIds: makeMany(51, () => alice), timeZone: 'Mars/Olympus' },
      ['calendarIds tooMany', 'timeZone invalid'],
    ],
    ['50 calendars', { calendarIds: makeMany(50, () => alice), timeZone: null }, []],
    ['184 days', { timeMax: '2027-06-03T00:00:00Z' }, []],
    ['more than 184 days', { timeMax: '2027-06-03T00:00:00.001Z' }, ['timeMax invalid']],
  ])('check their arguments: %s', async (_case, args, problems) => {
    const gateway = await startEmptyGateway();
    const december = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2027-01-01T00:00:00Z' };
    const outcome = await gateway.run(freeBusyQuery, { calendarIds: [alice], ...december, ...args });
    expect(outcome.problems).toEqual(problems.map((problem) => `BAD_USER_INPUT ${problem}`));
  });
});
