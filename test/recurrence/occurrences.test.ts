import { lastEndOf, occurrencesOf } from '../../src/recurrence/occurrences.ts';

const zonedTime = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });
const inBerlin = (dateTime: string) => zonedTime(dateTime, 'Europe/Berlin');
const inLordHowe = (dateTime: string) => zonedTime(dateTime, 'Australia/Lord_Howe');
const samoanStart = zonedTime('2011-12-29T10:00:00-10:00', 'Pacific/Apia');
type Start = Parameters<typeof occurrencesOf>[0]['start'];

/** Formats instants in UTC without trailing zeros: `2026-07-01T07:00`, or `2026-07-01` at midnight. */
const formatInstants = (instants: readonly number[]): string =>
  instants.map((instant) => new Date(instant).toISOString().replace(/(T00:00)?(:00)?\.000Z$/, '')).join(' ');
/** Formats the first occurrences of a series from an instant on. */
const formatFirstStarts = (
  start: Start,
  recurrence: string[],
  from = '0001-01-01T00:00:00Z',
  limit = 5,
): string =>
  formatInstants(occurrencesOf({ start, recurrence }).between(Date.parse(from), Infinity, limit).starts);

describe('occurrences at clock changes', () => {
  const dailyRule = 'FREQ=DAILY;COUNT=3';
  test.each<[string, Start, string, string]>([
    [
      'Europe/Berlin in spring: the skipped 02:30 becomes 03:30 on that day only',
      inBerlin('2026-03-28T02:30:00+01:00'),
      dailyRule,
      '2026-03-28T01:30 2026-03-29T01:30 2026-03-30T00:30',
    ],
    [
      'Europe/Berlin in autumn: the first of two 02:30 counts',
      inBerlin('2026-10-24T02:30:00+02:00'),
      dailyRule,
      '2026-10-24T00:30 2026-10-25T00:30 2026-10-26T01:30',
    ],
    [
      'a series that starts at the second 02:30 keeps that start',
      inBerlin('2026-10-25T02:30:00+01:00'),
      'FREQ=DAILY;COUNT=2',
      '2026-10-25T01:30 2026-10-26T01:30',
    ],
    [
      'the half hour of Lord Howe in spring',
      inLordHowe('2026-10-03T02:15:00+10:30'),
      dailyRule,
      '2026-10-02T15:45 2026-10-03T15:45 2026-10-04T15:15',
    ],
    [
      'the day that Samoa skipped merges with the next',
      samoanStart,
      dailyRule,
      '2011-12-29T20:00 2011-12-30T20:00',
    ],
  ])('%s', (_case, start, rule, expected) => {
    expect(formatFirstStarts(start, [`RRULE:${rule}`])).toBe(expected);
  });

  test('Pacific/Apia has no 30 December 2011, which also ends the search for the last occurrence', () => {
    const hoursExcluding = (rule: string) =>
      occurrencesOf({ start: samoanStart, recurrence: ['RRULE:FREQ=HOURLY;COUNT=15', `EXRULE:${rule}`] });
    const noOccurrences = hoursExcluding('FREQ=SECONDLY');
    expect(noOccurrences.lastStart()).toBeUndefined();
    expect(noOccurrences.between(-Infinity, Infinity, 5).starts).toEqual([]);
    expect(hoursExcluding('FREQ=HOURLY;COUNT=14').lastStart()).toBe(Date.parse('2011-12-30T10:00:00Z'));
  });

  test('half hours in a clock gap merge with following ones, in any window', () => {
    const start = inBerlin('2026-03-29T01:00:00+01:00');
    const recurrence = ['RRULE:FREQ=MINUTELY;INTERVAL=30'];
    const expected = ['00:00', '00:30', '01:00', '01:30', '02:00'].map((time) => `2026-03-29T${time}:00Z`);
    expect(formatFirstStarts(start, recurrence)).toBe(formatInstants(expected.map(Date.parse)));
    for (const text of expected)
      expect(formatFirstStarts(start, recurrence, text, 1)).toBe(formatInstants([Date.parse(text)]));
  });

  test("local times of RDATE and EXDATE are in the series' zone, and move forward in a gap", () => {
    const start = inBerlin('2026-03-28T02:30:00+01:00');
    expect(formatFirstStarts(start, ['RDATE:20260329T023000'])).toBe('2026-03-28T01:30 2026-03-29T01:30');
    const linesWithExdate = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE:20260329T023000'];
    expect(formatFirstStarts(start, linesWithExdate)).toBe('2026-03-28T01:30 2026-03-30T00:30');
  });
});

describe('all-day series', () => {
  test('starts are days in UTC, whatever the zone', () => {
    const start = { date: '2026-03-28', timeZone: 'Pacific/Auckland' };
    expect(formatFirstStarts(start, ['RRULE:FREQ=DAILY;COUNT=3'])).toBe('2026-03-28 2026-03-29 2026-03-30');
  });

  test('UNTIL is the last day; RDATE and EXDATE hold days', () => {
    const dates = ['RDATE;VALUE=DATE:20260708,20260801', 'EXDATE;VALUE=DATE:20260713'];
    expect(formatFirstStarts({ date: '2026-07-06' }, ['RRULE:FREQ=WEEKLY;UNTIL=20260720', ...dates])).toBe(
      '2026-07-06 2026-07-08 2026-07-20 2026-08-01',
    );
  });

  test('29 February occurs in leap years only, not in 2100', () => {
    const start = { date: '2092-02-29' };
    const leapDays = '2092-02-29 2096-02-29 2104-02-29 2108-02-29 2112-02-29';
    expect(formatFirstStarts(start, ['RRULE:FREQ=YEARLY'])).toBe(leapDays);
    const fridays = '2092-02-29 2104-02-29 2132-02-29 2160-02-29 2188-02-29';
    for (const frequency of ['YEARLY', 'DAILY'])
      expect(formatFirstStarts(start, [`RRULE:FREQ=${frequency};BYMONTH=2;BYMONTHDAY=29;BYDAY=FR`])).toBe(
        fridays,
      );
  });

  test('the last end includes the length of the event', () => {
    const twoDays = { start: { date: '2026-07-06' }, end: { date: '2026-07-08' } };
    const lastEnd = lastEndOf({ ...twoDays, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
    expect(lastEnd).toBe(Date.parse('2026-07-09'));
  });
});

describe('the recurrence set', () => {
  const start = inBerlin('2026-07-01T09:00:00+02:00'); // a Wednesday
  const formattedStart = '2026-07-01T07:00';
  /** Formats nine o'clock in Berlin on days of July. */
  const nineOnDaysOfJuly = (...days: number[]): string =>
    days.map((day) => `2026-07-${String(day).padStart(2, '0')}T07:00`).join(' ');

  test.each<[string, string[], string]>([
    ['includes the start beside RDATE', ['RDATE:20260710T090000'], nineOnDaysOfJuly(1, 10)],
    [
      'includes a start outside the rule in COUNT',
      ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3'],
      nineOnDaysOfJuly(1, 6, 13),
    ],
    [
      'includes dates in UTC, with TZID, and starts of periods',
      [
        'RDATE:20260702T100000Z',
        'RDATE;TZID=America/New_York:20260703T100000',
        'RDATE;VALUE=PERIOD:20260704T100000Z/PT1H,20260705T100000/20260705T110000',
      ],
      `${formattedStart} 2026-07-02T10:00 2026-07-03T14:00 2026-07-04T10:00 2026-07-05T08:00`,
    ],
    [
      'allows names and values in any case, and a quoted TZID',
      ['rrule:freq=daily;count=2', 'exdate;tzid="europe/berlin":20260702t090000'],
      nineOnDaysOfJuly(1),
    ],
    ['includes the instant of UNTIL', ['RRULE:FREQ=DAILY;UNTIL=20260703T070000Z'], nineOnDaysOfJuly(1, 2, 3)],
    [
      'excludes EXDATEs in each form',
      [
        'RRULE:FREQ=DAILY;COUNT=5',
        'EXDATE:20260702T090000,20260703T070000Z',
        'EXDATE;TZID=America/New_York:20260704T030000',
      ],
      nineOnDaysOfJuly(1, 5),
    ],
    [
      'excludes the start by EXDATE',
      ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260701T070000Z'],
      nineOnDaysOfJuly(2),
    ],
    ['has nothing before the start', ['RDATE:20260601T090000,20260702T090000'], nineOnDaysOfJuly(1, 2)],
    [
      'treats a leap second as the second before',
      ['RRULE:FREQ=MINUTELY;BYSECOND=60;COUNT=3'],
      `${formattedStart} 2026-07-01T07:00:59 2026-07-01T07:01:59`,
    ],
    [
      'ignores malformed lines',
      ['RRULE:FREQ=NEVER', 'RDATE:soon', 'DTSTART:20260701T090000', '', 'RDATE;TZID=Nowhere:20260702T090000'],
      nineOnDaysOfJuly(1, 2),
    ],
  ])('%s', (_case, recurrence, expected) => {
    expect(formatFirstStarts(start, recurrence)).toBe(expected);
  });

  test('ignores fractions of a second, as ids of instances do', () => {
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=2', 'EXDATE:20260702T070000Z'];
    expect(formatFirstStarts(inBerlin('2026-07-01T09:00:00.900+02:00'), recurrence)).toBe(formattedStart);
  });

  test.each([[undefined], [{}], [inBerlin('never')]])('is empty with the start %j', (invalidStart) => {
    const event = { start: invalidStart, recurrence: ['RRULE:FREQ=DAILY'] };
    expect(occurrencesOf(event).between(-Infinity, Infinity, 5)).toMatchObject({
      starts: [],
      hasMore: false,
    });
    expect(lastEndOf(event)).toBeUndefined();
  });

  test('is cached by lines and start', () => {
    const recurrence = Object.freeze(['RRULE:FREQ=DAILY;COUNT=1']) as string[];
    const formatStartsFor = (otherStart: Start) => formatFirstStarts(otherStart, recurrence);
    const results = [start, { date: '2026-07-02' }, start].map(formatStartsFor);
    expect(results).toEqual([formattedStart, '2026-07-02', formattedStart]);
    expect(occurrencesOf({ start, recurrence })).toBe(occurrencesOf({ start: { ...start }, recurrence }));
  });
});

describe('the last occurrence', () => {
  const hourTimes = {
    start: inBerlin('2026-07-01T09:00:00+02:00'),
    end: inBerlin('2026-07-01T10:00:00+02:00'),
  };
  const computeLastEnd = (...recurrence: string[]) => lastEndOf({ ...hourTimes, recurrence });

  test.each<[string, string[], string]>([
    ['by COUNT', ['RRULE:FREQ=WEEKLY;COUNT=3'], '2026-07-15T08:00:00Z'],
    ['by a COUNT in the thousands', ['RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3000'], '2083-12-22T09:00:00Z'],
    ['by UNTIL', ['RRULE:FREQ=DAILY;UNTIL=20261231T000000Z'], '2026-12-30T09:00:00Z'],
    ['by the latest line', ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE:20300101T000000Z'], '2030-01-01T01:00:00Z'],
    [
      'before excluded ones',
      ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20260704T070000Z', 'EXRULE:FREQ=DAILY;COUNT=3;BYMONTHDAY=3'],
      '2026-07-02T08:00:00Z',
    ],
    ['of a rule that matches nothing', ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'], '2026-07-01T08:00:00Z'],
  ])('%s has the expected end', (_case, recurrence, expected) => {
    expect(computeLastEnd(...recurrence)).toBe(Date.parse(expected));
  });

  test('is undefined for an endless series, and if all occurrences are excluded', () => {
    expect(computeLastEnd('RRULE:FREQ=DAILY')).toBeUndefined();
    expect(computeLastEnd('RDATE:20260702T090000', 'EXDATE:20260701T090000,20260702T090000')).toBeUndefined();
  });
});

describe('occurrences within bounds', () => {
  const start = inBerlin('2020-01-01T09:00:00+01:00');
  const firstStart = Date.parse('2020-01-01T08:00:00Z');
  const createOccurrences = (...recurrence: string[]) => occurrencesOf({ start, recurrence });
  const farInstant = Date.parse('2120-03-01T00:00:00Z');
  const listNumbersBelow = (size: number): string =>
    Array.from({ length: size }, (_, index) => index).join(',');
  const everySecondParts = `BYHOUR=${listNumbersBelow(24)};BYMINUTE=${listNumbersBelow(60)};BYSECOND=${listNumbersBelow(60)}`;

  test('are found in a week a hundred years on', () => {
    const weekLater = farInstant + 7 * 86_400_000;
    const { starts, hasMore } = createOccurrences('RRULE:FREQ=DAILY').between(farInstant, weekLater, 250);
    expect([starts.length, hasMore, starts[0]]).toEqual([7, false, Date.parse('2120-03-01T08:00:00Z')]);
  });

  test('fill a page of an endless rule with 86,400 occurrences a day', () => {
    const everySecond = createOccurrences(`RRULE:FREQ=DAILY;${everySecondParts}`);
    const { starts, hasMore } = everySecond.between(farInstant, Infinity, 3);
    expect(formatInstants(starts)).toBe('2120-03-01 2120-03-01T00:00:01 2120-03-01T00:00:02');
    expect(hasMore).toBe(true);
  });

  test('end with the year 9999', () => {
    const lastYears = createOccurrences('RRULE:FREQ=YEARLY').between(Date.parse('9998-06-01'), Infinity, 5);
    expect(lastYears).toMatchObject({ starts: [Date.parse('9999-01-01T08:00:00Z')], hasMore: false });
  });

  const february30 = Array.from(
    { length: 100 },
    (_, index) => `RRULE:FREQ=SECONDLY;INTERVAL=${index + 2};BYMONTH=2;BYMONTHDAY=30`,
  );
  test.each([
    ['30 February in a hundred rules', february30],
    ['the longest interval', ['RRULE:FREQ=YEARLY;INTERVAL=2147483647']],
  ])('%s has the start only, and terminates', (_case, recurrence) => {
    const occurrences = createOccurrences(...recurrence);
    expect(occurrences.between(-Infinity, Infinity, 5)).toMatchObject({
      starts: [firstStart],
      hasMore: false,
    });
    expect(occurrences.between(farInstant, Infinity, 5)).toMatchObject({ starts: [], hasMore: false });
  });

  test('are those that BYSETPOS selects among all seconds of a year', () => {
    // `slice(2)` drops the leading `0,`.
    const everyDay = `BYMONTH=${listNumbersBelow(13).slice(2)};BYMONTHDAY=${listNumbersBelow(32).slice(2)}`;
    const selectedSeconds = createOccurrences(
      `RRULE:FREQ=YEARLY;${everyDay};${everySecondParts};BYSETPOS=-1,2`,
    );
    expect(formatInstants(selectedSeconds.between(farInstant, Infinity, 2).starts)).toBe(
      '2120-12-31T22:59:59 2120-12-31T23:00:01',
    );
  });

  test('are none of an endless rule that is completely excluded', () => {
    const fullyExcluded = createOccurrences('RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY');
    expect(fullyExcluded.between(farInstant, Infinity, 5)).toMatchObject({ starts: [], hasMore: false });
    expect(fullyExcluded.has(farInstant)).toBe(false);
  });

  test('have a last one for the maximum COUNT', () => {
    expect(createOccurrences('RRULE:FREQ=SECONDLY;COUNT=2147483647').lastStart()).toBe(
      firstStart + 2_147_483_646_000,
    );
    const lastByWeekdays = (frequency: string) =>
      createOccurrences(`RRULE:FREQ=${frequency};BYDAY=WE,TH;COUNT=2147483647`).lastStart();
    expect(lastByWeekdays('WEEKLY')).toBe(Date.parse('2211-08-22T07:00:00Z'));
    expect(lastByWeekdays('YEARLY')).toBe(Date.parse('2852-12-26T08:00:00Z'));
  });
});
