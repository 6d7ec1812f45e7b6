import {
  alice,
  berlin,
  bob,
  carol,
  type EventGateway,
  fritz,
  makeMany,
  sampleCalendars,
  rita,
  room,
  sten,
  wanda,
} from './event.harness.ts';
import {
  readBusy,
  readPeriods,
  freeBusyQuery,
  formatPeriods,
  type FreeBusyArgs,
} from './free-busy.harness.ts';
import { responseOf, dailySeries, withGuests, instanceIdOn } from './list.harness.ts';
import { stores } from '../stores.ts';

/** Times on one of the first nine days of December 2026, by default from nine to ten in UTC. */
const timesOn = (day: number, from = '09:00', to = '10:00'): object => ({
  start: { dateTime: `2026-12-0${day}T${from}:00Z` },
  end: { dateTime: `2026-12-0${day}T${to}:00Z` },
});
const daysFrom = (from: string, to: string): object => ({ start: { date: from }, end: { date: to } });
/** A formatted busy period on a day. */
const periodOn = (day: number, from = '09:00', to = '10:00'): string =>
  `2026-12-0${day}T${from}:00Z 2026-12-0${day}T${to}:00Z`;
/** Formatted periods from nine to ten on several days. */
const periodsOn = (...onDays: number[]): string[] => onDays.map((day) => periodOn(day));

/** Prepares the events of a test on a gateway. */
type Arrangement = (gateway: EventGateway) => Promise<unknown>;
const makeEvents =
  (...bodies: readonly object[]): Arrangement =>
  async (gateway) => {
    for (const body of bodies) await gateway.makeEvent(body);
  };
/** A patch of an event, or of its instance on a day of December. The caller `as` is Alice by default. */
type Change = readonly [body: object, as?: string, day?: number];
/** Makes an event of Alice and Bob and changes it; `makeSeries` repeats it daily from 1 to 4 December. */
const makeAndChange =
  (event: object, ...changes: readonly Change[]): Arrangement =>
  async (gateway) => {
    const { id } = await gateway.makeEvent({ ...withGuests(bob), ...event });
    for (const [body, as = alice, day] of changes)
      await gateway.changeEvent(day === undefined ? id : instanceIdOn(id, day), body, { as });
  };
const makeSeries = (...changes: readonly Change[]): Arrangement => makeAndChange(dailySeries, ...changes);
const changeInstance = (day: number, body: object, as = alice): Change => [body, as, day];
const makeWithResponseOfBob = (responseStatus: string): Arrangement =>
  makeAndChange(timesOn(1), [responseOf(bob, responseStatus), bob]);
const transparent = { transparency: 'transparent' };
const declinedByBob = responseOf(bob, 'declined');
const bobsCalendar = { as: bob, calendarIds: [bob] };

type Case = readonly [title: string, arrange: Arrangement, busy: readonly string[], args?: FreeBusyArgs];
const caseRows: readonly Case[] = [
  ['nothing on an empty calendar', makeEvents(), []],
  ['an event', makeEvents(timesOn(1)), periodsOn(1)],
  ['a private event', makeEvents({ ...timesOn(1), visibility: 'private' }), periodsOn(1), { as: fritz }],
  [
    'an all-day event, in the zone of the calendar',
    makeEvents(daysFrom('2026-12-02', '2026-12-04')),
    ['2026-12-01T23:00:00Z 2026-12-03T23:00:00Z'],
  ],
  [
    'a series of days across a change of clocks',
    makeEvents({
      ...daysFrom('2026-10-24', '2026-10-25'),
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
    makeEvents({ start: { dateTime: '2026-10-25T00:30:00Z' }, end: { dateTime: '2026-10-25T01:30:00.25Z' } }),
    ['2026-10-25T02:30:00+02:00 2026-10-25T02:30:00.250+01:00'],
    { timeMin: '2026-10-01T00:00:00Z', timeMax: '2026-11-01T00:00:00Z', timeZone: berlin },
  ],
  ['a series', makeSeries(), periodsOn(1, 2, 3, 4)],
  [
    'an instance moved out of the range',
    makeSeries(changeInstance(2, timesOn(9))),
    periodsOn(1),
    { timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an instance that is moved into the range',
    makeSeries(changeInstance(4, timesOn(2, '15:00', '16:00'))),
    [periodOn(2), periodOn(2, '15:00', '16:00')],
    { timeMin: '2026-12-02T00:00:00Z', timeMax: '2026-12-03T00:00:00Z' },
  ],
  [
    'an opaque instance of a transparent series',
    makeAndChange({ ...dailySeries, ...transparent }, changeInstance(2, { transparency: 'opaque' })),
    periodsOn(2),
  ],
  ['a guest who declined', makeWithResponseOfBob('declined'), [], bobsCalendar],
  ['the organizer of an event that a guest declined', makeWithResponseOfBob('declined'), periodsOn(1)],
  [
    'an organizer who declined',
    makeEvents({
      ...timesOn(1),
      attendees: [{ email: 'ALICE@Example.com', responseStatus: 'declined' }, { email: bob }],
    }),
    [],
  ],
  [
    'one declined instance',
    makeSeries(changeInstance(2, declinedByBob, bob)),
    periodsOn(1, 3, 4),
    bobsCalendar,
  ],
  [
    'a guest who accepted one instance of a series that was declined',
    makeSeries([declinedByBob, bob], changeInstance(3, responseOf(bob, 'accepted'), bob)),
    periodsOn(3),
    bobsCalendar,
  ],
  [
    'a guest of a single instance of a series',
    makeSeries(changeInstance(2, { ...withGuests(bob, carol), ...timesOn(5) })),
    periodsOn(5),
    { as: carol, calendarIds: [carol] },
  ],
  [
    'a response to one instance, for any caller, even if guests are hidden',
    makeAndChange(
      { ...dailySeries, guestsCanSeeOtherGuests: false, ...withGuests(alice, rita) },
      changeInstance(2, responseOf(alice, 'declined')),
    ),
    periodsOn(1, 3, 4),
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
      ...[1, 2].map((day) => [{ id: `hour${day}`, ...timesOn(day) }]),
    );
    const closedCalendar = {
      id: 'closed@example.com',
      owner: room,
      timeZone: 'UTC',
      events: [{ id: 'hour3', ...timesOn(3) }],
      acl: [{ email: fritz, role: 'none' }],
    };
    const gateway = await startEmptyGateway({
      seed: { calendars: [alicesCalendar, ...otherCalendars, closedCalendar] },
    });
    const calendarIds = [bob, 'primary', closedCalendar.id, 'unknown', alice, bob];
    const calendars = await readBusy(gateway, { as: bob, calendarIds });
    expect(calendars.map(({ calendarId }) => calendarId)).toEqual(calendarIds);
    const notFoundErrors = ['NOT_FOUND notFound'];
    const [alicesPeriods, bobsPeriods] = [periodsOn(1), periodsOn(2)];
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
    const gapFiller = { id: 'joined', ...timesOn(1, '00:01', '00:02') };
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

  test.each<[string, FreeBusyArgs, readonly string[]]>([
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
